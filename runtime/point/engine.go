package point

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dsh-lua/dsh/runtime/internal/box"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// The engine runs the handlers of all kinds of points. It has no type
// parameters: one copy of it serves all points, and the typed face of each is a
// thin wrapper that puts payloads and answers into interfaces and takes them
// out. Only the walk along the chain of a waterfall has types; see [asking].

// errTwoPoints is what a handler of another type under the same name means.
var errTwoPoints = errors.New("two points have this name")

// stepFunc is a handler in the form that a run calls.
type stepFunc func(ctx context.Context, s *step) (any, error)

// running is the state of one run, shared by its handlers.
type running struct {
	point    *declared
	payload  any // points to the point's payload type; handlers are given copies
	observer Observer
	chain    []*entry
	typed    asker                     // of a waterfall: the same run with its types
	core     func(context.Context) any // stands behind the handlers; nil means the default
	shielded Shielded                  // what handlers could write into; nil if there is nothing
	spare    []step                    // made together
	taken    int                       // of spare
	leaving  sync.Mutex                // of what follows: the nexts of a repeatable point may overlap
	later    map[*step]any             // the last answers of nexts, where there is more to a next than its first answer
	encoded  *encoded                  // the payload in its wire form, once that is asked for
	fault    atomic.Pointer[error]     // the first one
	origin   atomic.Pointer[string]    // where the last answer of an untyped handler was built
}

// encoded is a payload in its wire form, or why it has none.
type encoded struct {
	value   value.Value
	invalid error
}

// of is a run together with its payload.
type of[P any] struct {
	running
	payload P
}

// blank returns a run of a point without answers that have a type, and of a
// payload that is still empty.
func blank[P any](d *declared) *running {
	r := new(of[P])
	r.point, r.running.payload = d, &r.payload
	return &r.running
}

// start prepares a run of d.
func start[P any](d *declared, run Run, payload P, chain []*entry) *running {
	r := &of[P]{payload: payload}
	r.point, r.running.payload = d, &r.payload
	r.observer, r.chain = run.Observer, chain
	SetLive(&r.payload, run.Live)
	r.shield()
	return &r.running
}

// stepsAtOnce is how many steps are allocated together: few enough for a long
// chain that ends early, and for 512 bytes, beyond which memory with pointers
// comes in coarser sizes.
const stepsAtOnce = 10

// step returns the step of the handler behind outer. No two of the nexts that are
// the first of their handler, and to which no repeated next has led, are at this
// place at once. So they share the spare steps without a lock, and all others
// have one made.
func (r *running) step(outer *step, first bool) *step {
	depth := outer.depth + 1
	if !first {
		s := &step{run: r, outer: outer, depth: depth}
		s.turn.Store(repeated)
		return s.watched()
	}
	if r.taken == len(r.spare) {
		r.spare, r.taken = make([]step, min(len(r.chain)-int(depth), stepsAtOnce)), 0
	}
	s := &r.spare[r.taken]
	r.taken++
	s.run, s.outer, s.depth = r, outer, depth
	return s.watched()
}

// last answers behind the last handler.
func (r *running) last(ctx context.Context) any {
	if r.core != nil {
		return r.core(ctx)
	}
	return r.point.standard(r.payload)
}

// contain calls a handler that has no next.
func (s *step) contain(ctx context.Context) (d any, err error) {
	defer recovered(&err)
	return s.call(ctx)
}

// call calls a handler that is not one of a waterfall's types.
func (s *step) call(ctx context.Context) (any, error) {
	if h, ok := s.entry().handler.(stepFunc); ok {
		return h(ctx, s)
	}
	return nil, errTwoPoints
}

// conclude makes what a handler said, or failed with, the answer of its step.
// early is what was wrong with the end of its turn.
func (s *step) conclude(d any, err, early error) (any, error) {
	if err == nil {
		err = early
	}
	if err == nil && !s.handsOn(d) {
		d, err = s.judge(d)
	}
	switch {
	case err != nil:
		err = s.entry().fault(s.run.point.name, err)
		err = cmp.Or(s.report(nil, err, early == nil), err)
	case s.run.observer != nil:
		err = s.report(d, nil, true)
	}
	if err != nil {
		return nil, s.fail(err)
	}
	return d, nil
}

// fail makes err the fault of the run, if it is the first.
func (s *step) fail(err error) error {
	fault := s.entry().fault(s.run.point.name, err)
	s.run.fault.CompareAndSwap(nil, &fault)
	return fault
}

// judge is the one place where an answer is checked: it must be a listed
// variant in its value form, pass its own Validate, and not need a grant that
// its extension lacks. What next said and the handler passes on needs none.
func (s *step) judge(d any) (any, error) {
	d, err := s.check(d)
	if err != nil && s.watch != nil && s.watch.at != "" {
		err = fmt.Errorf("%s: %w", s.watch.at, err)
	}
	return d, err
}

func (s *step) check(d any) (any, error) {
	decision := s.run.point.Decision()
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
	if need := needs(d); need != "" && !s.passesOn(need) && !slices.Contains(s.entry().owner.grants, need) {
		return d, fmt.Errorf("%s: needs the grant %q, which this extension does not have", DecisionPath, need)
	}
	return s.run.point.attribute(d, s.entry().owner.name), nil
}

// handsOn reports whether d is what next said, which has been judged as the
// answer of a handler behind. The innermost handler has none behind it.
func (s *step) handsOn(d any) bool {
	inner := s.inner()
	return inner != nil && int(s.depth)+1 < len(s.run.chain) && box.Same(d, inner)
}

// passesOn reports whether the answer of next needed the same grant.
func (s *step) passesOn(need Grant) bool { return s.heard() && needs(s.inner()) == need }

func needs(d any) Grant {
	if p, ok := d.(Privileged); ok {
		return p.Needs()
	}
	return ""
}

// wire encodes the payload once a run.
func (r *running) wire() (value.Value, error) {
	r.leaving.Lock()
	defer r.leaving.Unlock()
	if r.encoded == nil {
		v, err := r.point.Payload().Show(r.payload)
		r.encoded = &encoded{v, err}
	}
	return r.encoded.value, r.encoded.invalid
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

// A shape is a descriptor that is built when it is first needed.
type shape struct {
	once    sync.Once
	of      func(*schema.Decls) *schema.Type // nil if there is none
	typ     *schema.Type
	mistake any // in the declaration, with which every use panics
}

func (s *shape) get(decls *schema.Decls) *schema.Type {
	s.once.Do(func() {
		defer func() { s.mistake = recover() }()
		if s.of != nil {
			s.typ = s.of(decls)
		}
	})
	if s.mistake != nil {
		panic(s.mistake)
	}
	return s.typ
}

// subjectOf shows payload to filters; nil stands for a point without filters.
func subjectOf[P any](f func(P) Subject, payload P) Subject {
	if f == nil {
		return Subject{}
	}
	return f(payload)
}
