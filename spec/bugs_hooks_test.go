package spec_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// bash is a situation of one call of Bash before which hooks run.
func bash(line string, hooks ...string) reported {
	return reported{
		event: "PreToolUse", matcher: "Bash", hooks: hooks, tool: "Bash",
		input: value.OfObject(value.Member{Key: "command", Value: value.OfString(line)}).String(),
	}
}

// specific is what a hook prints about its event.
func specific(event, fields string) string {
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + fields + `}}`
}

// denies wants the call denied with the reason.
func denies(t *testing.T, s seen, reason string) {
	t.Helper()
	require.True(t, s.result.Failed, s.text)
	require.Contains(t, s.text, reason)
	require.False(t, s.ran)
}

// goesOn wants the call to have run.
func goesOn(t *testing.T, s seen) {
	t.Helper()
	require.True(t, s.ran, s.text)
	require.Equal(t, session.EndCompleted, s.end.Kind)
}

// These tests hold mistakes that were reported of other programs, by the ids of
// spec/corpus/bugs.jsonl: what exit statuses, outputs and failures of hooks mean.
func TestReportedMistakesAboutOutputs(t *testing.T) {
	runReported(t, map[string]func(*testing.T){
		"bug-001": func(t *testing.T) { // exit 2 denies; the reason is standard error
			denies(t, bash("touch ran", prints("", "checks failed", "2")).play(t), "checks failed")
		},
		"bug-002": func(t *testing.T) { // for every tool
			r := reported{event: "PreToolUse", matcher: "Edit|Write", hooks: []string{prints("", "no", "2")}, tool: "Write", input: `{"file_path":"a","content":"x"}`}
			s := r.play(t)
			denies(t, s, "no")
			require.NotContains(t, s.files, "a")
		},
		"bug-007": func(t *testing.T) { // a script that lets pass what it cannot judge does
			r := bash("touch ran", command(`c=$(jq -r .tool_input.command) || exit 0; case "$c" in *--force*) exit 2;; esac`))
			r.env = []string{"PATH=/nonexistent"}
			goesOn(t, r.play(t))
		},
		"bug-008": func(t *testing.T) { // exit 127 is told, or denies
			r := reported{
				event: "PreToolUse", matcher: "Write", hooks: []string{command("set -e; f=$(jq -r .tool_input.file_path); exit 2")},
				tool: "Write", input: `{"file_path":"x","content":"AKIA"}`, env: []string{"PATH=/nonexistent"},
			}
			s := r.play(t)
			goesOn(t, s)
			require.Contains(t, s.told, "127")
			r.strict = true
			denies(t, r.play(t), "127")
		},
		"bug-009": func(t *testing.T) { // the same statuses everywhere
			r := reported{
				event: "PreToolUse", matcher: "Edit|Write", hooks: []string{`"type":"command","command":"sh","args":["-c","echo no >&2; exit 2"]`},
				tool: "Edit", input: `{"file_path":"a","old_string":"1","new_string":"2"}`, files: map[string]string{"project/a": "1"},
			}
			denies(t, r.play(t), "no")
		},
		"bug-010": func(t *testing.T) { // every documented way to block
			for _, out := range []string{`{"decision":"block","reason":"x"}`, specific("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"x"`)} {
				denies(t, bash("touch ran", prints(out, "", "0")).play(t), "x")
			}
			denies(t, bash("touch ran", prints("", "x", "2")).play(t), "x")
			s := bash("touch ran", prints(`{"continue":false,"stopReason":"x"}`, "", "0")).play(t)
			require.Equal(t, &session.Cause{Kind: session.CauseHook, Reason: "x"}, s.end.Cause)
			require.Equal(t, 1, s.requests)
		},
		"bug-012": func(t *testing.T) { // exit 2 denies, whatever the output says
			denies(t, bash("touch ran", prints(`{"decision":"approve"}`, "no", "2")).play(t), "no")
		},
		"bug-013": func(t *testing.T) { // output that is no JSON is told, with the hook
			s := reported{event: "Stop", hooks: []string{prints("shell ready\n"+`{"decision":"block","reason":"tests"}`, "", "0")}}.play(t)
			require.Equal(t, session.EndCompleted, s.end.Kind)
			require.Equal(t, 1, s.requests)
			require.Contains(t, s.told, "not JSON")
			require.Contains(t, s.told, "settings.json:1")
		},
	})
}

// Who reads what of a hook.
func TestReportedMistakesAboutTexts(t *testing.T) {
	runReported(t, map[string]func(*testing.T){
		"bug-016": func(t *testing.T) { // plain text is context for a prompt
			s := reported{event: "UserPromptSubmit", hooks: []string{command("echo hello")}}.play(t)
			require.Len(t, s.contexts, 1)
			require.Contains(t, s.contexts[0], "hello")
		},
		"bug-019": func(t *testing.T) { // who reads what of a hook behind a tool
			after := func(h string) seen {
				return reported{event: "PostToolUse", matcher: "Write", hooks: []string{h}, tool: "Write", input: `{"file_path":"a","content":"b"}`}.play(t)
			}
			require.Contains(t, after(prints("", "lint failed", "2")).modelSees(), "lint failed")
			require.NotContains(t, after(prints("lint passed", "", "0")).modelSees(), "lint passed")
			require.Contains(t, after(prints(`{"systemMessage":"for you"}`, "", "0")).told, "for you")
			s := after(prints("", "lint broke", "1"))
			require.Contains(t, s.told, "lint broke")
			require.NotContains(t, s.modelSees(), "lint broke")
		},
		"bug-020": func(t *testing.T) { // the reason of a block behind a tool reaches the model
			r := bash("true", prints(`{"decision":"block","reason":"E:5"}`, "", "0"))
			r.event = "PostToolUse"
			require.Contains(t, r.play(t).modelSees(), "E:5")
		},
		"bug-021": func(t *testing.T) { // a field that is not honoured is named
			r := bash("echo secret", prints(specific("PostToolUse", `"updatedToolOutput":"[redacted]"`), "", "0"))
			r.event = "PostToolUse"
			s := r.play(t)
			require.True(t, strings.Contains(s.text, "[redacted]") || strings.Contains(s.told, "updatedToolOutput"), "%s; %s", s.text, s.told)
		},
		"bug-025": func(t *testing.T) { // a start cannot be blocked, yet the text is shown
			s := reported{event: "SessionStart", hooks: []string{prints("", "bad setup", "2")}}.play(t)
			require.Equal(t, session.EndCompleted, s.end.Kind)
			require.Contains(t, s.told, "bad setup")
		},
		"bug-067": func(t *testing.T) { // continue: true is nothing new
			s := reported{event: "Stop", hooks: []string{prints(`{"continue":true,"message":"more"}`, "", "0")}}.play(t)
			require.Equal(t, session.EndCompleted, s.end.Kind)
			require.Equal(t, 1, s.requests)
		},
		"bug-176": func(t *testing.T) { // a context is kept when the tool fails
			s := bash("false", prints(specific("PreToolUse", `"additionalContext":"c"`), "", "0")).play(t)
			require.True(t, s.result.Failed)
			require.Contains(t, strings.Join(s.contexts, "\n"), "c")
		},
	})
}

// How hooks, guards and questions stand to each other, and what is judged.
func TestReportedMistakesAboutOrder(t *testing.T) {
	allow := prints(specific("PreToolUse", `"permissionDecision":"allow"`), "", "0")
	ask := prints(specific("PreToolUse", `"permissionDecision":"ask"`), "", "0")
	runReported(t, map[string]func(*testing.T){
		"bug-026": func(t *testing.T) { // a halt is kept when the tool fails, as the hook's
			r := bash("false", prints(`{"continue":false,"stopReason":"halt"}`, "", "0"))
			s := r.play(t)
			require.Equal(t, &session.Cause{Kind: session.CauseHook, Reason: "halt"}, s.end.Cause)
			r.event = "PostToolUse" // of a call that succeeds
			r.input = `{"command":"true"}`
			s = r.play(t)
			require.Equal(t, &session.Cause{Kind: session.CauseHook, Reason: "halt"}, s.end.Cause)
		},
		"bug-056": func(t *testing.T) { // a rewrite that the tool's schema refuses does not run
			s := bash("touch ran", prints(specific("PreToolUse", `"updatedInput":{"dangerouslyDisableSandbox":true}`), "", "0")).play(t)
			require.False(t, s.ran)
			require.True(t, s.result.Failed)
		},
		"bug-058": func(t *testing.T) { // all run, and the strictest decides
			deny := func(reason, file string) string {
				return command("touch " + file + "; echo '" + specific("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"`+reason+`"`) + "'")
			}
			s := bash("touch ran", command("touch a; echo '"+specific("PreToolUse", `"permissionDecision":"allow"`)+"'"), deny("one", "d1"), deny("two", "d2")).play(t)
			require.True(t, s.result.Failed)
			require.False(t, s.ran)
			require.Regexp(t, "one|two", s.text)
			for _, name := range []string{"a", "d1", "d2"} {
				require.Contains(t, s.files, name)
			}
		},
		"bug-061": func(t *testing.T) { // a guard's no is not lifted by a hook's yes
			r := bash("touch ran", allow)
			r.guard = true
			denies(t, r.play(t), "guarded")
		},
		"bug-062": func(t *testing.T) { // nobody is asked about what a policy denies
			r := bash("touch ran", ask)
			r.policy = true
			s := r.play(t)
			denies(t, s, "not by policy")
			require.False(t, s.asked)
			// A guard comes behind the question, as recorded (P-045 of pipeline), and its no
			// holds against the user's yes.
			r.policy, r.guard, r.yes = false, true, true
			s = r.play(t)
			denies(t, s, "guarded")
			require.True(t, s.asked)
		},
	})
}

// Nobody is left out, and nobody goes on for ever.
func TestReportedMistakesAboutWhoIsAsked(t *testing.T) {
	runReported(t, map[string]func(*testing.T){
		"bug-090": func(t *testing.T) { // a stop that was blocked once, and is not again, stops
			s := reported{event: "Stop", hooks: []string{command(`grep -q '"stop_hook_active":true' && exit 0; echo more >&2; exit 2`)}}.play(t)
			require.Equal(t, session.EndCompleted, s.end.Kind)
			require.Equal(t, 2, s.requests)
			// One that blocks for ever is stopped in the end.
			s = reported{event: "Stop", hooks: []string{prints("", "more", "2")}}.play(t)
			require.Less(t, s.requests, 20)
		},
		"bug-092": func(t *testing.T) { // calls of subagents are no exception
			read := model.Reply{Calls: []session.ToolCall{{ID: "2", Tool: "Read", Arguments: value.MustFrom(map[string]any{"file_path": "a.ts"})}}}
			r := reported{
				event: "PreToolUse", matcher: "Read", hooks: []string{prints("", "not for you", "2")}, files: map[string]string{"project/a.ts": "x"},
				tool: "Task", input: `{"description":"d","prompt":"LOOK","subagent_type":"Explore"}`, children: map[string][]model.Reply{"LOOK": {read, {Text: "done"}}},
			}
			s := r.play(t)
			require.Equal(t, []string{"1"}, s.bodies) // the task, and nothing below it
			require.Contains(t, s.shown, "not for you")
		},
		"bug-097": func(t *testing.T) { // no line is too innocent for a hook
			denies(t, bash("cd . && cat .env", prints("", "", "2")).play(t), "")
		},
	})
}
