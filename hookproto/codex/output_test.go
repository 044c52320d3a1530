package codex_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/codex"
)

func says(text string) hookproto.Result { return hookproto.Result{Stdout: []byte(text)} }

func parse(event, text string) hookproto.Output { return codex.Dialect{}.Parse(event, says(text)) }

// specific is an output with fields of hookSpecificOutput, and more at the top.
func specific(event, fields, top string) string {
	return fmt.Sprintf(`{%s"hookSpecificOutput":{"hookEventName":%q%s}}`, top, event, fields)
}

// The rows are what the client did with each output.
func TestOutputs(t *testing.T) {
	const pre, post, prompt = "PreToolUse", "PostToolUse", "UserPromptSubmit"
	tests := []struct {
		event, text string
		status      hookproto.Status
		system      string
	}{
		{pre, `[]`, hookproto.StatusFailed, ""},
		{pre, `[true]`, hookproto.StatusFailed, ""},
		{pre, specific(pre, `,"permissionDecisionReason":"r"`, ""), hookproto.StatusFailed, ""},
		{pre, specific(pre, `,"permissionDecisionReason":null`, ""), hookproto.StatusCompleted, ""},
		{pre, specific(pre, `,"updatedInput":null`, ""), hookproto.StatusCompleted, ""},
		{pre, specific(pre, `,"permissionDecision":"ask"`, `"systemMessage":"SYS",`), hookproto.StatusFailed, "SYS"},
		{pre, `{"systemMessage":"SYS","x":1}`, hookproto.StatusFailed, ""},
		{pre, `{"suppressOutput":null}`, hookproto.StatusFailed, ""},
		{pre, `{"suppressOutput":false}`, hookproto.StatusCompleted, ""},
		{pre, `{"stopReason":null}`, hookproto.StatusCompleted, ""},
		{pre, `{"stopReason":""}`, hookproto.StatusFailed, ""},
		{pre, specific("SessionEnd", "", ""), hookproto.StatusFailed, ""},
		{pre, specific("PreModelRequest", "", ""), hookproto.StatusFailed, ""},
		{pre, specific("Interrupt", "", ""), hookproto.StatusCompleted, ""},
		{pre, `{"hookSpecificOutput":{}}`, hookproto.StatusFailed, ""},
		{pre, `{"hookSpecificOutput":["PreToolUse"]}`, hookproto.StatusCompleted, ""},
		{pre, `{"hookSpecificOutput":["PreToolUse","deny","R"]}`, hookproto.StatusBlocked, ""},
		{pre, `{"hookSpecificOutput":"PreToolUse"}`, hookproto.StatusFailed, ""},
		{pre, specific(pre, `,"permissionDecision":"deny","permissionDecisionReason":"R"`, `"decision":"approve",`), hookproto.StatusBlocked, ""},
		{pre, specific(pre, `,"permissionDecision":"allow","updatedInput":{"n":1e999}`, `"decision":"block","reason":"R",`), hookproto.StatusCompleted, ""},
		{pre, specific(pre, `,"permissionDecision":null`, `"decision":"block","reason":"R",`), hookproto.StatusBlocked, ""},
		{pre, `{"reason":""}`, hookproto.StatusFailed, ""},
		{pre, `{"decision":null,"reason":"R"}`, hookproto.StatusFailed, ""},
		{pre, specific(pre, `,"permissionDecision":"allow","updatedInput":`+strings.Repeat("[", 130)+strings.Repeat("]", 130), ""), hookproto.StatusFailed, ""},
		{pre, `{"systemMessage":"\ud800"}`, hookproto.StatusFailed, ""},
		{pre, `{"systemMessage":"a\u0000b"}`, hookproto.StatusCompleted, "a\x00b"},
		{pre, "\f\u00a0" + `{"systemMessage":"SYS"}`, hookproto.StatusCompleted, "SYS"},
		{prompt, `{"decision":"block","systemMessage":"SYS"}`, hookproto.StatusFailed, "SYS"},
		{prompt, `{"continue":false,"systemMessage":"SYS"}`, hookproto.StatusStopped, "SYS"},
		{prompt, `{"continue":false,"decision":"block"}`, hookproto.StatusStopped, ""},
		{prompt, `{"reason":""}`, hookproto.StatusCompleted, ""},
		{post, `{"continue":false,"suppressOutput":true}`, hookproto.StatusStopped, ""},
		{post, `{"continue":false,"decision":"block"}`, hookproto.StatusStopped, ""},
		{post, specific(post, `,"updatedMCPToolOutput":1`, `"continue":false,`), hookproto.StatusStopped, ""},
		{post, `{"reason":""}`, hookproto.StatusFailed, ""},
		{"Stop", `{"continue":false,"decision":"block"}`, hookproto.StatusStopped, ""},
		{"Nothing", `{}`, hookproto.StatusFailed, ""},
	}
	for _, test := range tests {
		t.Run(test.event+" "+test.text[:min(60, len(test.text))], func(t *testing.T) {
			o := parse(test.event, test.text)
			require.Equal(t, test.status, o.Status, o.Failure)
			require.Equal(t, test.system, o.SystemMessage)
		})
	}
}

