package point

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// The engine runs the handlers of all kinds of points. It has no type
// parameters: one copy of it serves all points, and the typed face of each is a
// thin wrapper that puts payloads and answers into interfaces and takes them
// out.

// errTwoPoints is what a handler of another type under the same name means.
var errTwoPoints = errors.New("two points have this name")

// stepFunc is a handler in the form that a run calls.
type stepFunc func(ctx context.Context, s *step) (any, error)

// running is the state of one run, shared by its handlers.
type running struct {
	point    *declared
	payload  any // of the point's payload type
	observer Observer
	core     func(context.Context) any // stands behind the handlers; nil means the default
	fault    atomic.Pointer[error]     // the first one
	origin   atomic.Pointer[string]    // where the last answer of an untyped handler was built

	once    sync.Once
	encoded value.Value
	invalid error
}

// A step is one handler's turn in a run.
type step struct {
	run   *running
	entry *entry
	rest  []*entry
	watch *watch // nil without an observer

	mu     sync.Mutex // a handler may call next on goroutines of its own
	calls  int32      // of next
	below  int32      // calls of next under way
	closed bool       // the handler returned; nothing here changes any more
	asked  bool
	inner  any // the last answer of next
}

// ask runs the first handler of chain, or answers with the default.
func (r *running) ask(ctx context.Context, chain []*entry) (any, error) {
	if r.core == nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	switch {
	case len(chain) > 0:
	case r.core != nil:
		return r.core(ctx), nil
	default:
		return r.point.standard(r.payload), nil
	}
	s := &step{run: r, entry: chain[0], rest: chain[1:]}
	return s.take(ctx)
}

// take runs the handler of s, contained, and judges its answer.
func (s *step) take(ctx context.Context) (any, error) {
	s.watch = watched(s.run.observer)
	d, err := s.contain(ctx)
	if early := s.close(); err == nil {
		err = early
	}
	if err == nil {
		d, err = s.judge(d)
	}
	if err == nil {
		err = s.report(d, nil)
	} else {
		err = s.entry.fault(s.run.point.name, err)
		err = cmp.Or(s.report(nil, err), err)
	}
	if err != nil {
		fault := s.entry.fault(s.run.point.name, err)
		s.run.fault.CompareAndSwap(nil, &fault)
		return nil, fault
	}
	return d, nil
}

func (s *step) contain(ctx context.Context) (d any, err error) {
	defer recovered(&err)
	return s.entry.handler(ctx, s)
}

func (s *step) next(ctx context.Context) (any, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	var start time.Time
	if s.watch != nil {
		start = time.Now()
	}
	d, err := s.run.ask(ctx, s.rest)
	s.leave(d, err, start)
	return d, err
}

func (s *step) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrNextLate
	case int(s.calls) == s.run.point.maxNext:
		return ErrNextTwice
	}
	s.calls++
	s.below++
	return nil
}

func (s *step) leave(d any, err error, start time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.below--
	if s.closed {
		return
	}
	if s.watch != nil {
		s.watch.inside += time.Since(start)
	}
	if err == nil {
		s.asked, s.inner = true, d
	}
}

// close ends the handler's turn: from now on its next is late.
func (s *step) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.below > 0 {
		return ErrNextRunning
	}
	return nil
}

// judge is the one place where an answer is checked: it must be a listed
// variant in its value form, pass its own Validate, and not need a grant that
// its extension lacks. What next said and the handler passes on needs none.
func (s *step) judge(d any) (any, error) {
	decision := s.run.point.decision()
	if decision == nil {
		return nil, nil
	}
	if err := decision.Check(d); err != nil {
		return d, err
	}
	if v, ok := d.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return d, fmt.Errorf("%s: %w", DecisionPath, err)
		}
	}
	passedOn := s.asked && needs(s.inner) == needs(d)
	if need := needs(d); need != "" && !passedOn && !slices.Contains(s.entry.owner.grants, need) {
		return d, fmt.Errorf("%s: needs the grant %q, which this extension does not have", DecisionPath, need)
	}
	return s.run.point.attribute(d, s.entry.owner.name), nil
}

func needs(d any) Grant {
	if p, ok := d.(Privileged); ok {
		return p.Needs()
	}
	return ""
}

// wire encodes the payload once a run.
func (r *running) wire() (value.Value, error) {
	r.once.Do(func() { r.encoded, r.invalid = r.point.payload().Encode(r.payload) })
	return r.encoded, r.invalid
}

// asIs leaves an answer without contexts to attribute.
func asIs(d any, _ string) any { return d }

// attributes lets a variant with a method Attribute name the extension behind
// its contexts. The method returns nil if there is nothing to name, which spares
// most answers a copy.
func attributes[D any](d any, extension string) any {
	if a, ok := d.(interface{ Attribute(string) D }); ok {
		if named := any(a.Attribute(extension)); named != nil {
			return named
		}
	}
	return d
}

// answered takes the answer of a run out of its interface.
func answered[D any](d any, err error) (D, error) {
	out, _ := d.(D)
	return out, err
}

// typeOf returns a descriptor that is built when it is first needed.
func typeOf[T any](decls *schema.Decls) func() *schema.Type {
	return sync.OnceValue(func() *schema.Type { return schema.Of[T](decls) })
}

// subjectOf shows payload to filters; nil stands for a point without filters.
func subjectOf[P any](f func(P) Subject, payload P) Subject {
	if f == nil {
		return Subject{}
	}
	return f(payload)
}
