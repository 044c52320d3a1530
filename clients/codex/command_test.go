package codex_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

const (
	bash     = `{"session_id":"s1","turn_id":"t1","cwd":"/home/dev/app","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c1"}`
	mcp      = `{"session_id":"s1","turn_id":"t1","cwd":"/home/dev/app","hook_event_name":"PreToolUse","tool_name":"mcp__a__b","tool_input":{},"tool_use_id":"c1"}`
	ranBash  = `{"session_id":"s1","turn_id":"t1","cwd":"/home/dev/app","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"secret","tool_use_id":"c1"}`
	specific = `{"hookSpecificOutput":{"hookEventName":"PreToolUse",`
	unjudged = `"permissionDecision":"deny","permissionDecisionReason":"dsh denies this call because it could not be judged: `
)

func object(key, text string) value.Value {
	return value.OfObject(value.Member{Key: key, Value: value.OfString(text)})
}

const note = "dsh: codex: a hook of this client cannot preapprove a call: its user may be asked\n"

var longer = rewrite(tool.Rewrite{Arguments: object("command", "ls -l"), Reason: "long is better"})

var answers = []struct {
	name, stdin string
	policies    []policy
	want, note  string
}{
	{"nobody", bash, nil, "", ""},
	{"allow", bash, []policy{pre(tool.Allow{})}, "", ""},
	{"allow with contexts", bash, []policy{pre(tool.Allow{Contexts: contexts("a <&>", " ", "b")})}, specific + `"additionalContext":"a <&>\nb"}}`, ""},
	{"preapproved", bash, []policy{pre(tool.Allow{Preapproved: true})}, "", note},
	{"deny", bash, []policy{pre(tool.Deny{Reason: "no"})}, specific + `"permissionDecision":"deny","permissionDecisionReason":"no"}}`, ""},
	{
		"deny without a reason", bash,
		[]policy{pre(tool.Deny{Reason: "\u00a0\n"})},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"denied by a policy that gives no reason"}}`, "",
	},
	{
		"deny with contexts", bash,
		[]policy{pre(tool.Deny{Reason: "no", Contexts: contexts("c")})},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"c"}}`, "",
	},
	{
		"ask", bash,
		[]policy{pre(tool.Ask{Reason: "sure?"})},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"this call needs approval, and a hook of this client cannot ask for it: sure?"}}`, "",
	},
	{
		"ask without a reason", bash,
		[]policy{pre(tool.Ask{})},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"this call needs approval, and a hook of this client cannot ask for it: a policy asks for approval and gives no reason"}}`, "",
	},
	{
		"rewrite", bash,
		[]policy{longer},
		specific + `"permissionDecision":"allow","updatedInput":{"command":"ls -l"},"additionalContext":"long is better"}}`, "",
	},
	{"rewrite and deny", bash, []policy{longer, pre(tool.Deny{Reason: "no"})}, specific + `"permissionDecision":"deny","permissionDecisionReason":"no"}}`, ""},
	{
		"rewrite and ask", bash,
		[]policy{longer, pre(tool.Ask{Reason: "sure?"})},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"this call needs approval, and a hook of this client cannot ask for it: sure?","additionalContext":"long is better"}}`, "",
	},
	{
		"rewrite without a command", bash,
		[]policy{rewrite(tool.Rewrite{Arguments: object("cmd", "ls")})},
		specific + unjudged + `tools/rewrite: rewrite.arguments: command: want a string, got nothing"}}`, "",
	},
	{
		"rewrite to a text", bash,
		[]policy{rewrite(tool.Rewrite{Arguments: value.OfString("ls")})},
		specific + unjudged + `tools/rewrite: extension policy: decision: rewrite.arguments: want an object, got string"}}`, "",
	},
	{
		"rewrite of another tool", mcp,
		[]policy{rewrite(tool.Rewrite{Arguments: object("any", "x")})},
		specific + `"permissionDecision":"allow","updatedInput":{"any":"x"}}}`, "",
	},
	{"tell and inject", bash, []policy{live(func(l session.Live) error {
		if err := l.Tell("human"); err != nil {
			return err
		}
		return l.Inject(session.FromExtension("x", "model"))
	})}, `{"systemMessage":"human",` + specific[1:] + `"additionalContext":"model"}}`, ""},
	{
		"halt", bash,
		[]policy{live(func(l session.Live) error { return l.Halt("enough") })},
		specific + unjudged + `tools/pre-execute: extension policy: halt: this client cannot do that"}}`, "",
	},
	{
		"steer", bash,
		[]policy{live(func(l session.Live) error { return l.Steer(session.FromExtension("x", "y")) })},
		specific + unjudged + `tools/pre-execute: extension policy: steer: this client cannot do that"}}`, "",
	},
}

func TestPreToolUse(t *testing.T) {
	for _, test := range answers {
		t.Run(test.name, func(t *testing.T) { check(t, test.stdin, test.policies, test.want, test.note) })
	}
}

