package tool_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Each test of this file is one row of the table of who may change what. All of
// them try many random answers.

const tries = 200

// TestNobodyCanTouchTheCall: what handlers do to the call that they are given
// reaches nobody.
func TestNobodyCanTouchTheCall(t *testing.T) {
	for seed := range uint64(tries) {
		g, r := newGen(seed), newRig(t)
		want := g.json(2)
		if _, err := tool.Snapshot(want); err != nil {
			continue
		}
		var seen []tool.Call
		r.tool(func(_ context.Context, run *tool.Running) (any, error) {
			seen = append(seen, run.Call())
			return nil, nil
		})
		r.attach(func(in *point.Installer) {
			tool.PreExecute.Handle(in, func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
				spoil(g, &c)
				return next(ctx)
			})
			tool.OnGuard.Handle(in, func(_ context.Context, c tool.Call) (tool.GuardDecision, error) {
				seen = append(seen, c)
				spoil(g, &c)
				return tool.Abstain{}, nil
			})
			tool.OnExecute.Handle(in, func(ctx context.Context, c tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
				seen = append(seen, c)
				spoil(g, &c)
				return next(ctx)
			})
			tool.PostExecute.Handle(in, func(ctx context.Context, d tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
				seen = append(seen, d.Call)
				spoil(g, &d.Call)
				return next(ctx)
			})
			tool.OnResult.Handle(in, func(_ context.Context, d tool.Done) error { seen = append(seen, d.Call); return nil })
		})
		require.IsType(t, tool.Success{}, r.call(t.Context(), want))
		require.Len(t, seen, 5)
		for _, c := range seen {
			require.True(t, c.Arguments.Equal(want))
			require.Equal(t, [3]string{"t", "1", "s"}, [3]string{c.Tool, c.ID, c.Session.ID})
			require.Equal(t, seen[0].Token(), c.Token())
		}
	}
}

// spoil changes all that a handler can of its copy of a call.
func spoil(g gen, c *tool.Call) {
	c.Arguments, c.Tool, c.ID, c.Parent, c.Fault = g.json(2), "other", "2", g.text(), g.text()
	c.Session, c.Action = session.Ref{ID: "other"}, tool.Shell{Command: g.text()}
}

// TestPolicyCannotAuthorAResult: of a denial only the reason and the contexts
// count; it has no code, no value and no meta.
func TestPolicyCannotAuthorAResult(t *testing.T) {
	for seed := range uint64(tries) {
		g, r := newGen(seed), newRig(t)
		reason, contexts := g.text(), g.contexts()
		r.tool(returning("x"))
		r.attach(func(in *point.Installer) {
			tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
				return tool.Deny{Reason: reason, Contexts: contexts}, nil
			})
		})
		f := r.call(t.Context(), nil).(tool.Failure)
		require.Empty(t, f.Code)
		require.True(t, f.Meta.IsAbsent())
		require.Len(t, f.Contexts, len(contexts))
		require.Equal(t, "Error: "+f.Message, texts(f.Content))
	}
}

// TestAGrantIsForOneCall: every call that asks is asked about.
func TestAGrantIsForOneCall(t *testing.T) {
	r := newRig(t)
	asked := 0
	r.rt.Approvals = &tool.Approvals{Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) {
		asked++
		return []tool.ApprovalDecision{tool.Grant{}, tool.Refuse{Reason: "not again"}, tool.Pass{}}[asked-1], nil
	})}
	r.tool(returning("x"))
	r.attach(func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return tool.Ask{}, nil })
	})
	require.IsType(t, tool.Success{}, r.call(t.Context(), nil))
	require.Equal(t, `the user rejected tool "t": not again`, r.call(t.Context(), nil).(tool.Failure).Message)
	require.Equal(t, `tool "t" requires approval, but no approval channel is available`, r.call(t.Context(), nil).(tool.Failure).Message)
	require.Equal(t, 3, asked)
}

