package claudecode_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
)

func specific(event, fields string) string {
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + fields + `}}`
}

func TestParse(t *testing.T) {
	t.Parallel()
	deny := specific("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"no"`)
	for _, test := range []struct {
		name, event    string
		exit           int
		stdout, stderr string
		want           hookproto.Output // Failure: a part of it
	}{
		{"nothing", "PreToolUse", 0, "", "", hookproto.Output{Status: "completed"}},
		{"exit 2", "PreToolUse", 2, "", "no\n", hookproto.Output{Status: "blocked", Decision: "deny", Word: "block", Reason: "no\n"}},
		{"exit 2 and bad JSON", "PreToolUse", 2, `{"continue":1}`, "no", hookproto.Output{Status: "blocked", Decision: "deny", Word: "block", Reason: "no"}},
		{"exit 2 and a denial", "PreToolUse", 2, deny, "other", hookproto.Output{Status: "blocked", Decision: "deny", Reason: "no"}},
		{"exit 2 and an approval", "PreToolUse", 2, specific("PreToolUse", `"permissionDecision":"allow","additionalContext":"c"`), "no", hookproto.Output{Status: "blocked", Decision: "deny", Word: "block", Reason: "no", Contexts: []string{"c"}}},
		{"exit 1 and a denial", "PreToolUse", 1, deny, "", hookproto.Output{Status: "blocked", Decision: "deny", Reason: "no"}},
		{"exit 1", "PreToolUse", 1, "text", "e", hookproto.Output{Status: "failed", Failure: "status 1"}},
		{"byte order mark", "PreToolUse", 0, "\ufeff " + deny + "\n", "", hookproto.Output{Status: "blocked", Decision: "deny", Reason: "no"}},
		{"a line before", "PreToolUse", 0, "log\n" + deny, "", hookproto.Output{Status: "completed"}},
		{"two objects", "PreToolUse", 0, "{}\n{}", "", hookproto.Output{Status: "failed", Failure: "not JSON"}},
		{"null", "PreToolUse", 0, `{"reason":null}`, "", hookproto.Output{Status: "failed", Failure: "reason must be a string"}},
		{"other event", "PreToolUse", 0, specific("Stop", `"additionalContext":"x"`), "", hookproto.Output{Status: "failed", Failure: `is "Stop"`}},
		{"no event", "PreToolUse", 0, `{"hookSpecificOutput":{}}`, "", hookproto.Output{Status: "failed", Failure: "hookEventName is missing"}},
		{"bad decision", "PreToolUse", 0, specific("PreToolUse", `"permissionDecision":"nope"`), "", hookproto.Output{Status: "failed", Failure: "allow, deny, ask or defer"}},
		{"last of duplicates", "PreToolUse", 0, `{"decision":5,"decision":"approve"}`, "", hookproto.Output{Status: "completed", Decision: "allow", Word: "approve"}},
		{"legacy block beats allow", "PreToolUse", 0, `{"decision":"block","reason":"r","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`, "", hookproto.Output{Status: "blocked", Decision: "deny", Word: "block", Reason: "r"}},
		{"nested deny beats approve", "PreToolUse", 0, `{"decision":"approve","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}`, "", hookproto.Output{Status: "blocked", Decision: "deny", Reason: "r"}},
		{"top-level permission", "PreToolUse", 0, `{"permissionDecision":"deny"}`, "", hookproto.Output{Status: "completed"}},
		{"halt", "PreToolUse", 0, `{"continue":false,"stopReason":"s"}`, "", hookproto.Output{Status: "stopped", Halt: true, HaltReason: "s"}},
		{"input as written", "PreToolUse", 0, specific("PreToolUse", `"updatedInput":{"b":1e2,"a":"<\u2028>"}`), "", hookproto.Output{Status: "completed", UpdatedInput: json.RawMessage("{\"b\":1e2,\"a\":\"<\u2028>\"}")}},
		{"plain", "UserPromptSubmit", 0, " hello \n", "", hookproto.Output{Status: "completed", Contexts: []string{"hello"}, Plain: true}},
		{"plain is nothing", "PostToolUse", 0, "hello", "", hookproto.Output{Status: "completed"}},
		{"plain with exit 2", "UserPromptSubmit", 2, "hello", "no", hookproto.Output{Status: "blocked", Decision: "block", Reason: "no"}},
		{"start cannot block", "SessionStart", 2, "", "no", hookproto.Output{Status: "failed", Failure: "status 2"}},
		{"start cannot halt", "SessionStart", 0, `{"continue":false}`, "", hookproto.Output{Status: "completed"}},
		{"failure ignores output", "PostToolUseFailure", 0, `{"continue":false,"decision":"block","reason":"r"}`, "", hookproto.Output{Status: "blocked", Decision: "block", Reason: "r"}},
		{"batch", "PostToolBatch", 0, `{"decision":"block","reason":"r"}`, "", hookproto.Output{Status: "stopped", Decision: "block", Reason: "r", Halt: true, HaltReason: "r"}},
		{"permission", "PermissionRequest", 0, specific("PermissionRequest", `"decision":{"behavior":"deny","message":"m","interrupt":true}`), "", hookproto.Output{
			Status: "blocked", Decision: "deny", Reason: "m", Interrupt: true,
			Fields: map[string]json.RawMessage{"decision": json.RawMessage(`{"behavior":"deny","message":"m","interrupt":true}`)},
		}},
		{"permission is not exit 2", "PermissionRequest", 2, "", "no", hookproto.Output{Status: "failed", Failure: "status 2"}},
		{"MCP output", "PostToolUse", 0, specific("PostToolUse", `"updatedMCPToolOutput":[1]`), "", hookproto.Output{Status: "completed", UpdatedOutput: json.RawMessage("[1]"), MCPOutput: true}},
		{"title", "UserPromptSubmit", 0, specific("UserPromptSubmit", `"sessionTitle":"t"`), "", hookproto.Output{Status: "completed", Fields: map[string]json.RawMessage{"sessionTitle": json.RawMessage(`"t"`)}}},
		{"deep", "Stop", 0, `{"a":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + `}`, "", hookproto.Output{Status: "failed", Failure: "not JSON"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := dialect.Parse(test.event, hookproto.Result{Exit: test.exit, Stdout: []byte(test.stdout), Stderr: []byte(test.stderr)})
			require.Contains(t, got.Failure, test.want.Failure)
			require.Equal(t, test.want.Failure == "", got.Failure == "")
			got.Failure = test.want.Failure
			require.Equal(t, test.want, got)
		})
	}
}

func TestFailuresDecideNothing(t *testing.T) {
	t.Parallel()
	block := []byte(`{"decision":"block","reason":"r"}`)
	for name, r := range map[string]hookproto.Result{
		"time": {Exit: 2, TimedOut: true, Stdout: block}, "cancel": {Canceled: true, Stdout: block},
		"start": {Exit: -1, Err: errors.New("x")}, "signal": {Exit: -1, Signal: "SIGKILL", Stdout: block},
	} {
		got := dialect.Parse("PreToolUse", r)
		require.Equal(t, hookproto.StatusFailed, got.Status, name)
		require.Empty(t, got.Decision, name)
	}
	require.Equal(t, hookproto.StatusFailed, dialect.Parse("Nope", hookproto.Result{}).Status)
}

func TestFold(t *testing.T) {
	t.Parallel()
	done := func(outputs ...hookproto.Output) (all []hookproto.Completed) {
		// Configured in reverse: order is that of completion.
		for i, o := range outputs {
			if o.Status == "" {
				o.Status = hookproto.StatusCompleted
			}
			all = append(all, hookproto.Completed{Configured: len(outputs) - 1 - i, Rank: i, Output: o})
		}
		return all
	}
	verdict := func(v hookproto.Decision, reason string) hookproto.Output {
		return hookproto.Output{Decision: v, Reason: reason}
	}
	for _, test := range []struct {
		name, event string
		done        []hookproto.Completed
		verdict     hookproto.Decision
		reason      string
		by          int
	}{
		{"nothing", "PreToolUse", nil, "", "", -1},
		{"deny over all", "PreToolUse", done(verdict("allow", "a"), verdict("deny", "d"), verdict("defer", "e"), verdict("ask", "k")), "deny", "d", 2},
		{"defer over ask", "PreToolUse", done(verdict("ask", "k"), verdict("defer", "e")), "defer", "e", 0},
		{"last deny", "PreToolUse", done(verdict("deny", "1"), verdict("deny", "2")), "deny", "2", 0},
		{"first ask", "PreToolUse", done(verdict("ask", "1"), verdict("ask", "2")), "ask", "1", 1},
		{"first block", "UserPromptSubmit", done(verdict("block", "1"), verdict("block", "2")), "block", "1", 1},
		{"first answer", "PermissionRequest", done(verdict("allow", "1"), verdict("deny", "2")), "allow", "1", 1},
		{"halt wins at a stop", "Stop", done(verdict("block", "1"), hookproto.Output{Halt: true}), "", "", -1},
		{"failed", "PreToolUse", done(hookproto.Output{Status: "failed", Decision: "deny"}), "", "", -1},
	} {
		got := dialect.Fold(test.event, test.done)
		require.Equal(t, test.verdict, got.Decision, test.name)
		require.Equal(t, test.reason, got.Reason, test.name)
		require.Equal(t, test.by, got.By, test.name)
	}
	got := dialect.Fold("PreToolUse", done(
		hookproto.Output{Contexts: []string{"a"}, UpdatedInput: json.RawMessage("1"), Halt: true, HaltReason: "x"},
		hookproto.Output{Contexts: []string{"b"}, UpdatedInput: json.RawMessage("2"), SystemMessage: "m", Halt: true, HaltReason: "y"}))
	require.Equal(t, []hookproto.Text{{By: 1, Text: "a"}, {By: 0, Text: "b"}}, got.Contexts)
	require.JSONEq(t, "2", string(got.UpdatedInput))
	require.Equal(t, "x", got.HaltReason)
	require.Equal(t, []hookproto.Text{{By: 0, Text: "m"}}, got.SystemMessages)
}

func TestSpill(t *testing.T) {
	t.Parallel()
	fits := strings.Repeat("x", claudecode.ContextLimit)
	save := func(string) (string, error) { return "/kept", nil }
	got, err := claudecode.Spill(fits, save)
	require.NoError(t, err)
	require.Equal(t, fits, got)
	got, err = claudecode.Spill(strings.Repeat("😀", claudecode.ContextLimit/2)+"x", save)
	require.NoError(t, err)
	require.Contains(t, got, "/kept")
	require.Less(t, len(got), 3000)
	_, err = claudecode.Spill(fits+"x", func(string) (string, error) { return "", errors.New("full") })
	require.ErrorContains(t, err, "full")
}

func TestEvents(t *testing.T) {
	t.Parallel()
	require.Len(t, claudecode.Events(), 34)
}

func FuzzParse(f *testing.F) {
	f.Add("PreToolUse", 0, []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`), []byte(""))
	f.Fuzz(func(t *testing.T, event string, exit int, stdout, stderr []byte) {
		o := dialect.Parse(event, hookproto.Result{Exit: exit, Stdout: stdout, Stderr: stderr})
		require.NotEmpty(t, o.Status)
		require.Equal(t, o.Status == hookproto.StatusFailed, o.Failure != "")
	})
}
