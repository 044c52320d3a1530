package point

import (
	"context"
	"fmt"
	"sync"

	"github.com/dsh-lua/dsh/runtime/schema"
)

// A GuardHandler answers one payload of a [Guard].
type GuardHandler[P, D any] func(ctx context.Context, payload P) (D, error)

// A Guard is a point whose handlers can only refuse: its union D has no variant
// that means yes, which is what makes guards monotonic. They are asked scope by
// scope from the root down, in order of attachment, until one refuses.
type Guard[P, D any] struct {
	declared
	spec GuardSpec[P, D]
}

// GuardSpec is what the declaration of a guard says beyond its types.
type GuardSpec[P, D any] struct {
	// Abstain is the answer of a handler without an objection, and the answer of
	// the point if nobody refuses.
	Abstain D
	// Refuses tells a refusal from an abstention.
	Refuses func(D) bool
	// Filters lists the filter fields that Subject fills.
	Filters []FilterField
	// Subject shows a payload to filters; nil means an empty one.
	Subject func(P) Subject
}

// NewGuard declares a guard.
func NewGuard[P, D any](name string, decls *schema.Decls, spec GuardSpec[P, D]) *Guard[P, D] {
	return &Guard[P, D]{declared{
		name: name, kind: GuardKind, decls: decls, filters: spec.Filters,
		payload:  sync.OnceValue(func() *schema.Type { return schema.Of[P](decls) }),
		decision: sync.OnceValue(func() *schema.Type { return schema.Of[D](decls) }),
		tags:     func() []string { return schema.Tags[D](decls) },
	}, spec}
}

// MaxNext implements [Point].
func (g *Guard[P, D]) MaxNext() int { return 0 }

// Joined implements [Point].
func (g *Guard[P, D]) Joined() bool { return false }

// Handle attaches h behind the handlers of its scope.
func (g *Guard[P, D]) Handle(in *Installer, h GuardHandler[P, D]) { g.HandleWith(in, h, Attach{}) }

// HandleWith attaches h as at says.
func (g *Guard[P, D]) HandleWith(in *Installer, h GuardHandler[P, D], at Attach) {
	in.add(g.name, at, toldFunc[P, D](func(ctx context.Context, t *told[P]) (D, error) {
		return h(ctx, t.payload)
	}))
}

// Run asks the guards until the first refusal. Handlers are fixed when it
// starts. The error is a [*HandlerError], or the context's cause.
func (g *Guard[P, D]) Run(ctx context.Context, run Run, payload P) (D, error) {
	var subject Subject
	if g.spec.Subject != nil {
		subject = g.spec.Subject(payload)
	}
	t := &told[P]{payload: payload, decls: g.payload}
	for _, e := range run.Handlers.chain(g.name, subject, true) {
		if ctx.Err() != nil {
			return g.spec.Abstain, context.Cause(ctx)
		}
		d, err := callTold[P, D](ctx, &g.declared, e, t, run.Observer, g.check)
		if err != nil || g.spec.Refuses(d) {
			return d, err
		}
	}
	return g.spec.Abstain, nil
}

func (g *Guard[P, D]) check(d D) error {
	if err := g.Decision().Check(d); err != nil {
		return err
	}
	if v, ok := any(d).(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("decision: %w", err)
		}
	}
	return nil
}
