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
	phase := x.begin(phaseExecute, ctx)
	defer phase.end()
	out := host.FireTo(phase, x.asks(), OnExecute, x.call,
		func(inner context.Context) Result { return x.centre(inner, ctx) },
		func(err error) Result { return failureOf(err) })
	if out.Fault != nil {
		failure := x.faulted(ctx, out.Fault, x.ran)
		if failure.Code == CodeAborted || failure.Code == CodeNotDispatched {
			return x.refuse(failure)
		}
		return x.fail(failure)
	}
	return x.adopt(ctx, out.Decision)
}

// centre is what the wrappers wrap. The result it hands out is a copy: what the
// pipeline itself made of the body is kept apart, where no wrapper can write.
func (x *execution) centre(inner, caller context.Context) Result {
	ctx, release := join(inner, &x.phases[phaseExecute], caller)
	defer release()
	r := x.perform(ctx)
	x.mu.Lock()
	x.canonical = r
	x.mu.Unlock()
	return clone(r)
}

// perform runs the body and normalises what came of it.
func (x *execution) perform(ctx context.Context) Result {
	if ctx.Err() != nil {
		return Aborted(false)
	}
	tool := x.scope.Tools.lookup(x.call.Tool)
	if tool == nil || x.call.Fault == faultUnknown {
		return unknownTool(x.call.Tool)
	}
	fault := x.call.Fault
	if tool != x.tool {
		fault = tool.fault(x.call.Arguments) // another tool has taken the name meanwhile
	}
	if text, bad := strings.CutPrefix(fault, faultPrefix); bad {
		return failed("invalid arguments: "+text, "ToolArgsError", CodeInvalidArguments)
	}
	returned, err := x.body(ctx, tool)
	if err != nil {
		if cancelledBy(ctx, err) {
			return Aborted(true)
		}
		return failureOf(err)
	}
	r := tool.normalise(x.call, returned)
	if _, ok := r.(Success); ok && ctx.Err() != nil {
		return Aborted(true)
	}
	return r
}

// body runs the body to its end.
func (x *execution) body(ctx context.Context, tool *registered) (returned any, err error) {
	x.mu.Lock()
	x.ran = true
	x.bodies++
	x.mu.Unlock()
	defer x.watch(ctx)()
	start := time.Now()
	err = contain(func() (err error) { returned, err = tool.Execute(ctx, &x.run); return err })
	x.mu.Lock()
	x.bodies--
	x.took += time.Since(start)
	x.mu.Unlock()
	return returned, err
}

const patience = 5 * time.Second

// watch names a body in the log that goes on long after its context is done.
// The returned function ends the watch.
func (x *execution) watch(ctx context.Context) (end func()) {
	if x.rt.Warn == nil || ctx.Done() == nil {
		return func() {}
	}
	wait := x.rt.Patience
	if wait == 0 {
		wait = patience
	}
	ended, finished := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(finished)
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-ended:
		case <-timer.C:
			x.warn("tool %q (%s): the body ignores its context and is still running %v after it was cancelled", x.call.Tool, x.call.ID, wait)
		}
	})
	return func() {
		close(ended)
		if !stop() {
			<-finished
		}
	}
}

// adopt makes the result of the call from what the wrappers returned. The
// pipeline's own result is kept as it is. Of any other success only the value
// and the contexts count, and the value is judged like a body's; a failure is
// kept as it was written.
func (x *execution) adopt(ctx context.Context, returned Result) *Settled {
	var out Result
	var contexts []session.Context
	switch r := returned.(type) {
	case Success:
		contexts = r.Contexts
		if out = x.own(r); out == nil {
			tool := x.scope.Tools.lookup(x.call.Tool)
			if tool == nil {
				return x.fail(unknownTool(x.call.Tool))
			}
			out = tool.normalise(x.call, r.Value)
			if failure, bad := out.(Failure); bad {
				return x.fail(failure)
			}
		}
	case Failure:
		contexts = r.Contexts
		authored, ok := asWritten(r)
		if !ok {
			return x.fail(failed(lossyResult, "", ""))
		}
		out = authored
	}
	return x.settle(x.unlessCancelled(ctx, x.withContexts(out, contexts)))
}

// own returns the pipeline's own result if r is that, contexts apart.
func (x *execution) own(r Success) Result {
	own, ok := x.canonical.(Success)
	if !ok || own.Value != r.Value || own.Meta != r.Meta || !reflect.DeepEqual(own.Content, r.Content) {
		return nil
	}
	return own
}

// asWritten checks a failure that a wrapper wrote.
func asWritten(r Failure) (Failure, bool) {
	out := failed(r.Message, r.Name, r.Code)
	if r.Content != nil {
		out.Content = cloneParts(r.Content)
	}
	var err error
	if !r.Meta.IsAbsent() {
		out.Meta, err = Snapshot(r.Meta)
	}
	return out, err == nil && losslessParts(out.Content)
}

// withContexts gives r the contexts of the call so far, in their order, and the
// wish to conclude that only its body can have.
func (x *execution) withContexts(r Result, wrappers []session.Context) Result {
	x.mu.Lock()
	defer x.mu.Unlock()
	contexts := joined(x.before, x.deferred, wrappers)
	switch r := r.(type) {
	case Success:
		r.Contexts, r.Concludes = contexts, x.concludes
		return r
	case Failure:
		r.Contexts = contexts
		return r
	}
	return r
}

// unlessCancelled turns a success of a cancelled call into the failure that
// says so. Failures are kept, and so are the contexts.
func (x *execution) unlessCancelled(ctx context.Context, r Result) Result {
	success, ok := r.(Success)
	if !ok || ctx.Err() == nil {
		return r
	}
	out := Aborted(x.ran)
	out.Contexts = success.Contexts
	return out
}

// contextsOfResult returns the contexts of r.
func contextsOfResult(r Result) []session.Context {
	switch r := r.(type) {
	case Success:
		return r.Contexts
	case Failure:
		return r.Contexts
	}
	return nil
}
