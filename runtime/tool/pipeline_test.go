package tool_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

func rewriting(answer tool.Rewriting, err error) func(in *point.Installer) {
	return func(in *point.Installer) {
		tool.OnRewrite.Handle(in, func(context.Context, tool.Proposal, point.Next[tool.Rewriting]) (tool.Rewriting, error) {
			return answer, err
		})
	}
}

// TestRewriteIsATransaction: all that comes after sees the new arguments, or
// nothing runs.
func TestRewriteIsATransaction(t *testing.T) {
	parameters := object(t, `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	for _, test := range []struct {
		name    string
		install func(in *point.Installer)
		fault   string
		message string
	}{
		{"fits", rewriting(tool.Rewrite{Arguments: object(t, `{"n":2}`)}, nil), "", ""},
		{"does not fit", rewriting(tool.Rewrite{Arguments: object(t, `{"n":"2"}`)}, nil), `invalid-arguments: "n" must be an integer`, `invalid arguments: "n" must be an integer`},
		{"is not JSON", rewriting(tool.Rewrite{Arguments: object(t, `{"n":-0}`)}, nil), "-", "tool execution arguments must be losslessly JSON-serializable"},
		{"fails", rewriting(nil, errors.New("broken")), "-", "broken"},
		{"has no arguments", rewriting(tool.Rewrite{}, nil), "-", "decision: rewrite needs arguments"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			r.attach(test.install)
			var seen []value.Value
			policy := "-" // the fault that policy saw; "-" if it was not asked
			r.attach(func(in *point.Installer) {
				tool.PreExecute.HandleWith(in, func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
					policy = c.Fault
					seen = append(seen, c.Arguments)
					return next(ctx)
				}, point.Attach{Filter: point.Filter{Action: []string{"shell"}}})
			})
			r.tool(func(_ context.Context, run *tool.Running) (any, error) {
				seen = append(seen, run.Arguments())
				return nil, nil
			}, func(d *tool.Definition) {
				d.Parameters = parameters
				d.Action = func(v value.Value) tool.Action {
					if n, _ := v.Get("n").Int(); n == 1 {
						return tool.Other{}
					}
					return tool.Shell{Command: v.String()}
				}
			})
			result := r.call(t.Context(), object(t, `{"n":1}`))
			require.Equal(t, test.fault, policy)
			if test.message != "" {
				require.Equal(t, test.message, result.(tool.Failure).Message)
				return
			}
			require.Len(t, seen, 2)
			for _, v := range seen {
				require.Equal(t, `{"n":2}`, v.String())
			}
		})
	}
}

// TestTheOriginalIsKept for the records of who proposes.
func TestTheOriginalIsKept(t *testing.T) {
	r := newRig(t)
	r.tool(returning(nil))
	r.attach(rewriting(tool.Rewrite{Arguments: object(t, `{"n":2}`), Reason: "safer"}, nil))
	p, settled := r.rt.Propose(t.Context(), tool.Input{ID: "1", Tool: "t", Arguments: 1, Agent: r.scope})
	require.Nil(t, settled)
	reason, yes := p.Rewritten()
	require.True(t, yes)
	require.Equal(t, "safer", reason)
	require.Equal(t, "1", p.Original().String())
	require.JSONEq(t, `{"n":2}`, p.Call().Arguments.String())
}

// TestNoStepIsLeftOut, although Go converts one stage to another.
func TestNoStepIsLeftOut(t *testing.T) {
	r := newRig(t)
	r.tool(returning("x"))
	p, _ := r.rt.Propose(t.Context(), tool.Input{ID: "1", Tool: "t", Agent: r.scope})
	require.Equal(t, "the step Dispatch of call 1 is not its next one", (*tool.Prepared)(p).Dispatch(t.Context()).Finish(t.Context()).(tool.Failure).Message)
	require.Equal(t, "the step Finish of call 1 is not its next one", (*tool.Settled)(p).Finish(t.Context()).(tool.Failure).Message)
	prepared, _ := p.Prepare(t.Context())
	require.Equal(t, "the step Finish of call 1 is not its next one", (*tool.Settled)(prepared).Finish(t.Context()).(tool.Failure).Message)
	require.IsType(t, tool.Success{}, prepared.Dispatch(t.Context()).Finish(t.Context()))
}

// TestStepsAreTakenOnce: a second step runs nothing and leaves the call alone.
func TestStepsAreTakenOnce(t *testing.T) {
	r := newRig(t)
	runs, finals := 0, 0
	r.tool(func(context.Context, *tool.Running) (any, error) { runs++; return "x", nil }, func(d *tool.Definition) {
		d.FinalizeContent = func(tool.Call, tool.Result) ([]session.Part, error) { finals++; return nil, nil }
	})
	p, _ := r.rt.Propose(t.Context(), tool.Input{ID: "1", Tool: "t", Agent: r.scope})
	prepared, _ := p.Prepare(t.Context())
	again, settled := p.Prepare(t.Context())
	require.Nil(t, again)
	require.Equal(t, "the step Prepare of call 1 is not its next one", settled.Finish(t.Context()).(tool.Failure).Message)
	first := prepared.Dispatch(t.Context())
	require.IsType(t, tool.Failure{}, prepared.Dispatch(t.Context()).Finish(t.Context()))
	result := first.Finish(t.Context())
	require.Equal(t, result, first.Finish(t.Context()))
	require.Equal(t, [2]int{1, 1}, [2]int{runs, finals})
}

// TestADenialSurvivesCancellation that comes while policy speaks.
func TestADenialSurvivesCancellation(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.tool(returning("x"))
	r.attach(func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(ctx context.Context, _ tool.Call, _ tool.PreNext) (tool.PreDecision, error) {
			ended := ctx.Done()
			cancel()
			require.Error(t, tool.Caller(ctx).Err())
			select {
			case <-ended:
				t.Error("a handler is heard to its end")
			case <-time.After(20 * time.Millisecond):
			}
			return tool.Deny{Reason: "no"}, nil
		})
	})
	require.Equal(t, "no", r.call(ctx, nil).(tool.Failure).Message)
}

// TestAHandlerIsNotHeardForEver: its context ends soon after the call's.
func TestAHandlerIsNotHeardForEver(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.tool(returning("x"))
	var kept context.Context
	r.attach(func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(ctx context.Context, _ tool.Call, _ tool.PreNext) (tool.PreDecision, error) {
			kept = ctx
			inner, stop := context.WithCancel(ctx)
			defer stop()
			cancel()
			<-inner.Done()
			return nil, ctx.Err()
		})
	})
	f := r.call(ctx, nil).(tool.Failure)
	require.Equal(t, tool.CodeNotDispatched, f.Code)
	require.Error(t, kept.Err())
	<-kept.Done()
}

// TestBodiesThatGoOnAreNamed in the log once patience is at an end.
func TestBodiesThatGoOnAreNamed(t *testing.T) {
	r := newRig(t)
	named := make(chan string, 1)
	r.rt.Warn, r.rt.Patience = func(text string) { named <- text }, time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	r.tool(func(context.Context, *tool.Running) (any, error) {
		cancel()
		require.Contains(t, <-named, `tool "t" (1): the body ignores its context`)
		return "late", nil
	})
	require.Equal(t, tool.CodeAborted, r.call(ctx, nil).(tool.Failure).Code)
}

// TestBodiesThatGoOnAreNamedAfterShortOnes, which lend each other what watches
// them.
func TestBodiesThatGoOnAreNamedAfterShortOnes(t *testing.T) {
	r := newRig(t)
	named := make(chan string, 1)
	r.rt.Warn, r.rt.Patience = func(text string) { named <- text }, time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	long := false
	r.tool(func(context.Context, *tool.Running) (any, error) {
		if long {
			cancel()
			<-named
		}
		return "done", nil
	})
	for range 100 {
		require.IsType(t, tool.Success{}, r.call(ctx, nil))
	}
	long = true
	require.Equal(t, tool.CodeAborted, r.call(ctx, nil).(tool.Failure).Code)
	require.Empty(t, named)
}

// TestABodyThatObeysIsAborted, though it says so with an error of its own.
func TestABodyThatObeysIsAborted(t *testing.T) {
	r := newRig(t)
	why := errors.New("the user said so")
	ctx, cancel := context.WithCancelCause(t.Context())
	r.tool(func(ctx context.Context, _ *tool.Running) (any, error) {
		cancel(why)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	require.Equal(t, tool.CodeAborted, r.call(ctx, nil).(tool.Failure).Code)
}

// TestWhatBodiesThrow becomes a message that gives nothing away.
func TestWhatBodiesThrow(t *testing.T) {
	for _, test := range []struct {
		name string
		body func() error
		want string
	}{
		{"an error", func() error { return errors.New("disk full") }, "disk full"},
		{"a panic", func() error { panic("kaboom") }, "kaboom"},
		{"a panic with an error", func() error { panic(errors.New("e")) }, "e"},
		{"an index", func() error { var l []int; l[len(os.Args)]++; return nil }, "internal error"},
		{"an object", func() error { panic(map[string]any{"message": "m"}) }, "m"},
		{"a pointer", func() error { panic(new(int)) }, "panic with a *int"},
		{"a number", func() error { panic(42) }, "42"},
		{"text that is not UTF-8", func() error { return errors.New("a\xffb") }, "a\uFFFDb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			r.tool(func(context.Context, *tool.Running) (any, error) { return nil, test.body() })
			require.Equal(t, test.want, r.call(t.Context(), nil).(tool.Failure).Message)
		})
	}
}

// TestNestedCallsAreTold apart by their parent, and numbered.
func TestNestedCallsAreTold(t *testing.T) {
	r := newRig(t)
	var inner tool.Call
	r.tool(func(ctx context.Context, run *tool.Running) (any, error) {
		run.Execute(ctx, tool.Input{Tool: "leaf"})
		return nil, nil
	})
	r.tool(func(_ context.Context, run *tool.Running) (any, error) { inner = run.Call(); return nil, nil }, func(d *tool.Definition) {
		d.Name = "leaf"
	})
	r.call(t.Context(), nil)
	require.Equal(t, "1:1", inner.ID)
	require.Equal(t, "1", inner.Parent)
	require.Equal(t, "1", inner.Root())
	require.True(t, inner.Nested())
	require.Equal(t, "s", inner.Session.ID)
}

// TestABodyIsOverWhenItReturned: what it left running can say nothing more.
func TestABodyIsOverWhenItReturned(t *testing.T) {
	r := newRig(t)
	var kept *tool.Running
	r.tool(func(_ context.Context, run *tool.Running) (any, error) { kept = run; return "x", nil })
	r.attach(func(in *point.Installer) {
		tool.OnExecute.Handle(in, func(ctx context.Context, _ tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
			result, err := next(ctx)
			kept.ConcludeTurn()
			kept.DeferContext(session.Context{Text: "late"})
			return result, err
		})
	})
	s := r.call(t.Context(), nil).(tool.Success)
	require.False(t, s.Concludes)
	require.Empty(t, s.Contexts)
}

// TestApprovalsAreOnTheRecord, and nothing is granted off it.
func TestApprovalsAreOnTheRecord(t *testing.T) {
	var records []tool.ApprovalRecord
	var broken error
	r := newRig(t)
	r.rt.Approvals = &tool.Approvals{
		Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) { return tool.Grant{}, nil }),
		Record: func(_ context.Context, rec tool.ApprovalRecord) error {
			records = append(records, rec)
			if rec.Outcome != "" {
				return broken
			}
			return nil
		},
	}
	r.tool(returning("x"))
	r.attach(func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
			return tool.Ask{Reason: "why"}, nil
		})
	})
	require.IsType(t, tool.Success{}, r.call(t.Context(), nil))
	require.Equal(t, []tool.ApprovalRecord{
		{Call: "1", Root: "1", Tool: "t", Reason: "why"},
		{Call: "1", Root: "1", Tool: "t", Reason: "why", Outcome: tool.ApprovalGranted, By: tool.Decider{Kind: tool.DecidedByApprover}},
	}, records)
	broken = errors.New("disk full")
	require.Equal(t, "disk full", r.call(t.Context(), nil).(tool.Failure).Message)
}

// TestCancellationWhileAResultIsJudged replaces a success and nothing else, and
// keeps the contexts, those of the judge too.
func TestCancellationWhileAResultIsJudged(t *testing.T) {
	for name, test := range map[string]struct {
		decides tool.PostDecision
		err     error
		bodyErr error
		want    tool.Failure
	}{
		"a success":              {tool.Accept{}, nil, nil, tool.Failure{Message: "tool call aborted", Code: tool.CodeAborted}},
		"another value":          {tool.Accept{Value: value.OfInt(1)}, nil, nil, tool.Failure{Message: "tool call aborted", Code: tool.CodeAborted}},
		"a handler that says so": {nil, context.Canceled, nil, tool.Failure{Message: "tool call aborted", Code: tool.CodeAborted}},
		"a failure":              {tool.Accept{}, nil, errors.New("own"), tool.Failure{Message: "own"}},
		"a block":                {tool.Block{Feedback: []session.Part{session.Text{Text: "no"}}}, nil, nil, tool.Failure{Message: "no"}},
		"a handler that fails":   {nil, errors.New("broke"), nil, tool.Failure{Message: "broke"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			ctx, cancel := context.WithCancel(t.Context())
			r.tool(func(context.Context, *tool.Running) (any, error) { return "x", test.bodyErr })
			r.attach(func(in *point.Installer) {
				tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
					return tool.Allow{Contexts: []session.Context{{Text: "policy"}}}, nil
				})
				tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
					cancel()
					return test.decides, test.err
				})
			})
			got := r.call(ctx, nil).(tool.Failure)
			require.Equal(t, [2]string{test.want.Message, string(test.want.Code)}, [2]string{got.Message, string(got.Code)})
			require.Equal(t, test.err == nil || test.want.Code != "", len(got.Contexts) == 1)
		})
	}
}

// TestTheRecordSaysWhoDecided: the handler whose answer counted, whoever stands
// around it, or the setting, or nobody.
func TestTheRecordSaysWhoDecided(t *testing.T) {
	pass := func(context.Context, tool.Approval, point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
		return tool.Pass{}, nil
	}
	ask := func(ctx context.Context, _ tool.Approval, next point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
		return next(ctx)
	}
	grant := func(context.Context, tool.Approval, point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
		return tool.Grant{}, nil
	}
	for _, test := range []struct {
		name     string
		handlers []point.Handler[tool.Approval, tool.ApprovalDecision]
		never    bool
		outcome  tool.ApprovalOutcome
		by       tool.Decider
	}{
		{"a handler behind another", []point.Handler[tool.Approval, tool.ApprovalDecision]{ask, grant}, false, tool.ApprovalGranted, tool.Decider{Kind: tool.DecidedByExtension, Extension: "ext", Rule: "ext"}},
		{"one in front of it", []point.Handler[tool.Approval, tool.ApprovalDecision]{pass, grant}, false, tool.ApprovalUnavailable, tool.Decider{}},
		{"nobody", nil, false, tool.ApprovalUnavailable, tool.Decider{}},
		{"the setting", []point.Handler[tool.Approval, tool.ApprovalDecision]{grant}, true, tool.ApprovalRejected, tool.Decider{Kind: tool.DecidedBySetting}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			var last tool.ApprovalRecord
			r.rt.Approvals = &tool.Approvals{Never: test.never}
			r.scope.Record = func(_ context.Context, rec tool.ApprovalRecord) error { last = rec; return nil }
			r.tool(returning("x"))
			r.attach(func(in *point.Installer) {
				tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return tool.Ask{}, nil })
				for _, h := range test.handlers {
					tool.OnApprove.Handle(in, h)
				}
			})
			r.call(t.Context(), nil)
			require.Equal(t, test.outcome, last.Outcome)
			require.Equal(t, test.by, last.By)
		})
	}
}

// TestABodyThatIsNotReady does not run.
func TestABodyThatIsNotReady(t *testing.T) {
	r := newRig(t)
	ran := false
	r.tool(func(context.Context, *tool.Running) (any, error) { ran = true; return "x", nil })
	r.scope.Ready = func(context.Context, tool.Call) error { return errors.New("not yet") }
	require.Equal(t, "not yet", r.call(t.Context(), nil).(tool.Failure).Message)
	require.False(t, ran)
	r.scope.Ready = func(context.Context, tool.Call) error { panic("never") }
	require.Contains(t, r.call(t.Context(), nil).(tool.Failure).Message, "never")
	require.False(t, ran)
}

// TestACancelledQuestionIsVoid, whatever is answered after.
func TestACancelledQuestionIsVoid(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.rt.Approvals = &tool.Approvals{Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) {
		cancel()
		return tool.Grant{}, nil
	})}
	r.tool(returning("x"))
	r.attach(func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return tool.Ask{}, nil })
	})
	require.Equal(t, tool.CodeNotDispatched, r.call(ctx, nil).(tool.Failure).Code)
}

// TestPreview is bounded.
func TestPreview(t *testing.T) {
	require.Equal(t, `{"a":1}`, tool.Preview(object(t, `{"a":1}`)))
	long := tool.Preview(value.OfString(strings.Repeat("é", 1000)))
	require.True(t, strings.HasSuffix(long, "… (+602 more chars)"), long)
}

// TestSnapshotIsACopy of all that JSON can carry, and of nothing else.
func TestSnapshotIsACopy(t *testing.T) {
	list := []any{1, map[string]any{"a": uint8(2)}}
	v, err := tool.Snapshot(list)
	require.NoError(t, err)
	list[0] = "changed"
	require.Equal(t, `[1,{"a":2}]`, v.String())

	var wide any = "x"
	for range 40 {
		wide = []any{wide, wide}
	}
	for name, x := range map[string]any{
		"too many values": wide, "a typed slice": []int{1}, "a pointer": &list, "text": "a\xff", "a key": map[string]any{"\xff": 1},
		"too large": uint64(1 << 63), "an infinite literal": object(t, `1e400`), "the negative zero": negativeZero,
	} {
		_, err := tool.Snapshot(x)
		require.ErrorIs(t, err, tool.ErrLossy, name)
	}
}

// TestAToolThatIsReplacedMeanwhile checks the arguments by its own parameters,
// and one that is removed is unknown.
func TestAToolThatIsReplacedMeanwhile(t *testing.T) {
	r := newRig(t)
	remove := r.tool(returning("old"))
	p, _ := r.rt.Propose(t.Context(), tool.Input{ID: "1", Tool: "t", Agent: r.scope, Arguments: 1})
	prepared, _ := p.Prepare(t.Context())
	remove()
	r.tool(returning("new"), func(d *tool.Definition) { d.Parameters = object(t, `{"type":"string"}`) })
	require.Equal(t, `invalid arguments: "arguments" must be a string`, prepared.Dispatch(t.Context()).Finish(t.Context()).(tool.Failure).Message)
}

// TestNestedCallsEndWithTheirBody: whatever context a body passes on, what it
// calls ends when the call does, and nothing can be called once it has.
func TestNestedCallsEndWithTheirBody(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	leaf := definition("leaf")
	leaf.Execute = func(ctx context.Context, _ *tool.Running) (any, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	_, err := r.rt.Root.Tools.Register(leaf)
	require.NoError(t, err)
	var kept *tool.Running
	var inner tool.Result
	r.tool(func(_ context.Context, run *tool.Running) (any, error) {
		kept = run
		inner = run.Execute(context.Background(), tool.Input{Tool: "leaf"}) //nolint:contextcheck // is what is tested
		return "x", nil
	})
	require.Equal(t, tool.CodeAborted, r.call(ctx, nil).(tool.Failure).Code)
	require.Equal(t, tool.CodeAborted, inner.(tool.Failure).Code)
	require.Equal(t, tool.CodeNotDispatched, kept.Execute(t.Context(), tool.Input{Tool: "leaf"}).(tool.Failure).Code)
}
