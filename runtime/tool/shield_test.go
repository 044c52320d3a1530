package tool_test

import (
	"context"
	"fmt"
	"sync/atomic"
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

// around calls look before next, and also after it if again is set, as a
// waterfall's handler.
func around[P, D any](again bool, look func(P)) point.Handler[P, D] {
	return func(ctx context.Context, p P, next point.Next[D]) (D, error) {
		look(p)
		d, err := next(ctx)
		if again {
			look(p)
		}
		return d, err
	}
}

// TestNoHandlerReadsWhatAnotherWrote: what a handler writes into the lists that it
// is shown, before or after it asks the others, none of them sees, and neither
// does the next phase, the agent, or the caller.
func TestNoHandlerReadsWhatAnotherWrote(t *testing.T) {
	for _, writes := range written {
		t.Run(writes, func(t *testing.T) { readAll(t, reader{t, writes, map[string]int{}}, 3, 6) })
		t.Run(writes+", alone", func(t *testing.T) { readAll(t, reader{t, writes, map[string]int{}}, 1, 1) })
	}
}

// readAll has so many handlers look at each phase, so often in all where there is
// a next. A handler that is alone looks once: there is nobody to hide what it wrote
// from.
func readAll(t *testing.T, look reader, handlers, looks int) {
	again := looks > handlers
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
			tool.OnRewrite.Handle(in, around[tool.Proposal, tool.Rewriting](again, func(p tool.Proposal) {
				look.call("rewrite", tool.Call{Action: p.Action, Session: p.Session})
			}))
			tool.PreExecute.Handle(in, around[tool.Call, tool.PreDecision](again, func(c tool.Call) { look.call("pre-execute", c) }))
			tool.OnApprove.Handle(in, around[tool.Approval, tool.ApprovalDecision](again, func(a tool.Approval) { look.call("approve", a.Call) }))
			tool.OnGuard.Handle(in, func(_ context.Context, c tool.Call) (tool.GuardDecision, error) {
				look.call("guard", c)
				return tool.Abstain{}, nil
			})
			tool.OnExecute.Handle(in, around[tool.Call, tool.Result](again, func(c tool.Call) { look.call("execute", c) }))
			tool.PostExecute.Handle(in, around[tool.Done, tool.PostDecision](again, func(d tool.Done) { look.done("post-execute", d) }))
			tool.OnResult.Handle(in, func(_ context.Context, d tool.Done) error { look.done("result", d); return nil })
		}
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return tool.Ask{}, nil })
	})
	result := r.call(t.Context(), nil).(tool.Success)
	require.Equal(t, session.Text{Text: "text"}, result.Content[0])
	require.Equal(t, "child", r.scope.Session.Agent.ID)
	require.Equal(t, map[string]int{
		"rewrite": looks, "pre-execute": looks, "approve": looks, "approver": 1, "guard": handlers, "execute": looks,
		"body": 1, "post-execute": looks, "result": handlers,
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

// TestContextsStandAsTheyWereDecided, whatever is done to the list afterwards, by
// whoever has no say in them.
func TestContextsStandAsTheyWereDecided(t *testing.T) {
	said := func() []session.Context { return []session.Context{{Text: "said", Extension: "ext"}} }
	for name, decide := range map[string]func([]session.Context) tool.PreDecision{
		"allow": func(list []session.Context) tool.PreDecision { return tool.Allow{Contexts: list} },
		"ask":   func(list []session.Context) tool.PreDecision { return tool.Ask{Contexts: list} },
	} {
		for _, blocks := range []bool{false, true} {
			t.Run(fmt.Sprint(name, blocks), func(t *testing.T) {
				r, list := newRig(t), said()
				forge := func() { list[0] = session.Context{Text: "forged"} }
				r.rt.Approvals = &tool.Approvals{Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) {
					forge()
					return tool.Grant{}, nil
				})}
				r.tool(returning("x"))
				r.attach(func(in *point.Installer) {
					tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return decide(list), nil })
					tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) { forge(); return tool.Abstain{}, nil })
					tool.PostExecute.Handle(in, func(ctx context.Context, _ tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
						if blocks {
							return tool.Block{}, nil
						}
						return next(ctx)
					})
				})
				switch result := r.call(t.Context(), nil).(type) {
				case tool.Success:
					require.Equal(t, said(), result.Contexts)
				case tool.Failure:
					require.Equal(t, said(), result.Contexts)
				}
			})
		}
	}
}

// A scribe is a journal that writes over what it is shown.
type scribe struct{ t *testing.T }

func (s scribe) Called(c tool.Call, _ value.Value, _ string) error { return s.forge(c) }

func (s scribe) Returned(c tool.Call, _ tool.Result) error { return s.forge(c) }

func (s scribe) forge(c tool.Call) error {
	files := c.Action.(tool.Edit).Files
	require.Equal(s.t, "/a", files[0].Path)
	files[0].Path, c.Session.Agent.ID = "/forged", "forged"
	return nil
}

// TestNoRecordChangesTheCall that it is made of.
func TestNoRecordChangesTheCall(t *testing.T) {
	for _, overlaps := range []bool{false, true} {
		r := newRig(t)
		var seen atomic.Int32
		see := func(c tool.Call) {
			seen.Add(1)
			require.Equal(t, []tool.File{{Path: "/a"}, {Path: "/b"}}, c.Action.(tool.Edit).Files)
			require.Equal(t, "child", c.Session.Agent.ID)
		}
		r.scope.Session.Agent = &session.AgentRef{ID: "child"}
		r.tool(func(_ context.Context, run *tool.Running) (any, error) { see(run.Call()); return "x", nil }, func(d *tool.Definition) {
			d.Action, d.Parallel = editsTwo, func(value.Value) bool { return overlaps }
			d.FinalizeContent = func(c tool.Call, _ tool.Result) ([]session.Part, error) { see(c); return nil, nil }
		})
		in := tool.Input{ID: "1", Tool: "t", Agent: r.scope}
		require.NoError(t, tool.Batch{Runtime: r.rt, Journal: scribe{t}}.Run(t.Context(), []tool.Input{in, in}))
		proposed, _ := r.rt.Propose(t.Context(), in)
		require.NoError(t, scribe{t}.forge(proposed.Call()))
		prepared, _ := proposed.Prepare(t.Context())
		settled := prepared.Dispatch(t.Context())
		require.NoError(t, scribe{t}.forge(settled.Call()))
		settled.Finish(t.Context())
		require.EqualValues(t, 6, seen.Load())
	}
}
