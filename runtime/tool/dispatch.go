package tool

import (
	"context"
	"reflect"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/session"
)

// Dispatch runs the tool, wrapped by tools/execute, and waits for it. Calls of
// the same agent may be dispatched at the same time.
func (p *Prepared) Dispatch(ctx context.Context) *Settled {
	x := (*execution)(p)
	if !x.enter(stagePrepared, stageDispatched) {
		return x.misused("Dispatch")
	}
	if !x.asked(OnExecute) {
		settled := x.settle(x.perform(ctx))
		x.gather(nil)
		x.unlessCancelled(ctx)
		return settled
	}
	phase := begin(ctx, policyGrace)
	defer phase.end()
	out := host.FireTo(phase, x.asks(), OnExecute, x.shown(),
		func(inner context.Context) Result { return x.centre(inner, phase) },
		func(err error) Result { return failureOf(err) })
	x.await(phase)
	if out.Fault != nil {
		failure := x.faulted(ctx, out.Fault, x.ran)
		if failure.Code == CodeAborted || failure.Code == CodeNotDispatched {
			return x.refuse(failure)
		}
		return x.fail(failure)
	}
	return x.adopt(ctx, out.Decision)
}

// perform runs the body and normalises what came of it.
func (x *execution) perform(ctx context.Context) outcome {
	if ctx.Err() != nil {
		return lost(Aborted(false))
	}
	tool := x.scope.Tools.lookup(x.call.Tool)
	if tool == nil || x.call.Fault == FaultUnknown {
		return lost(unknownTool(x.call.Tool))
	}
	fault := x.call.Fault
	if tool != x.tool {
		fault = tool.fault(x.call.Arguments) // another tool has taken the name meanwhile
	}
	if text, bad := strings.CutPrefix(fault, faultPrefix); bad {
		return lost(failed("invalid arguments: "+text, "ToolArgsError", CodeInvalidArguments))
	}
	returned, err := x.body(ctx, tool)
	switch {
	case cancelledBy(ctx, err):
		return lost(Aborted(true))
	case err != nil:
		x.confess("the body", err)
		return lost(failureOf(err))
	}
	o := tool.normalise(x, returned)
	if !o.failed && ctx.Err() != nil {
		return lost(Aborted(true))
	}
	return o
}

// body runs the body to its end.
func (x *execution) body(ctx context.Context, tool *registered) (returned any, err error) {
	if ready := x.scope.Ready; ready != nil {
		if err := contain(func() error { return ready(ctx, x.shown()) }); err != nil {
			return nil, err
		}
	}
	run := x.enterBody(ctx)
	sentry := x.watch(ctx)
	start := time.Since(epoch)
	defer func() { x.leave(run, sentry, start) }()
	err = contain(func() (err error) { returned, err = tool.Execute(ctx, run); return err })
	return returned, err
}

// enterBody is the beginning of a body. Those that a wrapper has run again, or at
// the same time, have nothing to do with each other.
func (x *execution) enterBody(ctx context.Context) *Running {
	x.mu.Lock()
	defer x.mu.Unlock()
	run := &x.run
	if x.ran {
		run = &Running{x: x}
	}
	run.inside = ctx
	x.ran = true
	x.bodies++
	return run
}

// leave is the end of a body that began at start, also of one that ended its
// goroutine.
func (x *execution) leave(run *Running, sentry *sentry, start time.Duration) {
	took := time.Since(epoch) - start
	var overdue *time.Timer
	x.mu.Lock()
	run.inside = nil
	if x.bodies--; x.bodies == 0 {
		overdue, x.overdue = x.overdue, nil
	}
	x.took += took
	x.mu.Unlock()
	sentry.end(&x.rt.sentries)
	if overdue != nil {
		overdue.Stop()
	}
}

// epoch is what bodies are timed against: asking how long ago it was reads one
// clock, where asking for the time reads two.
var epoch = time.Now()

// adopt makes the outcome of the call from what the wrappers returned. The
// pipeline's own result is kept as it is. Of any other success only the value
// and the contexts count, and the value is judged like a body's; a failure is
// kept as it was written.
func (x *execution) adopt(ctx context.Context, returned Result) *Settled {
	var out outcome
	var contexts []session.Context
	switch r := returned.(type) {
	case Success:
		contexts = r.Contexts
		if x.owns(r) {
			out = *x.canonical
			break
		}
		tool := x.scope.Tools.lookup(x.call.Tool)
		if tool == nil {
			return x.fail(unknownTool(x.call.Tool))
		}
		if out = tool.normalise(x, r.Value); out.failed {
			return x.fail(out.failure)
		}
	case Failure:
		contexts = r.Contexts
		authored, ok := asWritten(r)
		if !ok {
			return x.fail(failed(lossyResult, "", ""))
		}
		out = lost(authored)
	}
	settled := x.settle(out)
	x.gather(contexts)
	x.unlessCancelled(ctx)
	return settled
}

// owns reports whether r is the pipeline's own result, contexts apart.
func (x *execution) owns(r Success) bool {
	own := x.canonical
	return own != nil && !own.failed && own.success.Value == r.Value && own.success.Meta == r.Meta &&
		reflect.DeepEqual(own.success.Content, r.Content)
}

// asWritten checks a failure that a wrapper wrote.
func asWritten(r Failure) (Failure, bool) {
	out := failed(r.Message, r.Name, r.Code)
	if !losslessParts(r.Content) {
		return out, false // a copy of it may have no end
	}
	if r.Content != nil {
		out.Content = cloneParts(r.Content)
	}
	var err error
	if !r.Meta.IsAbsent() {
		out.Meta, err = Snapshot(r.Meta)
	}
	return out, err == nil
}

// gather gives the outcome the contexts of the call so far, in their order, and
// the wish to conclude that only its body can have.
func (x *execution) gather(wrappers []session.Context) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.out.setContexts(joined(x.before, x.deferred, wrappers))
	x.out.success.Concludes = x.concludes && !x.out.failed
}

// unlessCancelled turns the success of a cancelled call into the failure that
// says so. Failures are kept, and so are the contexts.
func (x *execution) unlessCancelled(ctx context.Context) {
	if x.out.failed || ctx.Err() == nil {
		return
	}
	contexts := x.out.contexts()
	x.out = lost(Aborted(x.ran))
	x.out.setContexts(contexts)
}