// TestNobodyOverrulesAGuard: not the outermost policy, not an approver.
func TestNobodyOverrulesAGuard(t *testing.T) {
	for seed := range uint64(tries) {
		g, r := newGen(seed), newRig(t)
		r.rt.Approvals = &tool.Approvals{Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) {
			return tool.Grant{}, nil
		})}
		r.tool(returning("x"))
		r.attach(func(in *point.Installer) {
			tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) {
				switch g.IntN(3) {
				case 0:
					return tool.Forbid{}, nil
				case 1:
					return nil, nil
				}
				return nil, errors.New("guard broke")
			})
			tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
				return []tool.PreDecision{tool.Allow{}, tool.Ask{}}[g.IntN(2)], nil
			})
		})
		require.IsType(t, tool.Failure{}, r.call(t.Context(), nil))
	}
}

// TestWrappersHaveValueAndContextsOnly: content, meta and the wish to conclude
// of a success that a wrapper wrote are not its to say.
func TestWrappersHaveValueAndContextsOnly(t *testing.T) {
	for seed := range uint64(tries) {
		g, r := newGen(seed), newRig(t)
		authored := g.result()
		concludes := g.IntN(2) == 0
		r.tool(func(_ context.Context, run *tool.Running) (any, error) {
			run.DeferContext(session.Context{Text: "deferred"})
			if concludes {
				run.ConcludeTurn()
			}
			return "body", nil
		}, func(d *tool.Definition) {
			d.Output.Meta = func(_, v value.Value) (any, error) { return v, nil }
		})
		r.attach(func(in *point.Installer) {
			tool.OnExecute.Handle(in, func(ctx context.Context, _ tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
				inner, err := next(ctx)
				require.Empty(t, inner.(tool.Success).Contexts, "deferred contexts are not the wrapper's to see")
				return authored, err
			})
		})
		switch got := r.call(t.Context(), nil).(type) {
		case tool.Success:
			own := authored.(tool.Success)
			require.True(t, got.Value.Equal(own.Value) && got.Meta.Equal(own.Value))
			require.Equal(t, own.Value.String(), texts(got.Content))
			require.Equal(t, concludes, got.Concludes)
			require.Equal(t, session.Context{Text: "deferred", Extension: "t"}, got.Contexts[0])
			require.Len(t, got.Contexts, 1+len(own.Contexts))
		case tool.Failure:
			requireLossless(t, got)
			if own, ok := authored.(tool.Failure); ok && own.Content == nil && got.Contexts != nil {
				require.Equal(t, "Error: "+got.Message, texts(got.Content))
			}
		}
	}
}

// TestWrappersCannotWriteIntoTheResult that they are shown.
func TestWrappersCannotWriteIntoTheResult(t *testing.T) {
	r := newRig(t)
	r.tool(returning("body"))
	r.attach(func(in *point.Installer) {
		tool.OnExecute.Handle(in, func(ctx context.Context, _ tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
			d, err := next(ctx)
			d.(tool.Success).Content[0] = session.Text{Text: "written"}
			return d, err
		})
		tool.PostExecute.Handle(in, func(ctx context.Context, d tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			d.Result.(tool.Success).Content[0] = session.Text{Text: "written"}
			return next(ctx)
		})
		tool.OnResult.Handle(in, func(_ context.Context, d tool.Done) error {
			d.Result.(tool.Success).Content[0] = session.Text{Text: "written"}
			return nil
		})
	})
	require.Equal(t, "body", texts(r.call(t.Context(), nil).(tool.Success).Content))
}

// TestWrappersCannotDetachTheBody from the call, whatever context they pass on,
// and end it only inside.
func TestWrappersCannotDetachTheBody(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.tool(func(ctx context.Context, _ *tool.Running) (any, error) {
		cancel()
		<-ctx.Done()
		return "late", nil
	})
	r.attach(func(in *point.Installer) {
		tool.OnExecute.Handle(in, func(_ context.Context, _ tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
			return next(context.Background())
		})
	})
	require.Equal(t, tool.CodeAborted, r.call(ctx, nil).(tool.Failure).Code)
}

