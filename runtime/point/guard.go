package point

import (
	"context"

	"github.com/dsh-lua/dsh/runtime/schema"
)

// A GuardHandler answers one payload of a [Guard].
type GuardHandler[P, D any] func(ctx context.Context, payload P) (D, error)

// A Guard is a point whose handlers can only refuse: its union D has no variant
// that means yes, which is what makes guards monotonic. They are asked scope by
// scope from the root down, in order of attachment, until one refuses.
type Guard[P, D any] struct {
	declared
	subject func(P) Subject
	abstain D
}

// GuardSpec is what the declaration of a guard says beyond its types.
type GuardSpec[P, D any] struct {
	// Abstain is the answer of a handler without an objection, and the answer of
	// the point if nobody refuses.
	Abstain D
	// Refuses tells a refusal from an abstention.
	Refuses func(D) bool
	// Shield protects what handlers of one run share; nil protects nothing.
	Shield Shield[P]
	// Filters lists the filter fields that Subject fills.
	Filters []FilterField
	// Subject shows a payload to filters; nil means an empty one.
	Subject func(P) Subject
}

// NewGuard declares a guard.
func NewGuard[P, D any](name string, decls *schema.Decls, spec GuardSpec[P, D]) *Guard[P, D] {
	return &Guard[P, D]{declared{
		name: name, kind: GuardKind, decls: decls, filters: spec.Filters,
		payload: shape{of: schema.Of[P]}, decision: shape{of: schema.Of[D]}, blank: blank[P],
		shield:   spec.Shield.untyped(),
		tags:     schema.Tags[D],
		standard: func(any) any { return spec.Abstain }, attribute: attributes[D],
		stops:   func(d any, err error) bool { return err != nil || spec.Refuses(d.(D)) },
		subject: func(p any) Subject { return subjectOf(spec.Subject, *p.(*P)) },
	}, spec.Subject, spec.Abstain}
}

// Handle attaches h behind the handlers of its scope.
func (g *Guard[P, D]) Handle(in *Installer, h GuardHandler[P, D]) { g.HandleWith(in, h, Attach{}) }

// HandleWith attaches h as at says.
func (g *Guard[P, D]) HandleWith(in *Installer, h GuardHandler[P, D], at Attach) {
	in.add(&g.declared, at, h != nil, stepFunc(func(ctx context.Context, s *step) (any, error) {
		payload, ok := s.run.payload.(*P)
		if !ok {
			return nil, errTwoPoints
		}
		return h(ctx, *payload)
	}))
}

// Run asks the guards until the first refusal. Handlers are fixed when it
// starts. The error is a [*HandlerError], or the context's cause.
func (g *Guard[P, D]) Run(ctx context.Context, run Run, payload P) (D, error) {
	chain := run.Handlers.chain(g.name, subjectOf(g.subject, payload), true)
	if len(chain) == 0 {
		return g.abstain, nil
	}
	return answered[D](start(&g.declared, run, payload, chain).guard(ctx))
}

// guard asks one handler after the other, in one step: they have no next, so
// nothing of a handler is left when it returns.
func (r *running) guard(ctx context.Context) (any, error) {
	s := new(step)
	for i := range r.chain {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		*s = step{run: r, depth: int32(i)}
		s.watched()
		answer, err := s.contain(ctx)
		r.undo()
		if answer, err = s.conclude(answer, err, nil); r.point.stops(answer, err) {
			return answer, err
		}
	}
	return r.point.standard(r.payload), nil
}
