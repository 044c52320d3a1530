package claudecode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/hookproto"
	protocol "github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/runtime/value"
)

// An effect is what the client can be told at an event. A key that is not here
// has no effect there, although the client reads it, and a policy's wish would be
// lost in silence.
type effect struct {
	common   []string // beside systemMessage and hookSpecificOutput
	specific []string // beside hookEventName
}

var (
	ended   = []string{"continue", "stopReason"}
	decided = append([]string{"decision", "reason"}, ended...)
	beside  = []string{"additionalContext"}
	effects = map[string]effect{
		"PreToolUse":        {ended, []string{"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"}},
		"PermissionRequest": {nil, []string{"decision"}},
		"PostToolUse":       {decided, []string{"additionalContext", "updatedToolOutput"}},
		"UserPromptSubmit":  {decided, beside},
		"SessionStart":      {nil, beside},
		"Stop":              {decided, beside},
		// A subagent that is told to end has nothing left to end: the client does
		// nothing about it, which is what is wanted.
		"SubagentStop": {decided, beside},
	}
)

// verdicts are what the client has to read from an answer that says so.
var verdicts = map[string]hookproto.Decision{
	"block": hookproto.Block, "deny": hookproto.Deny, "ask": hookproto.Ask, "allow": hookproto.Allow,
}

// checkTaken requires that the client takes an answer to event, and understands
// the decision that there is and all that is beside it.
func checkTaken(t *testing.T, event string, stdout []byte) {
	t.Helper()
	if len(stdout) == 0 {
		return
	}
	read := protocol.Dialect{}.Parse(event, hookproto.Result{Stdout: stdout})
	require.NotEqual(t, hookproto.StatusFailed, read.Status, read.Failure)
	out, err := value.Parse(stdout)
	require.NoError(t, err)
	for key := range out.Members() {
		if key != "systemMessage" && key != "hookSpecificOutput" {
			require.Contains(t, effects[event].common, key, event)
		}
	}
	specific := out.Get("hookSpecificOutput")
	for key := range specific.Members() {
		if key != "hookEventName" {
			require.Contains(t, effects[event].specific, key, event)
		}
	}
	for _, word := range []value.Value{out.Get("decision"), specific.Get("permissionDecision"), specific.Get("decision").Get("behavior")} {
		if !word.IsAbsent() {
			require.Equal(t, verdicts[word.String()], read.Decision)
		}
	}
	require.Equal(t, out.Get("systemMessage").String(), read.SystemMessage)
	require.Equal(t, !specific.Get("additionalContext").IsAbsent(), len(read.Contexts) > 0)
	require.Equal(t, !specific.Get("updatedInput").IsAbsent(), read.UpdatedInput != nil)
	require.Equal(t, !specific.Get("updatedToolOutput").IsAbsent(), read.UpdatedOutput != nil)
	require.Equal(t, !specific.Get("decision").Get("interrupt").IsAbsent(), read.Interrupt)
	if event != "SubagentStop" {
		require.Equal(t, !out.Get("continue").IsAbsent(), read.Halt)
	}
}

// The command and the protocol know the same events.
func TestEvents(t *testing.T) {
	var names []string
	for _, e := range protocol.Events() {
		names = append(names, e.Name)
	}
	require.ElementsMatch(t, names, claudecode.Events())
}
