package claudecode_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

var bash = before("Bash", `{"command":"ls"}`)

func contexts(texts ...string) (list []session.Context) {
	for _, s := range texts {
		list = append(list, session.Context{Text: s})
	}
	return list
}

func rewrite(arguments, reason string) policy {
	return func(in *point.Installer) {
		tool.OnRewrite.Handle(in, func(context.Context, tool.Proposal, point.Next[tool.Rewriting]) (tool.Rewriting, error) {
			v, err := value.ParseString(arguments)
			return tool.Rewrite{Arguments: v, Reason: reason}, err
		})
	}
}

func forbid(in *point.Installer) {
	tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) {
		return tool.Forbid{Reason: "never"}, nil
	})
}

// live does something to the session and allows the call.
func live(do func(session.Live) error) policy {
	return func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
			if err := do(c.Live); err != nil {
				return nil, err
			}
			return next(ctx)
		})
	}
}

func halt(l session.Live) error { return l.Halt("enough") }

func picture(l session.Live) error {
	return l.Inject(session.Message{Role: session.RoleUser, Content: []session.Part{session.Image{MediaType: "image/png", Data: "AA=="}}})
}

const specific = `{"hookSpecificOutput":{"hookEventName":"PreToolUse",`

var answers = []struct {
	name     string
	policies []policy
	want     string // without the line feed
}{
	{"nobody", []policy{nobody}, ""},
	{"allow", []policy{pre(tool.Allow{})}, ""},
	{
		"allow with contexts",
		[]policy{pre(tool.Allow{Contexts: contexts("a <&> b", "", "c")})},
		specific + `"additionalContext":"a <&> b\nc"}}`,
	},
	{"preapproved", []policy{pre(tool.Allow{Preapproved: true})}, specific + `"permissionDecision":"allow"}}`},
	{
		"deny",
		[]policy{pre(tool.Deny{Reason: "no \"shell\" <here> – \u2028ok\n"})},
		specific + "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no \\\"shell\\\" <here> – \u2028ok\\n\"}}",
	},
	{
		"deny without a reason",
		[]policy{pre(tool.Deny{Reason: " \n"})},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"denied by a policy that gives no reason"}}`,
	},
	{
		"deny with contexts",
		[]policy{pre(tool.Deny{Reason: "no", Contexts: contexts("try git push")})},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"try git push"}}`,
	},
	{"ask", []policy{pre(tool.Ask{Reason: "sure?"})}, specific + `"permissionDecision":"ask","permissionDecisionReason":"sure?"}}`},
	{
		"ask without a reason",
		[]policy{pre(tool.Ask{})},
		specific + `"permissionDecision":"ask","permissionDecisionReason":"a policy asks for approval and gives no reason"}}`,
	},
	{"forbid", []policy{forbid}, specific + `"permissionDecision":"deny","permissionDecisionReason":"never"}}`},
	{
		"forbid what was preapproved",
		[]policy{pre(tool.Allow{Preapproved: true, Contexts: contexts("c")}), forbid},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"never","additionalContext":"c"}}`,
	},
	{
		"forbid what would be asked",
		[]policy{pre(tool.Ask{Reason: "sure?"}), forbid},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"never"}}`,
	},
	{
		"rewrite",
		[]policy{rewrite(`{"command":"ls -l","n":12345678901234567890}`, "")},
		specific + `"updatedInput":{"command":"ls -l","n":12345678901234567890}}}`,
	},
	{
		"rewrite with a reason and a context",
		[]policy{rewrite(`{"command":"ls -l"}`, "long is better"), pre(tool.Allow{Contexts: contexts("c")})},
		specific + `"updatedInput":{"command":"ls -l"},"additionalContext":"long is better\nc"}}`,
	},
	{
		"rewrite and ask",
		[]policy{rewrite(`{"command":"ls -l"}`, ""), pre(tool.Ask{Reason: "sure?"})},
		specific + `"permissionDecision":"ask","permissionDecisionReason":"sure?","updatedInput":{"command":"ls -l"}}}`,
	},
	{
		"rewrite and preapprove",
		[]policy{rewrite(`{"command":"ls -l"}`, ""), pre(tool.Allow{Preapproved: true})},
		specific + `"permissionDecision":"allow","updatedInput":{"command":"ls -l"}}}`,
	},
	{
		"rewrite and deny",
		[]policy{rewrite(`{"command":"ls -l"}`, "long is better"), pre(tool.Deny{Reason: "no"})},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"no"}}`,
	},
	{
		"rewrite to no object",
		[]policy{rewrite(`"ls"`, "")},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"dsh denies this call because it could not be judged: tools/rewrite: extension policy: decision: rewrite.arguments: want an object, got string"}}`,
	},
	{"tell", []policy{live(func(l session.Live) error { return errors.Join(l.Tell("a"), l.Tell("b")) })}, `{"systemMessage":"a\nb"}`},
	{"inject", []policy{live(func(l session.Live) error { return l.Inject(session.FromExtension("x", "note")) })}, specific + `"additionalContext":"note"}}`},
	{
		"inject a picture",
		[]policy{live(picture)},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"dsh denies this call because it could not be judged: inject: this client's hooks can only inject text"}}`,
	},
	{
		"steer",
		[]policy{live(func(l session.Live) error { return l.Steer(session.FromExtension("x", "note")) })},
		specific + `"permissionDecision":"deny","permissionDecisionReason":"dsh denies this call because it could not be judged: tools/pre-execute: extension policy: steer: this client cannot do that"}}`,
	},
	{
		"halt",
		[]policy{live(halt)},
		`{"continue":false,"stopReason":"enough",` + specific[1:] + `"permissionDecision":"deny","permissionDecisionReason":"enough"}}`,
	},
	{
		"halt, tell and deny",
		[]policy{live(halt), live(func(l session.Live) error { return l.Tell("t") }), pre(tool.Deny{Reason: "no"})},
		`{"continue":false,"stopReason":"enough","systemMessage":"t",` + specific[1:] + `"permissionDecision":"deny","permissionDecisionReason":"no"}}`,
	},
	{
		"halt beats preapproved and rewrite",
		[]policy{rewrite(`{"command":"x"}`, "r"), live(halt), pre(tool.Allow{Preapproved: true, Contexts: contexts("c")})},
		`{"continue":false,"stopReason":"enough",` + specific[1:] + `"permissionDecision":"deny","permissionDecisionReason":"enough","additionalContext":"c"}}`,
	},
}

func TestPreToolUse(t *testing.T) {
	for _, test := range answers {
		t.Run(test.name, func(t *testing.T) { checkReply(t, explain(t, bash, test.policies...).Reply, test.want) })
	}
}

func checkReply(t *testing.T, r host.Reply, want string) {
	t.Helper()
	if want != "" {
		want += "\n"
	}
	require.Equal(t, want, string(r.Stdout))
	require.Empty(t, string(r.Stderr))
	require.Zero(t, r.Exit)
}

// What is judged is the call as it would run.
func TestRewrittenCallIsJudged(t *testing.T) {
	var judged, guarded tool.Call
	served := explain(t, before("Write", `{"file_path":"a","content":"x"}`),
		rewrite(`{"file_path":"../b","content":"y"}`, ""),
		func(in *point.Installer) {
			tool.PreExecute.Handle(in, func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
				judged = c
				return next(ctx)
			})
			tool.OnGuard.Handle(in, func(_ context.Context, c tool.Call) (tool.GuardDecision, error) {
				guarded = c
				return tool.Abstain{}, nil
			})
		})
	require.NoError(t, served.Fault)
	require.Equal(t, "c1", judged.ID)
	require.Equal(t, parsed(`{"file_path":"../b","content":"y"}`), judged.Arguments)
	require.Equal(t, tool.Write{Files: file("/home/dev/b", tool.ChangeWrite)}, judged.Action)
	require.Equal(t, judged, guarded)
	require.Equal(t, judged.Arguments, served.Rewritten)
}

// A refusal is the last word: no later point is asked.
func TestRefusalEndsTheAsking(t *testing.T) {
	asked := policy(func(in *point.Installer) {
		tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) {
			t.Error("the guard was asked about a denied call")
			return tool.Abstain{}, nil
		})
	})
	served := explain(t, bash, pre(tool.Deny{Reason: "no"}), asked)
	require.Equal(t, tool.Deny{Reason: "no"}, served.Decision)
	require.Equal(t, tool.PreExecute, served.Point)
	served = explain(t, bash, forbid)
	require.Equal(t, tool.Forbid{Reason: "never"}, served.Decision)
	require.Equal(t, tool.OnGuard, served.Point)
}

func TestUnlistedToolIsSaid(t *testing.T) {
	served := explain(t, before("Teleport", `{}`), pre(tool.Deny{Reason: "unlisted"}))
	require.Contains(t, string(served.Reply.Stdout), `"deny"`)
	require.Equal(t, "dsh: claude-code: \"Teleport\" is not in the table of tools: its action is other\n", string(served.Reply.Stderr))
	require.Zero(t, served.Reply.Exit)
}
