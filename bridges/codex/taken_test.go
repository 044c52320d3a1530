package codex_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/value"
)

// The keys that the client knows; one more and it drops the whole answer.
var (
	commonKeys   = []string{"continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"}
	specificKeys = map[string][]string{
		"PreToolUse":  {"hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"},
		"PostToolUse": {"hookEventName", "additionalContext", "updatedMCPToolOutput"},
	}
)

// checkTaken requires that the client takes an answer: nothing that it does not
// know, nothing that it does not do, and a reason with every refusal.
func checkTaken(t *testing.T, event string, stdout []byte) {
	t.Helper()
	if len(stdout) == 0 {
		return
	}
	out, err := value.Parse(stdout)
	require.NoError(t, err)
	for key, v := range out.Members() {
		require.Contains(t, commonKeys, key)
		require.NotContains(t, []string{"continue", "stopReason", "suppressOutput"}, key, "not done on %s", event)
		require.NotEqual(t, value.Null, v.Kind())
	}
	if decision := out.Get("decision"); !decision.IsAbsent() {
		require.Equal(t, "PostToolUse", event)
		require.Equal(t, "block", decision.String())
		require.NotEmpty(t, strings.TrimSpace(out.Get("reason").String()))
	} else {
		require.True(t, out.Get("reason").IsAbsent(), "a reason without a decision")
	}
	if specific := out.Get("hookSpecificOutput"); !specific.IsAbsent() {
		checkSpecific(t, event, specific)
	}
}

func checkSpecific(t *testing.T, event string, specific value.Value) {
	t.Helper()
	for key := range specific.Members() {
		require.True(t, slices.Contains(specificKeys[event], key), key)
	}
	require.Equal(t, event, specific.Get("hookEventName").String())
	require.NotEqual(t, `""`, string(specific.Get("additionalContext").AppendJSON(nil)))
	input, reason := specific.Get("updatedInput"), specific.Get("permissionDecisionReason")
	switch decision := specific.Get("permissionDecision").String(); decision {
	case "deny":
		require.NotEmpty(t, strings.TrimSpace(reason.String()))
		require.True(t, input.IsAbsent(), "new arguments with a denial")
	case "allow":
		require.Equal(t, value.Object, input.Kind(), "a bare allow")
		require.True(t, reason.IsAbsent())
	default:
		require.Empty(t, decision)
		require.True(t, input.IsAbsent() && reason.IsAbsent(), "without an allow")
	}
}
