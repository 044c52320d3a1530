package tool_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// A consent observes what the handlers of a call answered, to tell afterwards
// whether its body had leave to run.
type consent struct {
	mu   sync.Mutex
	said map[string][]any // what the callers of handlers got, by point, innermost first; an error is an answer
}

// Handled implements [point.Observer].
func (c *consent) Handled(h point.Handled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := h.Answer
	if h.Err != nil {
		answer = h.Err
	}
	c.said[h.Point] = append(c.said[h.Point], answer)
}

// last returns what the outermost handler of p answered; nil if none was asked.
func (c *consent) last(p point.Point) any {
	if list := c.said[p.Name()]; len(list) > 0 {
		return list[len(list)-1]
	}
	return nil
}

// given reports whether all that was answered lets the body run.
func (c *consent) given() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range []point.Point{tool.OnRewrite, tool.PreExecute, tool.OnApprove, tool.OnGuard} {
		if slices.ContainsFunc(c.said[p.Name()], func(answer any) bool { _, failed := answer.(error); return failed }) {
			return false
		}
	}
	switch c.last(tool.PreExecute).(type) {
	case nil, tool.Allow:
	case tool.Ask:
		if c.last(tool.OnApprove) != any(tool.Grant{}) {
			return false
		}
	default:
		return false
	}
	return !slices.ContainsFunc(c.said[tool.OnGuard.Name()], func(answer any) bool { return answer != any(tool.Abstain{}) })
}

// consents observes the calls of r and returns what tells of the last one.
func (r *rig) consents() *consent {
	c := &consent{said: map[string][]any{}}
	r.scope.Host.Run.Observer = c
	return c
}

// answered is one way to answer a question for approval.
type answered struct {
	name string
	give func(cancel context.CancelFunc) (tool.ApprovalDecision, error)
}

var approvalAnswers = []answered{
	{"grant", func(context.CancelFunc) (tool.ApprovalDecision, error) { return tool.Grant{}, nil }},
	{"refuse", func(context.CancelFunc) (tool.ApprovalDecision, error) { return tool.Refuse{}, nil }},
	{"pass", func(context.CancelFunc) (tool.ApprovalDecision, error) { return tool.Pass{}, nil }},
	{"nothing", func(context.CancelFunc) (tool.ApprovalDecision, error) { return nil, nil }},
	{"a pointer", func(context.CancelFunc) (tool.ApprovalDecision, error) { return &tool.Grant{}, nil }},
	{"a grant and an error", func(context.CancelFunc) (tool.ApprovalDecision, error) { return tool.Grant{}, errors.New("broken") }},
	{"a panic", func(context.CancelFunc) (tool.ApprovalDecision, error) { panic("broken") }},
	{"a grant too late", func(cancel context.CancelFunc) (tool.ApprovalDecision, error) { cancel(); return tool.Grant{}, nil }},
}

// TestOnlyAGrantLetsACallGoOn, of whoever is asked: every other answer denies
// it, and none is remembered for the next call.
func TestOnlyAGrantLetsACallGoOn(t *testing.T) {
	for seed := range uint64(tries) {
		g, r := newGen(seed), newRig(t)
		ran, asked := false, 0
		var cancel context.CancelFunc
		var answer answered
		give := func() (tool.ApprovalDecision, error) { asked++; return answer.give(cancel) }
		r.tool(func(context.Context, *tool.Running) (any, error) { ran = true; return nil, nil })
		if g.IntN(2) == 0 {
			r.rt.Approvals = &tool.Approvals{Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) { return give() })}
		} else {
			r.attach(func(in *point.Installer) {
				tool.OnApprove.Handle(in, func(context.Context, tool.Approval, point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
					return give()
				})
			})
		}
		r.attach(asking)
		for range 4 {
			answer = approvalAnswers[g.IntN(len(approvalAnswers))]
			var ctx context.Context
			ctx, cancel = context.WithCancel(t.Context())
			ran = false
			result := r.call(ctx, nil)
			cancel()
			require.Equal(t, answer.name == "grant", ran, answer.name)
			_, granted := result.(tool.Success)
			require.Equal(t, answer.name == "grant", granted, answer.name)
		}
		require.Equal(t, 4, asked)
	}
}

// TestAnAnswerTooLateIsOnRecordAsNone: what was answered after the call was
// cancelled granted nothing, and the record must not say that it did. A refusal is
// one all the same.
func TestAnAnswerTooLateIsOnRecordAsNone(t *testing.T) {
	for answer, want := range map[tool.ApprovalDecision]tool.ApprovalRecord{
		tool.Grant{}:  {Outcome: tool.ApprovalCancelled},
		tool.Pass{}:   {Outcome: tool.ApprovalCancelled},
		tool.Refuse{}: {Outcome: tool.ApprovalRejected, By: tool.Decider{Kind: tool.DecidedByApprover}},
	} {
		r := newRig(t)
		r.tool(returning(nil))
		r.attach(asking)
		ctx, cancel := context.WithCancel(t.Context())
		var last tool.ApprovalRecord
		r.rt.Approvals = &tool.Approvals{
			Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) { cancel(); return answer, nil }),
			Record:   func(_ context.Context, rec tool.ApprovalRecord) error { last = rec; return nil },
		}
		r.call(ctx, nil)
		require.Equal(t, want.Outcome, last.Outcome, "%T", answer)
		require.Equal(t, want.By, last.By, "%T", answer)
	}
}

// TestWithoutAnAgentNobodyIsAsked, although there is somebody.
func TestWithoutAnAgentNobodyIsAsked(t *testing.T) {
	for why, approvals := range map[string]*tool.Approvals{
		`tool "t" requires approval, but the call has no agent to route it through`: {
			Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) {
				t.Error("the approver was asked")
				return tool.Grant{}, nil
			}),
		},
		`tool "t" requires approval (not yet supported)`: nil,
	} {
		r := newRig(t)
		r.rt.Approvals = approvals
		r.tool(func(context.Context, *tool.Running) (any, error) { t.Error("the body ran"); return nil, nil })
		install(t, &r.rt.Root, "ext", func(in *point.Installer) {
			asking(in)
			tool.OnApprove.Handle(in, func(context.Context, tool.Approval, point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
				return tool.Grant{}, nil
			})
		})
		require.Equal(t, why, r.rt.Execute(t.Context(), tool.Input{ID: "1", Tool: "t"}).(tool.Failure).Message)
	}
}

// TestACancelledCallAsksNobody: it only has a result.
func TestACancelledCallAsksNobody(t *testing.T) {
	r := newRig(t)
	asked := r.consents()
	r.tool(func(context.Context, *tool.Running) (any, error) { t.Error("the body ran"); return nil, nil })
	for name, attach := range breaking(func() error { return errors.New("asked") }) {
		if name != "result" {
			r.attach(attach)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, tool.CodeNotDispatched, r.call(ctx, nil).(tool.Failure).Code)
	require.Empty(t, asked.said)
}
