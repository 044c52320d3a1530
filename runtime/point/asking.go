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
	d, err := r.behind(r.outside.watched())(ctx)
	if fault := r.fault.Load(); fault != nil && !r.point.forgiving {
		var none D
		return none, *fault
	}
	return d, err
}

func (r *asking[P, D]) ask(ctx context.Context) (any, error) { return r.answer(ctx) }

func (r *asking[P, D]) next(ctx context.Context, s *step) (any, error) { return r.behind(s)(ctx) }

// behind returns the next of s. Inlined, it would be there three times for every
// waterfall.
//
//go:noinline
func (r *asking[P, D]) behind(s *step) Next[D] {
	return func(ctx context.Context) (d D, err error) {
		t, start, err := s.enter(ctx)
		switch {
		case err != nil:
			return d, err
		case t == nil:
			d, _ = r.last(ctx).(D)
			s.leave(d, nil, start)
			return d, nil
		}
		defer r.caught(s, t, start, &d, &err)
		if h, ok := t.entry().handler.(Handler[P, D]); ok {
			d, err = h(ctx, r.payload, r.behind(t))
		} else {
			d, err = untyped[D](ctx, t)
		}
		d, err = concluded(t, d, err)
		s.leave(d, err, start)
		return d, err
	}
}

// caught is the end of a next of s that the handler of t left with a panic.
func (r *asking[P, D]) caught(s, t *step, start time.Duration, d *D, err *error) {
	if p := recover(); p != nil {
		var none D
		*d, *err = concluded(t, none, panicked(p))
		s.leave(nil, *err, start)
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

// concluded ends the turn of a handler that said d, or failed with err. Most
// hand on what next said.
func concluded[D any](s *step, d D, err error) (D, error) {
	early := s.close()
	if err == nil && early == nil && s.run.observer == nil && s.handsOn(d) {
		return d, nil
	}
	return answered[D](s.conclude(d, err, early))
}
