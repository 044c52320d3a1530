package tool

import (
	"context"

	"github.com/dsh-lua/dsh/runtime/host"
)

// Prepare asks whether the call may run: tools/pre-execute, what that asks for,
// and tools/guard. Exactly one of the results is not nil.
func (p *Proposed) Prepare(ctx context.Context) (*Prepared, *Settled) {
	x := (*execution)(p)
	if !x.enter(stageProposed, stagePrepared) {
		return nil, x.misused("Prepare")
	}
	if x.asked(PreExecute) {
		if settled := x.decide(ctx); settled != nil {
			return nil, settled
		}
	}
	if x.asked(OnGuard) {
		if settled := x.guard(ctx); settled != nil {
			return nil, settled
		}
	}
	if ctx.Err() != nil {
		return nil, x.refuse(Aborted(false))
	}
	return (*Prepared)(x), nil
}

// decide runs tools/pre-execute. It returns nil if the call may go on.
func (x *execution) decide(ctx context.Context) *Settled {
	phase := begin(ctx, policyGrace)
	defer phase.end()
	out := host.Fire(phase, x.asks(), PreExecute, x.shown(), func(err error) PreDecision {
		return Deny{Reason: failureOf(err).Message}
	})
	if out.Fault != nil {
		return x.stopped(ctx, out.Fault)
	}
	switch d := out.Decision.(type) {
	case Allow:
		x.before = joined(d.Contexts)
		return nil
	case Deny:
		x.before = joined(d.Contexts)
		return x.deny(d.Reason)
	case Ask:
		x.before = joined(d.Contexts)
		return x.approve(ctx, d)
	}
	return x.fail(failed("invalid pre-execute decision", "", "")) // the point lets no other pass
}

// stopped settles a call whose policy failed. Nobody judges that, unless it
// failed only because the call was cancelled.
func (x *execution) stopped(ctx context.Context, fault error) *Settled {
	failure := x.faulted(ctx, fault, false)
	if failure.Code == CodeNotDispatched {
		return x.refuse(failure)
	}
	return x.fail(failure)
}

// deny settles a call that was refused, in a way that no program can mistake
// for an error of the tool: without a code.
func (x *execution) deny(reason string) *Settled { return x.refuse(failed(reason, "", "")) }

// guard runs tools/guard. It returns nil if nobody forbids the call.
func (x *execution) guard(ctx context.Context) *Settled {
	phase := begin(ctx, policyGrace)
	defer phase.end()
	out := host.FireGuard(phase, x.asks(), OnGuard, x.shown(), func(err error) GuardDecision {
		return Forbid{Reason: failureOf(err).Message}
	})
	if out.Fault != nil {
		return x.stopped(ctx, out.Fault)
	}
	if d, ok := out.Decision.(Forbid); ok {
		return x.deny(d.Reason)
	}
	return nil
}
