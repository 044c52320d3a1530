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

// HandleValue implements [Point].
func (d *declared) HandleValue(in *Installer, h ValueHandler, at Attach) {
	in.add(d, at, h != nil, func(ctx context.Context, s *step) (any, error) {
		payload, err := s.run.wire()
		if err != nil {
			return nil, err
		}
		asked := Asked{Payload: payload, Live: liveOf(s.run.payload)}
		if d.kind != NotificationKind {
			asked.Decode = d.decode
		}
		if d.kind == WaterfallKind {
			asked.Next = s.nextValue
		}
		answer, err := h(ctx, asked)
		s.note(answer)
		if err != nil {
			return nil, err
		}
		return s.settle(ctx, answer.Decision)
	})
}

// settle makes of what an untyped handler said the answer of its step.
func (s *step) settle(ctx context.Context, said any) (any, error) {
	switch d := s.run.point; {
	case d.kind == NotificationKind && said != nil:
		return nil, fmt.Errorf("%s: a handler of a notification returns nothing", DecisionPath)
	case d.kind == NotificationKind:
		return nil, nil
	case d.kind == GuardKind && said == nil:
		return d.standard(s.run.payload), nil
	case d.kind == GuardKind || said != nil && s.asked:
		return said, nil
	case said != nil:
		if s.watch != nil {
			s.watch.given = said
		}
		return s.join(ctx, said)
	case s.asked:
		return s.inner, nil
	}
	return s.next(ctx)
}

// decode reads a foreign value as a decision.
func (d *declared) decode(n schema.Node) (any, error) { return d.decision().Decode(DecisionPath, n) }

func (s *step) nextValue(ctx context.Context) (Inner, error) {
	d, err := s.next(ctx)
	if err != nil {
		return Inner{}, err
	}
	v, err := s.run.point.decision().Encode(d)
	return Inner{v, d}, err
}

// RunValue implements [Point].
func (d *declared) RunValue(ctx context.Context, run Run, payload value.Value, live any) (value.Value, error) {
	p, err := d.unpack(d.payload(), payload, live)
	if err != nil {
		return value.Value{}, err
	}
	var answer any
	switch subject := d.subject(p); d.kind {
	case NotificationKind:
		return value.Value{}, d.tell(ctx, run, p, run.Handlers.chain(d.name, subject, false))
	case GuardKind:
		answer, err = d.guard(ctx, run, p, run.Handlers.chain(d.name, subject, true))
	case WaterfallKind:
		answer, err = d.waterfall(ctx, run, p, run.Handlers.chain(d.name, subject, false), nil)
	}
	if err != nil {
		return value.Value{}, err
	}
	return d.decision().Encode(answer)
}

// PayloadPath is how errors name a payload.
const PayloadPath = "payload"

// unpack reads a payload of type P and puts live into it.
func unpack[P any](t *schema.Type, v value.Value, live any) (any, error) {
	n := schema.NodeOf(v)
	if n == nil {
		n = schema.NodeOf(value.NullValue())
	}
	p := new(P)
	if err := t.DecodeInto(p, PayloadPath, n); err != nil {
		return nil, err
	}
	SetLive(p, live)
	return *p, nil
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
