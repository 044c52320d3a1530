package point

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

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
	// Grants are those that the extension was installed with.
	Grants []Grant
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
	// Own marks a Decision that the handler built although it asked next, even if
	// it is equal to what next said.
	Own bool
	// At is the "file:line" that built the answer, where known.
	At string
	// Steps is what the handler cost, in VM instructions.
	Steps int64
}

// DecisionPath is how errors name an answer.
const DecisionPath = "decision"

// HandleValue implements [Point].
func (d *declared) HandleValue(in *Installer, h ValueHandler, at Attach) {
	var find finder
	decode, grants := d.decode, slices.Clone(in.owner.grants)
	in.add(d, at, h != nil, stepFunc(func(ctx context.Context, s *step) (any, error) {
		payload, err := s.run.wire()
		if err != nil {
			return nil, err
		}
		asked := Asked{Payload: payload, Live: find.liveOf(s.run.payload), Grants: grants}
		if d.kind != NotificationKind {
			asked.Decode = decode
		}
		if d.kind == WaterfallKind {
			asked.Next = s.nextValue
		}
		answer, err := h(ctx, asked)
		early := s.close() // what next said is read from here on
		s.remember(answer)
		if err = cmp.Or(err, early); err != nil {
			return nil, err
		}
		return s.settle(ctx, answer)
	}))
}

// settle makes of what an untyped handler said the answer of its step.
func (s *step) settle(ctx context.Context, answer Answer) (any, error) {
	d, said := s.run.point, answer.Decision
	if s.run.observer != nil && d.kind == WaterfallKind && (answer.Own || !s.heard()) {
		s.watch.given = said
	}
	switch {
	case d.kind == NotificationKind && said != nil:
		return nil, fmt.Errorf("%s: a handler of a notification returns nothing", DecisionPath)
	case d.kind == NotificationKind:
		return nil, nil
	case d.kind == GuardKind && said == nil:
		return d.standard(s.run.payload), nil
	case d.kind == GuardKind || said != nil && s.heard():
		return said, nil
	case said != nil:
		return s.join(ctx, said)
	case s.heard():
		return s.inner(), nil
	}
	return s.nextFor(ctx)
}

// nextFor asks the handlers behind for an untyped handler that has returned.
func (s *step) nextFor(ctx context.Context) (any, error) {
	s.turn.And(^returned)
	return s.next(ctx)
}

// decode reads a foreign value as a decision.
func (d *declared) decode(n schema.Node) (any, error) { return d.Decision().Decode(DecisionPath, n) }

func (s *step) nextValue(ctx context.Context) (Inner, error) {
	d, err := s.next(ctx)
	if err != nil {
		return Inner{}, err
	}
	v, err := s.run.point.Decision().Encode(d)
	return Inner{v, d}, err
}

// RunValue implements [Point].
func (d *declared) RunValue(ctx context.Context, run Run, payload value.Value, live any) (value.Value, error) {
	if live == nil {
		live = run.Live
	}
	r, err := d.unpack(payload, live)
	if err != nil {
		return value.Value{}, err
	}
	r.observer = run.Observer
	r.chain = run.Handlers.chain(d.name, d.subject(r.payload), d.kind == GuardKind)
	r.shield()
	var answer any
	switch d.kind {
	case NotificationKind:
		return value.Value{}, r.tell(ctx)
	case GuardKind:
		answer, err = r.guard(ctx)
	case WaterfallKind:
		answer, err = r.typed.ask(ctx)
	}
	if err != nil {
		return value.Value{}, err
	}
	return d.Decision().Encode(answer)
}

// PayloadPath is how errors name a payload.
const PayloadPath = "payload"

// unpack makes a run of the payload that v describes, with live in it.
func (d *declared) unpack(v value.Value, live any) (*running, error) {
	n := schema.NodeOf(v)
	if n == nil {
		n = schema.NodeOf(value.NullValue())
	}
	r := d.blank(d)
	if err := d.Payload().DecodeInto(r.payload, PayloadPath, n); err != nil {
		return nil, err
	}
	SetLive(r.payload, live)
	return r, nil
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

// A finder finds the live handle in payloads of one type. It looks for the field
// once, as that takes longer than all the rest.
type finder struct {
	once  sync.Once
	index []int // nil if there is no such field
}

// liveOf returns the live handle of payload, a pointer to a struct.
func (f *finder) liveOf(payload any) any {
	v := reflect.ValueOf(payload).Elem()
	f.once.Do(func() {
		if field, ok := v.Type().FieldByName(liveField); ok {
			f.index = field.Index
		}
	})
	if f.index == nil {
		return nil
	}
	live := v.FieldByIndex(f.index)
	if live.Kind() == reflect.Interface && live.IsNil() {
		return nil
	}
	return live.Interface()
}
