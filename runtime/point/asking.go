package point

import (
	"context"
	"time"
)

// asking is one run of a waterfall with its types. Of a long chain all handlers
// are on the stack at once, and each return to a frame that the processor has
// lost sight of costs as much as a lock. So there is one frame between a handler
// and the next: that of the next, which contains the handler behind it. All else
// is in functions that have returned while a handler runs.
type asking[P, D any] struct {
	running
	payload P
	outside step // stands before the first handler
}

// An asker is an [asking] without its types.
type asker interface {
	// ask asks the handlers from the outermost in.
	ask(ctx context.Context) (any, error)
	// next asks the handlers behind s.
	next(ctx context.Context, s *step) (any, error)
}

// start prepares a run of w.
func (w *Waterfall[P, D]) start(run Run, payload P, chain []*entry) *asking[P, D] {
	r := &asking[P, D]{payload: payload}
	r.observer, r.chain = run.Observer, chain
	r.begin(&w.declared)
	SetLive(&r.payload, run.Live)
	r.shield()
	return r
}

// blankWaterfall is blank for a waterfall.
func blankWaterfall[P, D any](d *declared) *running {
	r := new(asking[P, D])
	r.begin(d)
	return &r.running
}

func (r *asking[P, D]) begin(d *declared) {
	r.point, r.running.payload, r.typed = d, &r.payload, r
	r.outside.run, r.outside.depth = &r.running, -1
}

// answer asks the handlers from the outermost in.
func (r *asking[P, D]) answer(ctx context.Context) (D, error) {
	makeRoom(uintptr(len(r.chain)) * perHandler[P]())
	d, err := behind[P, D](r.outside.watched())(ctx)
	if fault := r.fault.Load(); fault != nil && !r.point.forgiving {
		var none D
		return none, *fault
	}
	return d, err
}

func (r *asking[P, D]) ask(ctx context.Context) (any, error) { return r.answer(ctx) }

func (r *asking[P, D]) next(ctx context.Context, s *step) (any, error) { return behind[P, D](s)(ctx) }

// behind returns the next of s. Inlined, it would be there three times for every
// waterfall.
//
//go:noinline
func behind[P, D any](s *step) Next[D] {
	return func(ctx context.Context) (d D, err error) {
		t, err := s.enter(ctx)
		r, _ := s.run.typed.(*asking[P, D])
		if t == nil {
			return r.beyond(ctx, s, err)
		}
		ended := false
		defer func() {
			if !ended {
				caught(s, t, recover(), &d, &err)
			}
		}()
		if h, ok := t.entry().handler.(Handler[P, D]); ok {
			d, err = h(ctx, r.payload, behind[P, D](t))
		} else {
			d, err = untyped[D](ctx, t)
		}
		early, done := s.handOn(t, d, err)
		if !done {
			d, err = concluded(s, t, d, err, early)
		}
		ended = true
		return d, err
	}
}

// beyond ends a next of s behind which there is no handler, or which was refused
// with err.
func (r *asking[P, D]) beyond(ctx context.Context, s *step, err error) (d D, _ error) {
	if err != nil {
		return d, err
	}
	var began time.Duration
	if s.run.observer != nil {
		began = clock()
	}
	d, _ = r.last(ctx).(D)
	s.leave(d, nil, began)
	return d, nil
}

// caught is the end of a next of s that the handler of t left with a panic, of
// value p. There is none if it ended its goroutine.
func caught[D any](s, t *step, p any, d *D, err *error) {
	if p != nil {
		s.run.undo()
		var none D
		*d, *err = concluded(s, t, none, panicked(p), t.close())
	}
}

// untyped calls a handler without types, or one of another point of that name.
func untyped[D any](ctx context.Context, s *step) (D, error) {
	said, err := s.call(ctx)
	d, ok := said.(D)
	if !ok && err == nil {
		_, err = s.judge(said)
	}
	return d, err
}

// concluded ends the turn of t, whose handler said d or failed with err, and with
// it the next of s. early is what was wrong with the end of the turn.
func concluded[D any](s, t *step, d D, err, early error) (D, error) {
	d, err = answered[D](t.conclude(d, err, early))
	s.leave(d, err, t.began())
	return d, err
}
