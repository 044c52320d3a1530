package codex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/hookproto"
	protocol "github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/runtime/value"
)

// effects lists what the client can be told at an event. What is not here has no
// effect there, although the client may read it.
var effects = map[string][]string{
	"PreToolUse":        {"systemMessage", "hookSpecificOutput"},
	"PermissionRequest": {"systemMessage", "hookSpecificOutput"},
	"PostToolUse":       {"systemMessage", "decision", "reason", "hookSpecificOutput"},
	"UserPromptSubmit":  {"continue", "stopReason", "systemMessage", "decision", "reason", "hookSpecificOutput"},
	"SessionStart":      {"continue", "stopReason", "systemMessage", "hookSpecificOutput"},
	"Stop":              {"continue", "stopReason", "systemMessage", "decision", "reason"},
	"SubagentStop":      {"continue", "stopReason", "systemMessage", "decision", "reason"},
}

// verdicts are what the client has to read from an answer that says so.
var verdicts = map[string]hookproto.Decision{"block": hookproto.Block, "deny": hookproto.Deny, "allow": hookproto.Allow}

// checkTaken requires that the client takes an answer: nothing that it does not
// know, nothing that it does not do, and a reason with every refusal; and that it
// understands the decision that there is.
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
		require.Contains(t, effects[event], key, "not done on %s", event)
	}
	specific := out.Get("hookSpecificOutput")
	if !specific.IsAbsent() {
		require.Equal(t, event, specific.Get("hookEventName").String())
	}
	for _, word := range []value.Value{out.Get("decision"), specific.Get("permissionDecision"), specific.Get("decision").Get("behavior")} {
		if !word.IsAbsent() {
			require.Equal(t, verdicts[word.String()], read.Decision)
		}
	}
	require.Equal(t, out.Get("systemMessage").String(), read.SystemMessage)
	require.Equal(t, !out.Get("continue").IsAbsent(), read.Halt)
	require.Equal(t, !specific.Get("additionalContext").IsAbsent(), len(read.Contexts) > 0)
}

// The command and the protocol know the same events.
func TestEvents(t *testing.T) { require.ElementsMatch(t, protocol.Names(), codex.Events()) }
