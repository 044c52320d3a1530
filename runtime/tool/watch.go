package tool

import (
	"cmp"
	"context"
	"sync"
	"time"
)

const (
	patience = 5 * time.Second
	glance   = 20 * time.Millisecond // after which a body is worth watching
)

// A sentry watches one body at a time. Most bodies have ended before it looks
// at them, and cost it one setting of its timer: to be told of the end of a
// context would cost each of them a lock that all calls under it share.
type sentry struct {
	timer *time.Timer
	x     *execution
	ctx   context.Context // of the body

	mu   sync.Mutex
	over bool        // the body has ended
	stop func() bool // ends the wait for the context
}

// watch sees to it that a body is named in the log that goes on long after its
// context is done. It returns nil if there is nothing to watch.
func (x *execution) watch(ctx context.Context) *sentry {
	if x.rt.Warn == nil || ctx.Done() == nil {
		return nil
	}
	s, _ := x.rt.sentries.Get().(*sentry)
	if s == nil {
		s = &sentry{x: x, ctx: ctx}
		s.timer = time.AfterFunc(glance, s.look)
		return s
	}
	s.x, s.ctx = x, ctx
	s.timer.Reset(glance)
	return s
}

// end ends the watch. A sentry that never looked goes back to idle ones.
func (s *sentry) end(idle *sync.Pool) {
	switch {
	case s == nil:
	case s.timer.Stop():
		s.x, s.ctx = nil, nil
		idle.Put(s)
	default:
		s.dismiss()
	}
}

// look waits for the context of a body that takes its time.
func (s *sentry) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.stop = context.AfterFunc(s.ctx, s.x.lose)
	}
}

func (s *sentry) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.stop != nil {
		s.stop()
	}
}

// lose starts to lose patience with the body.
func (x *execution) lose() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.bodies > 0 && x.overdue == nil {
		x.overdue = time.AfterFunc(cmp.Or(x.rt.Patience, patience), x.complain)
	}
}

func (x *execution) complain() {
	x.mu.Lock()
	running := x.bodies > 0
	x.mu.Unlock()
	if running {
		x.warn("tool %q (%s): the body ignores its context and is still running %v after it was cancelled",
			x.call.Tool, x.call.ID, cmp.Or(x.rt.Patience, patience))
	}
}
