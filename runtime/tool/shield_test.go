package tool_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A reader holds what it is shown to what there is to see, and then writes over
// a part of it.
type reader struct {
	t      *testing.T
	writes string
	seen   map[string]int
}

// written lists what a reader may write over.
var written = []string{"a file", "the agent", "content", "content within content", "a context"}

func (r reader) call(phase string, c tool.Call) {
	r.seen[phase]++
	files := c.Action.(tool.Edit).Files
	require.Equal(r.t, []tool.File{{Path: "/a"}, {Path: "/b"}}, files, phase)
	require.Equal(r.t, &session.AgentRef{ID: "child"}, c.Session.Agent, phase)
	switch r.writes {
	case "a file":
		files[1].Change = tool.ChangeDelete
	case "the agent":
		c.Session.Agent.ID = "forged"
	}
}

func (r reader) done(phase string, d tool.Done) {
	r.call(phase, d.Call)
	s := d.Result.(tool.Success)
	inner := []session.Part{session.Text{Text: "inner"}}
	require.Equal(r.t, []session.Part{session.Text{Text: "text"}, session.ToolResult{Call: "1", Content: inner}}, s.Content, phase)
	require.Equal(r.t, []session.Context{{Text: "note", Extension: "t"}}, s.Contexts, phase)
	switch r.writes {
	case "content":
		s.Content[0], s.Content[1] = s.Content[1], session.ToolResult{Call: "2"}
	case "content within content":
		s.Content[1].(session.ToolResult).Content[0] = session.Text{Text: "forged"}
	case "a context":
		s.Contexts[0].Text = "forged"
	}
}

func editsTwo(value.Value) tool.Action {
	return tool.Edit{Files: []tool.File{{Path: "/a"}, {Path: "/b"}}}
}

// around calls look before and after next, as a waterfall's handler.
func around[P, D any](look func(P)) point.Handler[P, D] {
	return func(ctx context.Context, p P, next point.Next[D]) (D, error) {
		look(p)
		d, err := next(ctx)
		look(p)
		return d, err
	}
}

// TestNoHandlerReadsWhatAnotherWrote: what a handler writes into the lists that it
// is shown, before or after it asks the others, none of them sees, and neither
// does the next phase, the agent, or the caller.
func TestNoHandlerReadsWhatAnotherWrote(t *testing.T) {
	for _, writes := range written {
		t.Run(writes, func(t *testing.T) { readAll(t, reader{t, writes, map[string]int{}}) })
	}
}

func readAll(t *testing.T, look reader) {
	const handlers = 3
	r := newRig(t)
	r.scope.Session.Agent = &session.AgentRef{ID: "child"}
	r.rt.Approvals = &tool.Approvals{Approver: tool.ApproverFunc(func(_ context.Context, a tool.Approval) (tool.ApprovalDecision, error) {
		look.call("approver", a.Call)
		return tool.Grant{}, nil
	})}
	r.tool(func(_ context.Context, run *tool.Running) (any, error) {
		run.DeferContext(session.Context{Text: "note"})
		look.call("body", run.Call())
		return "x", nil
	}, func(d *tool.Definition) {
		d.Action = editsTwo
		d.Output.Render = func(value.Value, value.Value) ([]session.Part, error) {
			return []session.Part{session.Text{Text: "text"}, session.ToolResult{Call: "1", Content: []session.Part{session.Text{Text: "inner"}}}}, nil
		}
	})
	r.attach(func(in *point.Installer) {
		for range handlers {
			tool.OnRewrite.Handle(in, around[tool.Proposal, tool.Rewriting](func(p tool.Proposal) {
				look.call("rewrite", tool.Call{Action: p.Action, Session: p.Session})
			}))
			tool.PreExecute.Handle(in, around[tool.Call, tool.PreDecision](func(c tool.Call) { look.call("pre-execute", c) }))
			tool.OnApprove.Handle(in, around[tool.Approval, tool.ApprovalDecision](func(a tool.Approval) { look.call("approve", a.Call) }))
			tool.OnGuard.Handle(in, func(_ context.Context, c tool.Call) (tool.GuardDecision, error) {
				look.call("guard", c)
				return tool.Abstain{}, nil
			})
			tool.OnExecute.Handle(in, around[tool.Call, tool.Result](func(c tool.Call) { look.call("execute", c) }))
			tool.PostExecute.Handle(in, around[tool.Done, tool.PostDecision](func(d tool.Done) { look.done("post-execute", d) }))
			tool.OnResult.Handle(in, func(_ context.Context, d tool.Done) error { look.done("result", d); return nil })
		}
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return tool.Ask{}, nil })
	})
	result := r.call(t.Context(), nil).(tool.Success)
	require.Equal(t, session.Text{Text: "text"}, result.Content[0])
	require.Equal(t, "child", r.scope.Session.Agent.ID)
	require.Equal(t, map[string]int{
		"rewrite": 2 * handlers, "pre-execute": 2 * handlers, "approve": 2 * handlers, "approver": 1, "guard": handlers, "execute": 2 * handlers,
		"body": 1, "post-execute": 2 * handlers, "result": handlers,
	}, look.seen)
}

// TestAnApproverReadsNothingThatAHandlerWrote, even if there is only one.
func TestAnApproverReadsNothingThatAHandlerWrote(t *testing.T) {
	r := newRig(t)
	look := reader{t, "a file", map[string]int{}}
	r.scope.Session.Agent = &session.AgentRef{ID: "child"}
	r.rt.Approvals = &tool.Approvals{Approver: tool.ApproverFunc(func(_ context.Context, a tool.Approval) (tool.ApprovalDecision, error) {
		look.call("approver", a.Call)
		return tool.Grant{}, nil
	})}
	r.tool(returning("x"), func(d *tool.Definition) {
		d.Action = editsTwo
	})
	r.attach(func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return tool.Ask{}, nil })
		tool.OnApprove.Handle(in, func(ctx context.Context, a tool.Approval, next point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
			look.call("approve", a.Call)
			return next(ctx)
		})
	})
	require.IsType(t, tool.Success{}, r.call(t.Context(), nil))
	require.Equal(t, map[string]int{"approve": 1, "approver": 1}, look.seen)
}
