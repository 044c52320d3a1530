package tool

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// A handler that is deciding when its call is cancelled is heard to its end: a
// denial is kept although the call was cancelled meanwhile, and a script would
// otherwise be stopped in the middle of saying so. The contexts of handlers
// therefore end a little later than the caller's. The body's does not. What hangs
// until its context ends keeps whoever cancels a call waiting for 1.3 seconds at
// most, by way of tools/pre-execute, guards, tools/post-execute and tools/result.
const (
	policyGrace = 250 * time.Millisecond // before and around the body
	resultGrace = 400 * time.Millisecond // for judging and telling what already happened
	batchGrace  = 300 * time.Millisecond // for all phases of a batch that begin after it was cancelled
)

// untilKey is the key of the time by which the handlers of a cancelled batch
// must be done.
type untilKey struct{}

// A graceful context has the values of its caller's and ends a while after it,
// or after the phase began if the caller's was done by then. It costs nothing
// until somebody waits for it.
type graceful struct {
	caller context.Context
	grace  time.Duration

	mu    sync.Mutex
	done  chan struct{}
	err   error
	ended atomic.Bool // err is set; it never changes after
	timer *time.Timer
	stop  func() bool // of watching the caller
	over  bool
}

type callerKey struct{}

// begin starts a phase that extensions take part in.
func begin(caller context.Context, grace time.Duration) *graceful {
	return &graceful{caller: caller, grace: grace}
}

// end releases what the phase held. Contexts that handlers kept are done.
func (g *graceful) end() {
	g.mu.Lock()
	stop := g.stop
	g.stop, g.over = nil, true
	g.finish(context.Canceled)
	g.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// finish closes the channel; the lock is held.
func (g *graceful) finish(err error) {
	if g.timer != nil {
		g.timer.Stop()
		g.timer = nil
	}
	if g.err == nil {
		g.err = err
		g.ended.Store(true)
		if g.done != nil {
			close(g.done)
		}
	}
}

// Deadline implements [context.Context].
func (g *graceful) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements [context.Context].
func (g *graceful) Done() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.watch()
}

// watch begins to wait for the end, at the first interest in it; the lock is
// held.
func (g *graceful) watch() <-chan struct{} {
	if g.done == nil {
		g.done = make(chan struct{})
		switch {
		case g.err != nil:
			close(g.done)
		case g.caller.Done() != nil:
			g.stop = context.AfterFunc(g.caller, g.wind)
		}
	}
	return g.done
}

// wind starts the time that is left.
func (g *graceful) wind() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.over {
		grace := g.grace
		if until, ok := g.caller.Value(untilKey{}).(time.Time); ok {
			grace = max(0, min(grace, time.Until(until)))
		}
		g.timer = time.AfterFunc(grace, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.finish(g.caller.Err())
		})
	}
}

// Err implements [context.Context].
func (g *graceful) Err() error {
	if !g.ended.Load() && g.caller.Err() == nil {
		return nil // as a rule, and every handler asks
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.caller.Err() != nil {
		g.watch()
	}
	return g.err
}

// Value implements [context.Context].
func (g *graceful) Value(key any) any {
	if key == (callerKey{}) {
		return g.caller
	}
	return g.caller.Value(key)
}

// Caller returns the context that the caller of the pipeline gave for the call
// of which ctx is a handler's context. Unlike ctx it ends at once when the call
// is cancelled. It is ctx itself outside of the pipeline.
func Caller(ctx context.Context) context.Context {
	if caller, ok := ctx.Value(callerKey{}).(context.Context); ok {
		return caller
	}
	return ctx
}

// join returns the context of a body: that which the wrappers passed on, ended
// by the caller's too, so that no wrapper can detach a body from its call.
func join(ctx context.Context, phase *graceful) (context.Context, func()) {
	caller := phase.caller
	if ctx == context.Context(phase) {
		return caller, func() {}
	}
	joined, cancel := context.WithCancelCause(ctx)
	if caller.Err() != nil {
		cancel(context.Cause(caller))
	}
	stop := context.AfterFunc(caller, func() { cancel(context.Cause(caller)) })
	return bodyContext{joined, caller}, func() { stop(); cancel(context.Canceled) }
}

// bodyContext hides the phase of a wrapper from what the body calls.
type bodyContext struct {
	context.Context
	caller context.Context
}

// Value implements [context.Context].
func (c bodyContext) Value(key any) any {
	if key == (callerKey{}) {
		return c.caller.Value(key)
	}
	return c.Context.Value(key)
}

// cancelledBy reports whether err says no more than that ctx is done.
func cancelledBy(ctx context.Context, err error) bool {
	if ctx.Err() == nil || err == nil {
		return false
	}
	return is(err, context.Canceled) || is(err, context.DeadlineExceeded) || is(err, context.Cause(ctx))
}

// is is [errors.Is] for an error that may panic when it is asked: then it counts
// as the same. So do two that Go cannot compare, which are of one type.
func is(err, target error) (same bool) {
	defer func() { same = recover() != nil || same }()
	return errors.Is(err, target)
}
