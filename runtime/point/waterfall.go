package point

import (
	"context"
	"fmt"

	"github.com/dsh-lua/dsh/runtime/schema"
)

// Next asks the handlers behind the caller, and finally the default, for their
// Decision. It may be called once (see [Point.MaxNext]) and only while the
// handler runs; ctx should descend from the handler's.
type Next[D any] func(ctx context.Context) (D, error)

// A Handler answers one payload of a waterfall. To stay out of the way, return
// next(ctx). An error fails the run: it is never taken for consent. What payload
// refers to is shared by the handlers of a run and must not be changed; what a
// handler writes there all the same is undone where the point has a [Shield].
type Handler[P, D any] func(ctx context.Context, payload P, next Next[D]) (D, error)

// A Waterfall is a point whose handlers decide. P is a struct, D a sealed
// interface.
type Waterfall[P, D any] struct {
	declared
	subject  func(P) Subject
	fallback func(P) D
}

// Spec is what the declaration of a waterfall says beyond its types.
type Spec[P, D any] struct {
	// Default answers when no handler does. It must be there.
	Default func(P) D
	// Join merges answers that were given without asking the rest of the chain;
	// nil leaves them as they are. It is for untyped handlers only.
	Join *Join[P, D]
	// MaxNext is how often a handler may call next, at most 1000 times; 0 means
	// once.
	MaxNext int
	// Forgiving lets an outer handler answer although one behind it failed. It
	// is for points whose business is failure.
	Forgiving bool
	// Shield protects what handlers of one run share; nil protects nothing.
	Shield Shield[P]
	// Filters lists the filter fields that Subject fills.
	Filters []FilterField
	// Subject shows a payload to filters; nil means an empty one.
	Subject func(P) Subject
}

// NewWaterfall declares a waterfall.
func NewWaterfall[P, D any](name string, decls *schema.Decls, spec Spec[P, D]) *Waterfall[P, D] {
	if spec.MaxNext > mostNext {
		panic(fmt.Sprintf("%s: MaxNext is %d, at most %d is possible", name, spec.MaxNext, mostNext))
	}
	return &Waterfall[P, D]{declared{
		name: name, kind: WaterfallKind, decls: decls, filters: spec.Filters,
		payload: shape{of: schema.Of[P]}, decision: shape{of: schema.Of[D]}, blank: blankWaterfall[P, D],
		shield:   spec.Shield.untyped(),
		tags:     schema.Tags[D],
		standard: func(p any) any { return spec.Default(*p.(*P)) }, attribute: attributes[D],
		joins: spec.Join.untyped(), maxNext: max(1, spec.MaxNext), forgiving: spec.Forgiving,
		subject: func(p any) Subject { return subjectOf(spec.Subject, *p.(*P)) },
	}, spec.Subject, spec.Default}
}

// Handle attaches h behind the handlers already attached.
func (w *Waterfall[P, D]) Handle(in *Installer, h Handler[P, D]) { w.HandleWith(in, h, Attach{}) }

// HandleWith attaches h as at says.
func (w *Waterfall[P, D]) HandleWith(in *Installer, h Handler[P, D], at Attach) {
	in.add(&w.declared, at, h != nil, h)
}

// Run asks the attached handlers in order. The error is a [*HandlerError], or
// the context's cause if it was done before a handler was asked.
func (w *Waterfall[P, D]) Run(ctx context.Context, run Run, payload P) (D, error) {
	subject := subjectOf(w.subject, payload)
	chain := run.Handlers.chain(w.name, subject, false)
	if len(chain) > 0 {
		return w.start(run, payload, chain).answer(ctx)
	}
	if ctx.Err() != nil {
		var none D
		return none, context.Cause(ctx)
	}
	return w.fallback(payload), nil
}

// RunTo is [Waterfall.Run] with core in place of the default, for a point that
// wraps work. core is given the context that the innermost handler passed to its
// next. Handlers and core are reached even if their context is done: what that
// means is for core to say.
func (w *Waterfall[P, D]) RunTo(ctx context.Context, run Run, payload P, core func(context.Context) D) (D, error) {
	chain := run.Handlers.chain(w.name, subjectOf(w.subject, payload), false)
	if len(chain) == 0 {
		return core(ctx), nil
	}
	r := w.start(run, payload, chain)
	r.core = func(ctx context.Context) any { return core(ctx) }
	return r.answer(ctx)
}