func TestEnds(t *testing.T) {
	block := []byte(`{"decision":"block","reason":"R"}`)
	for name, r := range map[string]hookproto.Result{
		"timed out": {Stdout: block, TimedOut: true},
		"canceled":  {Stdout: block, Canceled: true},
		"signal":    {Stdout: block, Exit: -1, Signal: "SIGKILL"},
		"no start":  {Stdout: block, Exit: -1, Err: errors.New("no such file")},
		"status":    {Stdout: block, Exit: 1},
		"no reason": {Stdout: block, Exit: 2, Stderr: []byte(" \n")},
	} {
		t.Run(name, func(t *testing.T) {
			o := codex.Dialect{}.Parse("PreToolUse", r)
			require.Equal(t, hookproto.StatusFailed, o.Status)
			require.NotEmpty(t, o.Failure)
			require.Empty(t, o.Decision)
		})
	}
	o := codex.Dialect{}.Parse("PreToolUse", hookproto.Result{Exit: 2, Stderr: []byte(" caf\xe9 \xe2\x82 x\n")})
	require.Equal(t, "caf\ufffd \ufffd x", o.Reason)
}

// completed is a handler with its place and when it finished.
func completed(configured, rank int, event, text string) hookproto.Completed {
	return hookproto.Completed{Configured: configured, Rank: rank, Output: parse(event, text)}
}

func rewriting(to string) string {
	return specific("PreToolUse", `,"permissionDecision":"allow","updatedInput":{"command":"`+to+`"}`, "")
}

func TestFoldPreToolUse(t *testing.T) {
	d := codex.Dialect{}
	o := d.Fold("PreToolUse", []hookproto.Completed{
		completed(1, 0, "PreToolUse", rewriting("fast")), completed(0, 1, "PreToolUse", rewriting("slow")),
	})
	require.Equal(t, hookproto.Allow, o.Decision)
	require.JSONEq(t, `{"command":"slow"}`, string(o.UpdatedInput))
	require.Equal(t, 0, o.InputBy)

	o = d.Fold("PreToolUse", []hookproto.Completed{
		completed(0, 2, "PreToolUse", rewriting("x")),
		completed(1, 1, "PreToolUse", specific("PreToolUse", `,"additionalContext":"C"`, `"decision":"block","reason":"first",`)),
		completed(2, 0, "PreToolUse", `{"decision":"block","reason":"second"}`),
		completed(3, 3, "PreToolUse", `{"x":1}`),
		completed(4, 4, "PreToolUse", specific("PreToolUse", `,"additionalContext":"D"`, "")),
	})
	require.Equal(t, hookproto.Deny, o.Decision)
	require.Equal(t, "first", o.Reason)
	require.Equal(t, 1, o.By)
	require.Nil(t, o.UpdatedInput)
	require.Equal(t, []hookproto.Text{{By: 1, Text: "C"}, {By: 4, Text: "D"}}, o.Contexts)
	require.Len(t, o.Failures, 1)
}

