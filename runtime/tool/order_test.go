package tool_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

var negativeZero = math.Copysign(0, -1)

// phaseOrder is every way in which a call may pass its phases: R rewrite, P
// pre-execute, A approve, G guard, E execute, B body, T post-execute, F finalize,
// O result.
var phaseOrder = regexp.MustCompile(`^R?(P(A?(G(E(B*)?)?)?)?T?)?FO$`)

// chaos makes the answer of one handler: often it stays out of the way,
// sometimes it answers, fails, panics or cancels the call.
func chaos[D any](g gen, r *rig, letter string, cancel context.CancelFunc, next func() (D, error), answers ...func() D) (d D, err error) {
	r.note("%s", letter)
	if g.IntN(12) == 0 {
		cancel()
	}
	switch n := g.IntN(10); {
	case n < 5:
		return next()
	case n == 5:
		return d, errors.New(g.text())
	case n == 6:
		panic(g.text())
	case n == 7:
		return d, nil // no answer at all
	}
	return answers[g.IntN(len(answers))](), nil
}

// TestPhasesKeepTheirOrder runs calls whose every handler and body does
// something random, and holds what happened to the order of phases, to one
// finalisation and one publication, and to a result that is JSON.
func TestPhasesKeepTheirOrder(t *testing.T) {
	for seed := range uint64(3000) {
		runChaos(t, seed, nil)
	}
}

// FuzzPipeline is the same with arguments of any JSON.
func FuzzPipeline(f *testing.F) {
	f.Add(uint64(1), `{"a":1}`)
	f.Add(uint64(2), `-0`)
	f.Add(uint64(3), `[1e400]`)
	f.Fuzz(func(t *testing.T, seed uint64, arguments string) {
		v := tool.ParseArguments(arguments)
		runChaos(t, seed, &v)
	})
}

func runChaos(t testing.TB, seed uint64, arguments *value.Value) {
	g, r := newGen(seed), newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.chaoticTool(g, cancel)
	r.chaoticPolicy(g, cancel)
	r.chaoticWrappers(g, cancel)
	if g.IntN(2) == 0 {
		r.rt.Approvals = &tool.Approvals{Never: g.IntN(4) == 0}
	}
	in := tool.Input{ID: g.text(), Tool: "t", Agent: r.scope, Arguments: g.json(3)}
	if arguments != nil {
		in.Arguments = *arguments
	}
	result := r.rt.Execute(ctx, in)
	requireLossless(t, result)
	order := strings.Join(r.trace, "")
	require.Regexp(t, phaseOrder, order, "seed %d", seed)
	require.Equal(t, 1, strings.Count(order, "F"), "seed %d", seed)
	require.Equal(t, 1, strings.Count(order, "O"), "seed %d", seed)
}

func (r *rig) chaoticTool(g gen, cancel context.CancelFunc) {
	r.tool(func(ctx context.Context, run *tool.Running) (any, error) {
		run.DeferContext(session.Context{Text: g.text()})
		if g.IntN(3) == 0 {
			run.ConcludeTurn()
		}
		return chaos(g, r, "B", cancel, func() (any, error) { return g.json(3), nil }, func() any { return g.NormFloat64() })
	}, func(d *tool.Definition) {
		d.Output.Meta = func(_, v value.Value) (any, error) { return v, nil }
		d.FinalizeContent = func(_ tool.Call, res tool.Result) ([]session.Part, error) {
			r.note("F")
			if g.IntN(6) == 0 {
				return g.content(), errors.New(g.text())
			}
			return g.content(), nil
		}
	})
}

func (r *rig) chaoticPolicy(g gen, cancel context.CancelFunc) {
	r.attach(func(in *point.Installer) {
		tool.OnRewrite.Handle(in, func(ctx context.Context, p tool.Proposal, next point.Next[tool.Rewriting]) (tool.Rewriting, error) {
			if g.IntN(2) == 0 {
				return next(ctx)
			}
			return chaos(g, r, "R", cancel, func() (tool.Rewriting, error) { return next(ctx) },
				func() tool.Rewriting { return tool.Rewrite{Arguments: g.json(2), Reason: g.text()} })
		})
		tool.PreExecute.Handle(in, func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
			return chaos(g, r, "P", cancel, func() (tool.PreDecision, error) { return next(ctx) },
				func() tool.PreDecision { return tool.Deny{Reason: g.text(), Contexts: g.contexts()} },
				func() tool.PreDecision { return tool.Ask{Reason: g.text(), Contexts: g.contexts()} },
				func() tool.PreDecision { return tool.Allow{Contexts: g.contexts()} })
		})
		tool.OnApprove.Handle(in, func(ctx context.Context, _ tool.Approval, next point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
			return chaos(g, r, "A", cancel, func() (tool.ApprovalDecision, error) { return next(ctx) },
				func() tool.ApprovalDecision { return tool.Grant{} }, func() tool.ApprovalDecision { return tool.Grant{} },
				func() tool.ApprovalDecision { return tool.Refuse{Reason: g.text()} })
		})
		tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) {
			return chaos(g, r, "G", cancel, func() (tool.GuardDecision, error) { return tool.Abstain{}, nil },
				func() tool.GuardDecision { return tool.Forbid{Reason: g.text()} })
		})
	})
}

func (r *rig) chaoticWrappers(g gen, cancel context.CancelFunc) {
	r.attach(func(in *point.Installer) {
		tool.OnExecute.Handle(in, func(ctx context.Context, c tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
			return chaos(g, r, "E", cancel, func() (tool.Result, error) {
				if g.IntN(3) == 0 {
					_, _ = next(context.Background())
				}
				return next(ctx)
			}, g.result)
		})
		tool.PostExecute.Handle(in, func(ctx context.Context, d tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			requireLossless(r.t, d.Result)
			return chaos(g, r, "T", cancel, func() (tool.PostDecision, error) { return next(ctx) },
				func() tool.PostDecision { return tool.Accept{Content: g.content(), Contexts: g.contexts()} },
				func() tool.PostDecision { return tool.Accept{Value: g.json(2)} },
				func() tool.PostDecision { return tool.Block{Feedback: g.content(), Contexts: g.contexts()} })
		})
		tool.OnResult.Handle(in, func(_ context.Context, d tool.Done) error {
			requireLossless(r.t, d.Result)
			r.note("O")
			return fmt.Errorf("%s", g.text())
		})
	})
}
