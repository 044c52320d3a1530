package point

import (
	"context"
	"errors"
	"sync"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Notification is a point that only tells. Its handlers are contained one by
// one: the failure of one does not starve the next.
type Notification[P any] struct {
	declared
	spec NotificationSpec[P]
}

// NotificationSpec is what the declaration of a notification says beyond its type.
type NotificationSpec[P any] struct {
	// StopOnError makes the first failing handler the last one that is told.
	StopOnError bool
	// Filters lists the filter fields that Subject fills.
	Filters []FilterField
	// Subject shows a payload to filters; nil means an empty one.
	Subject func(P) Subject
}

// NewNotification declares a notification.
func NewNotification[P any](name string, decls *schema.Decls, spec NotificationSpec[P]) *Notification[P] {
	return &Notification[P]{declared{
		name: name, kind: NotificationKind, decls: decls, filters: spec.Filters, decision: noDecision, tags: noTags,
		payload: sync.OnceValue(func() *schema.Type { return schema.Of[P](decls) }),
	}, spec}
}

// MaxNext implements [Point].
func (n *Notification[P]) MaxNext() int { return 0 }

// Joined implements [Point].
func (n *Notification[P]) Joined() bool { return false }

// Handle attaches h behind the handlers already attached.
func (n *Notification[P]) Handle(in *Installer, h func(ctx context.Context, payload P) error) {
	n.HandleWith(in, h, Attach{})
}

// HandleWith attaches h as at says.
func (n *Notification[P]) HandleWith(in *Installer, h func(ctx context.Context, payload P) error, at Attach) {
	in.add(n.name, at, toldFunc[P, struct{}](func(ctx context.Context, t *told[P]) (struct{}, error) {
		return struct{}{}, h(ctx, t.payload)
	}))
}

// Run tells the handlers in order, on the caller's goroutine, and returns when
// all have returned. The error joins the [*HandlerError] of every handler that
// failed; it is for a log, unless the point stops on errors.
func (n *Notification[P]) Run(ctx context.Context, run Run, payload P) error {
	var subject Subject
	if n.spec.Subject != nil {
		subject = n.spec.Subject(payload)
	}
	var failed []error
	t := &told[P]{payload: payload, decls: n.payload}
	for _, e := range run.Handlers.chain(n.name, subject, false) {
		if ctx.Err() != nil {
			return errors.Join(append(failed, context.Cause(ctx))...)
		}
		_, err := callTold[P, struct{}](ctx, &n.declared, e, t, run.Observer, nil)
		if err != nil {
			if failed = append(failed, err); n.spec.StopOnError {
				break
			}
		}
	}
	return errors.Join(failed...)
}

// toldFunc is a handler without next, in the form that a run calls.
type toldFunc[P, D any] func(ctx context.Context, t *told[P]) (D, error)

// told is the state of one run of a guard or notification.
type told[P any] struct {
	payload P
	decls   func() *schema.Type
	encoded value.Value
	note    note
}

// callTold calls one handler, contained, and tells the observer.
func callTold[P, D any](ctx context.Context, d *declared, e *entry, t *told[P], o Observer, check func(D) error) (answer D, err error) {
	var w watch
	w.begin(o)
	t.note = note{}
	answer, err = containTold[P, D](ctx, e, t)
	if err == nil && check != nil {
		err = check(answer)
	}
	if err != nil {
		var none D
		err = e.fault(d.name, err)
		w.end(d.name, e, &t.note, nil, false, err)
		return none, err
	}
	var shown any
	if check != nil {
		shown = answer
	}
	w.end(d.name, e, &t.note, shown, check != nil, nil)
	return answer, nil
}

func containTold[P, D any](ctx context.Context, e *entry, t *told[P]) (d D, err error) {
	defer recovered(&err)
	h, ok := e.handler.(toldFunc[P, D])
	if !ok {
		return d, errors.New("two points have this name")
	}
	return h(ctx, t)
}