func check(t *testing.T, stdin string, policies []policy, want, note string) {
	t.Helper()
	if want != "" {
		want += "\n"
	}
	r := explain(t, stdin, policies...).Reply
	require.Equal(t, want, string(r.Stdout))
	require.Equal(t, note, string(r.Stderr))
	require.Zero(t, r.Exit)
}

func TestPostToolUse(t *testing.T) {
	const withheld = `{"decision":"block","reason":"dsh withholds this result because it could not be judged: `
	for _, test := range []struct {
		name   string
		policy policy
		want   string
	}{
		{"accept", post(tool.Accept{}), ""},
		{"accept with contexts", post(tool.Accept{Contexts: contexts("c", "d")}), `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c\nd"}}`},
		{"block", post(tool.Block{Feedback: texts("no", "way")}), `{"decision":"block","reason":"no\nway"}`},
		{
			"block with contexts", post(tool.Block{Feedback: texts("no"), Contexts: contexts("c")}),
			`{"decision":"block","reason":"no","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}`,
		},
		{"block without feedback", post(tool.Block{}), `{"decision":"block","reason":"the result is withheld by a policy that gives no reason"}`},
		{"content", post(tool.Accept{Content: texts("seen")}), `{"decision":"block","reason":"seen"}`},
		{"no content", post(tool.Accept{Content: []session.Part{}}), `{"decision":"block","reason":"(nothing is shown of this result)"}`},
		{"blank content", post(tool.Accept{Content: texts(" ")}), `{"decision":"block","reason":"(nothing is shown of this result)"}`},
		{"value", post(tool.Accept{Value: object("a", "b")}), `{"decision":"block","reason":"{\"a\":\"b\"}"}`},
		{"text value", post(tool.Accept{Value: value.OfString("seen")}), `{"decision":"block","reason":"seen"}`},
		{"null", post(tool.Accept{Value: value.NullValue()}), `{"decision":"block","reason":"null"}`},
		{
			"a picture", post(tool.Accept{Content: []session.Part{session.Image{}}}),
			withheld + `accept.content: a hook of this client can only put text in place of a result"}`,
		},
		{
			"halt", live(func(l session.Live) error { return l.Halt("enough") }),
			withheld + `tools/post-execute: extension policy: halt: this client cannot do that"}`,
		},
		{"tell", live(func(l session.Live) error { return l.Tell("human") }), `{"systemMessage":"human"}`},
	} {
		t.Run(test.name, func(t *testing.T) { check(t, ranBash, []policy{test.policy}, test.want, "") })
	}
}

// bug-107: a policy that denies what it does not list sees the client's own name
// of the tool, and a name that nobody knows.
func TestBug107(t *testing.T) {
	listed := map[string]tool.PreDecision{"shell": tool.Allow{}}
	table := policy(func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(_ context.Context, c tool.Call, _ tool.PreNext) (tool.PreDecision, error) {
			if d, ok := listed[c.Tool]; ok {
				return d, nil
			}
			return tool.Deny{Reason: "unlisted: " + c.Tool}, nil
		})
	})
	const stdin = `{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"/home/dev/app","tool_name":"Bash","tool_input":{"command":"git status"}}`
	check(t, stdin, []policy{table}, specific+`"permissionDecision":"deny","permissionDecisionReason":"unlisted: Bash"}}`, "")
	const unknown = `{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"/home/dev/app","tool_name":"exec_command","tool_input":{"cmd":"git status"}}`
	check(t, unknown, []policy{table}, specific+`"permissionDecision":"deny","permissionDecisionReason":"unlisted: exec_command"}}`,
		"dsh: codex: \"exec_command\" is not in the table of tools: its action is other\n")
}

// Every mix of answers and effects is one that the client takes.
func TestEveryAnswerIsTaken(t *testing.T) {
	blanks := []string{"", " ", "\n", "x", "\x00", "\xff", "a\nb"}
	tell := live(func(l session.Live) error { return l.Tell("t") })
	inject := live(func(l session.Live) error { return l.Inject(session.FromExtension("e", " ")) })
	changed := rewrite(tool.Rewrite{Arguments: object("command", "x")})
	for _, s := range blanks {
		for _, d := range []tool.PreDecision{
			tool.Allow{},
			tool.Allow{Preapproved: true},
			tool.Allow{Contexts: contexts(s)},
			tool.Deny{Reason: s},
			tool.Deny{Reason: s, Contexts: contexts(s, s)},
			tool.Ask{Reason: s},
			tool.Ask{Contexts: contexts(s)},
		} {
			for _, with := range [][]policy{nil, {tell}, {inject}, {changed}, {changed, tell, inject}} {
				explain(t, bash, append(with, pre(d))...)
			}
		}
		for _, d := range []tool.PostDecision{
			tool.Accept{},
			tool.Accept{Contexts: contexts(s)},
			tool.Accept{Content: texts(s)},
			tool.Accept{Value: value.OfString(s)},
			tool.Block{Feedback: texts(s)},
			tool.Block{Contexts: contexts(s)},
		} {
			for _, with := range [][]policy{nil, {tell}, {inject}, {tell, inject}} {
				explain(t, ranBash, append(with, post(d))...)
			}
		}
	}
}
