package point

import (
	"context"
	"fmt"
	"reflect"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A ValueHandler is a handler without static types, as scripts have it.
type ValueHandler func(ctx context.Context, asked Asked) (Answer, error)

// Asked is what a [ValueHandler] is given.
type Asked struct {
	// Payload is the payload in its wire form. It is shared by all untyped
	// handlers of a run.
	Payload value.Value
	// Live is the payload's live handle, or nil.
	Live any
	// Next is nil where there is no next.
	Next func(ctx context.Context) (Inner, error)
	// Decode reads a foreign value as a Decision of the point, while the handler
	// runs. Its error is a [*schema.Error] whose path begins with "decision". It
	// is nil at a notification.
	Decode func(n schema.Node) (any, error)
}

// Inner is what the handlers behind said.
type Inner struct {
	// Value is the answer in its wire form.
	Value value.Value
	// Decision is the answer itself. A handler that hands it back in its
	// [Answer] passes the very same Go value on.
	Decision any
}

// Answer is what a [ValueHandler] says. Its zero value has no opinion: the
// answer is that of next, which is asked if the handler did not, or "abstain".
type Answer struct {
	// Decision is the answer: what [Asked.Decode] made of the handler's own, or
	// what next said, passed on as it is.
	Decision any
	// At is the "file:line" that built the answer, where known.
	At string
	// Steps is what the handler cost, in VM instructions.
	Steps int64
}

// DecisionPath is how errors name an answer.
const DecisionPath = "decision"

// decoder returns the function that reads a foreign value as a decision.
func decoder(t func() *schema.Type) func(schema.Node) (any, error) {
	return func(n schema.Node) (any, error) { return t().Decode(DecisionPath, n) }
}

// decided returns the answer as a D; own is false where there is none.
func decided[D any](a Answer) (d D, own bool, err error) {
	if a.Decision == nil {
		return d, false, nil
	}
	d, ok := a.Decision.(D)
	if !ok {
		return d, true, fmt.Errorf("%s: a %T is not an answer of this point", DecisionPath, a.Decision)
	}
	return d, true, nil
}

// HandleValue implements [Point].
func (w *Waterfall[P, D]) HandleValue(in *Installer, h ValueHandler, at Attach) {
	in.add(w.name, at, stepFunc[P, D](func(ctx context.Context, s *step[P, D]) (d D, err error) {
		payload, err := s.run.wire()
		if err != nil {
			return d, err
		}
		answer, err := h(ctx, Asked{payload, liveOf(s.run.payload), s.nextValue, decoder(w.decision)})
		s.note = note{answer.At, answer.Steps}
		if err != nil {
			return d, err
		}
		d, own, err := decided[D](answer)
		switch {
		case err != nil:
			return d, err
		case own && s.asked:
			return d, nil
		case own:
			s.given = d
			return s.join(ctx, d)
		case s.asked:
			return s.inner, nil
		}
		return s.next(ctx)
	}))
}

func (s *step[P, D]) nextValue(ctx context.Context) (Inner, error) {
	d, err := s.next(ctx)
	if err != nil {
		return Inner{}, err
	}
	v, err := s.run.point.Decision().Encode(d)
	return Inner{v, d}, err
}

// wire encodes the payload once a run.
func (r *running[P, D]) wire() (value.Value, error) {
	r.once.Do(func() {
		v, err := r.point.Payload().Encode(r.payload)
		r.encoded = func() (value.Value, error) { return v, err }
	})
	return r.encoded()
}

// RunValue implements [Point].
func (w *Waterfall[P, D]) RunValue(ctx context.Context, run Run, payload value.Value, live any) (value.Value, error) {
	p, err := payloadOf[P](w.Payload(), payload, live)
	if err != nil {
		return value.Value{}, err
	}
	d, err := w.Run(ctx, run, p)
	if err != nil {
		return value.Value{}, err
	}
	return w.Decision().Encode(d)
}

// HandleValue implements [Point].
func (g *Guard[P, D]) HandleValue(in *Installer, h ValueHandler, at Attach) {
	in.add(g.name, at, toldFunc[P, D](func(ctx context.Context, t *told[P]) (D, error) {
		answer, err := t.ask(ctx, h, decoder(g.decision))
		if err != nil {
			return g.spec.Abstain, err
		}
		d, own, err := decided[D](answer)
		if err != nil || own {
			return d, err
		}
		return g.spec.Abstain, nil
	}))
}

// RunValue implements [Point].
func (g *Guard[P, D]) RunValue(ctx context.Context, run Run, payload value.Value, live any) (value.Value, error) {
	p, err := payloadOf[P](g.Payload(), payload, live)
	if err != nil {
		return value.Value{}, err
	}
	d, err := g.Run(ctx, run, p)
	if err != nil {
		return value.Value{}, err
	}
	return g.Decision().Encode(d)
}

// HandleValue implements [Point]. An answer is an error: nobody would see it.
func (n *Notification[P]) HandleValue(in *Installer, h ValueHandler, at Attach) {
	in.add(n.name, at, toldFunc[P, struct{}](func(ctx context.Context, t *told[P]) (struct{}, error) {
		answer, err := t.ask(ctx, h, nil)
		if err == nil && answer.Decision != nil {
			err = fmt.Errorf("%s: a handler of a notification returns nothing", DecisionPath)
		}
		return struct{}{}, err
	}))
}

// RunValue implements [Point].
func (n *Notification[P]) RunValue(ctx context.Context, run Run, payload value.Value, live any) (value.Value, error) {
	p, err := payloadOf[P](n.Payload(), payload, live)
	if err != nil {
		return value.Value{}, err
	}
	return value.Value{}, n.Run(ctx, run, p)
}

func (t *told[P]) ask(ctx context.Context, h ValueHandler, decode func(schema.Node) (any, error)) (answer Answer, err error) {
	if t.encoded.IsAbsent() {
		if t.encoded, err = t.decls().Encode(t.payload); err != nil {
			return Answer{}, err
		}
	}
	answer, err = h(ctx, Asked{Payload: t.encoded, Live: liveOf(t.payload), Decode: decode})
	t.note = note{answer.At, answer.Steps}
	return answer, err
}

// PayloadPath is how errors name a payload.
const PayloadPath = "payload"

func payloadOf[P any](t *schema.Type, v value.Value, live any) (p P, err error) {
	n := schema.NodeOf(v)
	if n == nil {
		n = schema.NodeOf(value.NullValue())
	}
	x, err := t.Decode(PayloadPath, n)
	if err != nil {
		return p, err
	}
	p, _ = x.(P)
	SetLive(&p, live)
	return p, nil
}

// liveField is the field of a payload that holds its live handle.
const liveField = "Live"

// SetLive puts live into the field Live of payload, a pointer to a struct, if
// there is such a field and live fits it.
func SetLive(payload, live any) {
	if live == nil {
		return
	}
	f := reflect.ValueOf(payload).Elem().FieldByName(liveField)
	if f.IsValid() && f.CanSet() && reflect.TypeOf(live).AssignableTo(f.Type()) {
		f.Set(reflect.ValueOf(live))
	}
}

func liveOf(payload any) any {
	f := reflect.ValueOf(payload).FieldByName(liveField)
	if !f.IsValid() || f.Kind() == reflect.Interface && f.IsNil() {
		return nil
	}
	return f.Interface()
}
