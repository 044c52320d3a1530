package point

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Next asks the handlers behind the caller, and finally the default, for their
// Decision. It may be called once (see [Point.MaxNext]) and only while the
// handler runs; ctx should descend from the handler's.
type Next[D any] func(ctx context.Context) (D, error)

// A Handler answers one payload of a waterfall. To stay out of the way, return
// next(ctx). An error fails the run: it is never taken for consent.
type Handler[P, D any] func(ctx context.Context, payload P, next Next[D]) (D, error)

// A Waterfall is a point whose handlers decide. P is a struct, D a sealed
// interface.
type Waterfall[P, D any] struct {
	declared
	spec Spec[P, D]
}

// Spec is what the declaration of a waterfall says beyond its types.
type Spec[P, D any] struct {
	// Default answers when no handler does. It must be there.
	Default func(P) D
	// Join merges answers that were given without asking the rest of the chain;
	// nil leaves them as they are. It is for untyped handlers only.
	Join *Join[P, D]
	// MaxNext is how often a handler may call next; 0 means once.
	MaxNext int
	// Forgiving lets an outer handler answer although one behind it failed. It
	// is for points whose business is failure.
	Forgiving bool
	// Filters lists the filter fields that Subject fills.
	Filters []FilterField
	// Subject shows a payload to filters; nil means an empty one.
	Subject func(P) Subject
}

// NewWaterfall declares a waterfall.
func NewWaterfall[P, D any](name string, decls *schema.Decls, spec Spec[P, D]) *Waterfall[P, D] {
	return &Waterfall[P, D]{declared{
		name: name, kind: WaterfallKind, decls: decls, filters: spec.Filters,
		payload:  sync.OnceValue(func() *schema.Type { return schema.Of[P](decls) }),
		decision: sync.OnceValue(func() *schema.Type { return schema.Of[D](decls) }),
		tags:     func() []string { return schema.Tags[D](decls) },
	}, spec}
}

// MaxNext implements [Point].
func (w *Waterfall[P, D]) MaxNext() int { return max(1, w.spec.MaxNext) }

// Joined implements [Point].
func (w *Waterfall[P, D]) Joined() bool { return w.spec.Join != nil }

// Handle attaches h behind the handlers already attached.
func (w *Waterfall[P, D]) Handle(in *Installer, h Handler[P, D]) { w.HandleWith(in, h, Attach{}) }

// HandleWith attaches h as at says.
func (w *Waterfall[P, D]) HandleWith(in *Installer, h Handler[P, D], at Attach) {
	in.add(w.name, at, stepFunc[P, D](func(ctx context.Context, s *step[P, D]) (D, error) {
		return h(ctx, s.run.payload, s.next)
	}))
}

// Run asks the attached handlers in order. The error is a [*HandlerError], or
// the context's cause if it was done before a handler was asked.
func (w *Waterfall[P, D]) Run(ctx context.Context, run Run, payload P) (D, error) {
	var subject Subject
	if w.spec.Subject != nil {
		subject = w.spec.Subject(payload)
	}
	chain := run.Handlers.chain(w.name, subject, false)
	if len(chain) == 0 {
		return w.ask(ctx, &running[P, D]{point: w, payload: payload}, chain)
	}
	r := &running[P, D]{point: w, payload: payload, observer: run.Observer}
	d, err := w.ask(ctx, r, chain)
	if fault := r.fault.Load(); fault != nil && !w.spec.Forgiving {
		var none D
		return none, *fault
	}
	return d, err
}

// running is the state of one run, shared by its handlers.
type running[P, D any] struct {
	point    *Waterfall[P, D]
	payload  P
	observer Observer
	fault    atomic.Pointer[error] // the first one
	encoded  func() (value.Value, error)
	once     sync.Once
}

// ask runs the first handler of chain, or answers with the default.
func (w *Waterfall[P, D]) ask(ctx context.Context, r *running[P, D], chain []*entry) (D, error) {
	var none D
	if ctx.Err() != nil {
		return none, context.Cause(ctx)
	}
	if len(chain) == 0 {
		return w.spec.Default(r.payload), nil
	}
	s := &step[P, D]{run: r, entry: chain[0], rest: chain[1:]}
	s.watch.begin(r.observer)
	d, err := s.contain(ctx)
	s.calls.Store(closed)
	if err == nil {
		d, err = w.judge(d, s)
	}
	if err != nil {
		err = s.entry.fault(w.name, err)
		r.fault.CompareAndSwap(nil, &err)
		s.watch.end(w.name, s.entry, &s.note, nil, false, err)
		return none, err
	}
	if s.watch.observer != nil {
		s.watch.end(w.name, s.entry, &s.note, d, s.own(d), nil)
	}
	return d, nil
}

// stepFunc is a handler in the form that a run calls.
type stepFunc[P, D any] func(ctx context.Context, s *step[P, D]) (D, error)

// A step is one handler's turn in a run.
type step[P, D any] struct {
	run   *running[P, D]
	entry *entry
	rest  []*entry
	calls atomic.Int32 // of next, or closed
	asked bool
	inner D   // the last answer of next
	given any // what an untyped handler answered itself, before it was joined
	note  note
	watch watch
}

const closed = -1 << 20

// own reports whether d is the handler's answer rather than that of next.
func (s *step[P, D]) own(d D) bool {
	if !s.asked || !reflect.DeepEqual(d, s.inner) {
		return true
	}
	return s.given != nil && reflect.DeepEqual(d, s.given)
}

func (s *step[P, D]) contain(ctx context.Context) (d D, err error) {
	defer recovered(&err)
	h, ok := s.entry.handler.(stepFunc[P, D])
	if !ok {
		return d, fmt.Errorf("two points are named %s", s.run.point.name)
	}
	return h(ctx, s)
}

func (s *step[P, D]) next(ctx context.Context) (d D, err error) {
	switch n := s.calls.Add(1); {
	case n < 0:
		return d, ErrNextLate
	case int(n) > s.run.point.MaxNext():
		return d, ErrNextTwice
	}
	if s.watch.observer != nil {
		start := time.Now()
		defer func() { s.watch.inside += time.Since(start) }()
	}
	d, err = s.run.point.ask(ctx, s.run, s.rest)
	if err == nil {
		s.asked, s.inner = true, d
	}
	return d, err
}

// judge is the one place where an answer is checked: it must be a listed
// variant in its value form, pass its own Validate, and not need a grant that
// its extension lacks. What next said and the handler passes on needs none.
func (w *Waterfall[P, D]) judge(d D, s *step[P, D]) (D, error) {
	if err := w.Decision().Check(d); err != nil {
		return d, err
	}
	if v, ok := any(d).(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return d, fmt.Errorf("decision: %w", err)
		}
	}
	if need := needs(d); need != "" && !slices.Contains(s.entry.owner.grants, need) && !(s.asked && needs(s.inner) == need) {
		return d, fmt.Errorf("decision: needs the grant %q, which this extension does not have", need)
	}
	if a, ok := any(d).(interface{ Attribute(string) D }); ok {
		d = a.Attribute(s.entry.owner.name)
	}
	return d, nil
}

func needs(d any) Grant {
	if p, ok := d.(Privileged); ok {
		return p.Needs()
	}
	return ""
}
