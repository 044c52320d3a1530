package claudecode_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/value"
)

// A taken is what the client does with an answer to one event. A key that is not
// here has no effect there, and a policy's wish would be lost in silence.
type taken struct {
	common   []string // beside systemMessage and hookSpecificOutput
	specific []string // beside hookEventName
}

var (
	ended   = []string{"continue", "stopReason"}
	decided = append([]string{"decision", "reason"}, ended...)
	takes   = map[string]taken{
		"PreToolUse":        {ended, []string{"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"}},
		"PermissionRequest": {nil, []string{"decision"}},
		"PostToolUse":       {decided, []string{"additionalContext", "updatedToolOutput"}},
		"UserPromptSubmit":  {decided, []string{"additionalContext"}},
		"SessionStart":      {nil, []string{"additionalContext"}},
		"Stop":              {decided, []string{"additionalContext"}},
		// A subagent that is told to end has nothing left to end: the client does
		// nothing about the first, which is what is wanted.
		"SubagentStop": {decided, []string{"additionalContext"}},
	}
	// kinds are what the client wants the values to be; one that is not makes it
	// drop the whole answer.
	kinds = map[string]value.Kind{"continue": value.Bool, "updatedInput": value.Object, "interrupt": value.Bool}
	words = map[string][]string{"permissionDecision": {"allow", "ask", "deny"}, "behavior": {"allow", "deny"}}
)

// checkTaken requires that the client takes an answer to event.
func checkTaken(t *testing.T, event string, stdout []byte) {
	t.Helper()
	if len(stdout) == 0 {
		return
	}
	require.Contains(t, takes, event)
	out, err := value.Parse(stdout)
	require.NoError(t, err)
	for key, v := range out.Members() {
		checkValue(t, key, v)
		if key != "systemMessage" && key != "hookSpecificOutput" {
			require.Contains(t, takes[event].common, key, event)
		}
	}
	require.Contains(t, []string{"", "block"}, out.Get("decision").String())
	require.Equal(t, out.Get("decision").IsAbsent(), out.Get("reason").IsAbsent())
	specific := out.Get("hookSpecificOutput")
	if specific.IsAbsent() {
		return
	}
	require.Equal(t, event, specific.Get("hookEventName").String())
	for key, v := range specific.Members() {
		if key != "hookEventName" {
			require.Contains(t, takes[event].specific, key, event)
			checkValue(t, key, v)
		}
	}
	for key, v := range specific.Get("decision").Members() {
		require.Contains(t, []string{"behavior", "message", "interrupt"}, key)
		checkValue(t, key, v)
	}
}

// checkValue requires that a value is of the kind that the client wants, and that
// no text is blank: the client puts its own in the place of such a reason.
func checkValue(t *testing.T, key string, v value.Value) {
	t.Helper()
	switch want, ok := kinds[key]; {
	case ok:
		require.Equal(t, want, v.Kind(), key)
	case key == "hookSpecificOutput", key == "decision" && v.Kind() == value.Object:
	case key == "updatedToolOutput": // of the tool's own shape
	default:
		require.Equal(t, value.String, v.Kind(), key)
		require.NotEmpty(t, strings.TrimSpace(v.String()), key)
	}
	if list, ok := words[key]; ok {
		require.Contains(t, list, v.String())
	}
}