// TestPostCannotMakeASuccess of a failure, nor change what went wrong.
func TestPostCannotMakeASuccess(t *testing.T) {
	for seed := range uint64(tries) {
		g, r := newGen(seed), newRig(t)
		content, v := g.content(), g.json(2)
		r.tool(func(context.Context, *tool.Running) (any, error) {
			return nil, &tool.Error{Message: "m", Name: "N", Code: "C"}
		})
		replacesValue := g.IntN(3) == 0
		r.attach(func(in *point.Installer) {
			tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
				if replacesValue {
					return tool.Accept{Value: v}, nil
				}
				return tool.Accept{Content: content}, nil
			})
		})
		f := r.call(t.Context(), nil).(tool.Failure)
		switch {
		case replacesValue:
			require.Equal(t, "tools/post-execute cannot replace the value of a failed result", f.Message)
		case f.Code != "":
			require.Equal(t, [3]string{"m", "N", "C"}, [3]string{f.Message, f.Name, string(f.Code)})
		default:
			require.Equal(t, "tool result must be losslessly JSON-serializable", f.Message)
		}
	}
}

// TestABlockKeepsPolicysContextsAndItsOwn, and nothing else of the result.
func TestABlockKeepsPolicysContextsAndItsOwn(t *testing.T) {
	r := newRig(t)
	r.tool(func(_ context.Context, run *tool.Running) (any, error) {
		run.DeferContext(session.Context{Text: "deferred"})
		run.ConcludeTurn()
		return "x", nil
	})
	r.attach(func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
			return tool.Allow{Contexts: []session.Context{{Text: "pre"}}}, nil
		})
		tool.PostExecute.Handle(in, func(_ context.Context, d tool.Done, _ point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			require.Len(t, d.Result.(tool.Success).Contexts, 2)
			return tool.Block{Feedback: []session.Part{session.Text{Text: "no"}}, Contexts: []session.Context{{Text: "post"}}}, nil
		})
	})
	f := r.call(t.Context(), nil).(tool.Failure)
	require.Equal(t, []session.Context{{Text: "pre", Extension: "ext"}, {Text: "post", Extension: "ext"}}, f.Contexts)
	require.Equal(t, "no", f.Message)
}

// TestFinalizeChangesContentOnly, on every outcome.
func TestFinalizeChangesContentOnly(t *testing.T) {
	for seed := range uint64(tries) {
		g, r := newGen(seed), newRig(t)
		outcome := g.json(2)
		fails := g.IntN(2) == 0
		body := func(_ context.Context, run *tool.Running) (any, error) {
			run.DeferContext(session.Context{Text: "deferred"})
			if fails {
				return nil, errors.New("failed")
			}
			return outcome, nil
		}
		plain := newRig(t)
		plain.tool(body)
		r.tool(body, func(d *tool.Definition) {
			d.FinalizeContent = func(_ tool.Call, res tool.Result) ([]session.Part, error) {
				return []session.Part{session.Text{Text: "final"}}, nil
			}
		})
		want, got := plain.call(t.Context(), nil), r.call(t.Context(), nil)
		require.Equal(t, withContent(want, "final"), got)
	}
}

func withContent(r tool.Result, text string) tool.Result {
	content := []session.Part{session.Text{Text: text}}
	switch r := r.(type) {
	case tool.Success:
		r.Content = content
		return r
	case tool.Failure:
		r.Content = content
		return r
	}
	return r
}

// TestObserversChangeNothing, also when they fail, and all of them are told.
func TestObserversChangeNothing(t *testing.T) {
	r := newRig(t)
	r.tool(returning("x"))
	told := 0
	for range 3 {
		r.attach(func(in *point.Installer) {
			tool.OnResult.Handle(in, func(_ context.Context, d tool.Done) error {
				told++
				require.True(t, d.Ran)
				panic("observer")
			})
		})
	}
	require.Equal(t, "x", texts(r.call(t.Context(), nil).(tool.Success).Content))
	require.Equal(t, 3, told)
	require.Equal(t, `tool "t" (1): tools/result observer failed: observer`, r.warns[0])
	require.Len(t, r.warns, 3)
}
