package point

import (
	"context"
	"errors"

	"github.com/dsh-lua/dsh/runtime/schema"
)

// A Notification is a point that only tells. Its handlers are contained one by
// one: the failure of one does not starve the next.
type Notification[P any] struct {
	declared
	subject func(P) Subject
}

// NotificationSpec is what the declaration of a notification says beyond its type.
type NotificationSpec[P any] struct {
	// StopOnError makes the first failing handler the last one that is told.
	StopOnError bool
	// Shield protects what handlers of one run share; nil protects nothing.
	Shield Shield[P]
	// Filters lists the filter fields that Subject fills.
	Filters []FilterField
	// Subject shows a payload to filters; nil means an empty one.
	Subject func(P) Subject
}

// NewNotification declares a notification.
func NewNotification[P any](name string, decls *schema.Decls, spec NotificationSpec[P]) *Notification[P] {
	return &Notification[P]{declared{
		name: name, kind: NotificationKind, decls: decls, filters: spec.Filters,
		payload: shape{of: schema.Of[P]}, blank: blank[P],
		shield: spec.Shield.untyped(),
		tags:   func(*schema.Decls) []string { return nil }, attribute: asIs,
		stops:   func(_ any, err error) bool { return err != nil && spec.StopOnError },
		subject: func(p any) Subject { return subjectOf(spec.Subject, *p.(*P)) },
	}, spec.Subject}
}

// Handle attaches h behind the handlers already attached.
func (n *Notification[P]) Handle(in *Installer, h func(ctx context.Context, payload P) error) {
	n.HandleWith(in, h, Attach{})
}

// HandleWith attaches h as at says.
func (n *Notification[P]) HandleWith(in *Installer, h func(ctx context.Context, payload P) error, at Attach) {
	in.add(&n.declared, at, h != nil, stepFunc(func(ctx context.Context, s *step) (any, error) {
		payload, ok := s.run.payload.(*P)
		if !ok {
			return nil, errTwoPoints
		}
		return nil, h(ctx, *payload)
	}))
}

// Run tells the handlers in order, on the caller's goroutine, and returns when
// all have returned. The error joins the [*HandlerError] of every handler that
// failed; it is for a log, unless the point stops on errors.
func (n *Notification[P]) Run(ctx context.Context, run Run, payload P) error {
	chain := run.Handlers.chain(n.name, subjectOf(n.subject, payload), false)
	if len(chain) == 0 {
		return nil
	}
	return start(&n.declared, run, payload, chain).tell(ctx)
}

// tell tells one handler after the other, in one step as a guard does.
func (r *running) tell(ctx context.Context) error {
	var failed []error
	s := new(step)
	for i := range r.chain {
		if ctx.Err() != nil {
			failed = append(failed, context.Cause(ctx))
			break
		}
		*s = step{run: r, depth: int32(i)}
		s.watched()
		answer, err := s.contain(ctx)
		r.undo()
		answer, err = s.conclude(answer, err, nil)
		if err != nil {
			failed = append(failed, err)
		}
		if r.point.stops(answer, err) {
			break
		}
	}
	return errors.Join(failed...)
}