func TestFoldOthers(t *testing.T) {
	d := codex.Dialect{}
	block := func(reason string) string { return `{"decision":"block","reason":"` + reason + `"}` }
	o := d.Fold("PostToolUse", []hookproto.Completed{
		completed(1, 0, "PostToolUse", block("B")), completed(0, 1, "PostToolUse", block("A")),
		completed(2, 2, "PostToolUse", `{"continue":false,"stopReason":"S"}`),
	})
	require.Equal(t, "A\n\nB\n\nS", o.Reason)
	require.False(t, o.Halt, "the turn goes on")

	o = d.Fold("Stop", []hookproto.Completed{completed(0, 0, "Stop", block("A")), completed(1, 1, "Stop", block("B"))})
	require.Equal(t, hookproto.Block, o.Decision)
	require.Equal(t, []hookproto.Text{{By: 0, Text: "A"}, {By: 1, Text: "B"}}, o.Blocks)

	o = d.Fold("Stop", []hookproto.Completed{completed(0, 0, "Stop", block("A")), completed(1, 1, "Stop", `{"continue":false,"stopReason":"S"}`)})
	require.True(t, o.Halt)
	require.Equal(t, "S", o.HaltReason)
	require.Empty(t, o.Decision)

	allow := specific("PermissionRequest", `,"decision":{"behavior":"allow"}`, "")
	deny := specific("PermissionRequest", `,"decision":{"behavior":"deny","message":" NO "}`, "")
	o = d.Fold("PermissionRequest", []hookproto.Completed{completed(0, 0, "PermissionRequest", allow), completed(1, 1, "PermissionRequest", deny)})
	require.Equal(t, hookproto.Deny, o.Decision)
	require.Equal(t, "NO", o.Reason)

	o = d.Fold("UserPromptSubmit", []hookproto.Completed{completed(0, 1, "UserPromptSubmit", "cA"), completed(1, 0, "UserPromptSubmit", " cB\n")})
	require.Equal(t, []hookproto.Text{{By: 0, Text: "cA", Plain: true}, {By: 1, Text: "cB", Plain: true}}, o.Contexts)

	o = d.Fold("SubagentStart", []hookproto.Completed{completed(0, 0, "SubagentStart", `{"continue":false}`)})
	require.False(t, o.Halt)
	require.Equal(t, hookproto.Outcome{By: -1, InputBy: -1, OutputBy: -1, HaltBy: -1}, d.Fold("Stop", nil))
}

func TestSpill(t *testing.T) {
	require.False(t, codex.Spills(strings.Repeat("a", 10_000), -1))
	require.True(t, codex.Spills(strings.Repeat("a", 10_001), -1))
	require.False(t, codex.Spills(strings.Repeat("a", 1_000_000), 0))
	require.True(t, codex.Spills("aaaaa", 1))
	require.Equal(t, "aaaa", codex.Spilled("aaaa", 1, "f"))
	text := strings.Repeat("é", 10_000) + "a"
	short := codex.Spilled(text, 11, "/tmp/full.txt")
	require.True(t, strings.HasPrefix(short, strings.Repeat("é", 11)+"\n[") && strings.Contains(short, "]\n"+strings.Repeat("é", 10)+"a\n"), short)
	require.Contains(t, short, "/tmp/full.txt")
	require.NotContains(t, short, "\ufffd")
	require.Equal(t, strings.ToValidUTF8(short, "?"), short)
}

func TestPrompt(t *testing.T) {
	require.Equal(t, `<hook_prompt hook_run_id="subagent-stop:3:/p/.codex/hooks.json">again &lt;b&gt;&amp;amp; "q"</hook_prompt>`,
		codex.Prompt(codex.RunID("SubagentStop", 3, "/p/.codex/hooks.json"), `again <b>&amp; "q"`))
}

// Whatever a hook writes, parsing is total, and a failed run decides nothing.
func FuzzOutput(f *testing.F) {
	f.Add("PreToolUse", `{"decision":"block","reason":"R"}`, "", 0)
	f.Add("Stop", "text", "why", 2)
	f.Add("PermissionRequest", specific("PermissionRequest", `,"decision":{"behavior":"deny"}`, ""), "", 0)
	f.Add("PostToolUse", `{"hookSpecificOutput":["PostToolUse","C"]}`, "", 0)
	f.Fuzz(func(t *testing.T, event, stdout, stderr string, exit int) {
		r := hookproto.Result{Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr)}
		o := codex.Dialect{}.Parse(event, r)
		folded := codex.Dialect{}.Fold(event, []hookproto.Completed{{Result: r, Output: o}})
		if o.Status == hookproto.StatusFailed && (o.Failure == "" || folded.Decision != "" || folded.Contexts != nil || folded.Halt) {
			t.Fatalf("a failed run counts: %+v", o)
		}
	})
}

// Whatever a file holds, loading it is total, and what is refused registers
// nothing.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(guard), false)
	f.Add([]byte("[[hooks.Stop]]\nhooks=[{type=\"command\",command=\"y\",timeout=1_0}]\n"), true)
	f.Add([]byte("[hooks.state.a]\nenabled=true\n[features]\nhooks=false"), true)
	f.Fuzz(func(t *testing.T, data []byte, toml bool) {
		file := hooksJSON(string(data))
		if toml {
			file = configTOML(string(data))
		}
		c := codex.Load([]codex.File{file}, codex.Options{})
		if dropped(c) && len(c.Hooks) > 0 {
			t.Fatal("a refused file registers hooks")
		}
		codex.Load([]codex.File{file}, codex.Options{Lenient: true})
	})
}
