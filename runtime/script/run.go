package script

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
)

// handler returns handler k of the script in the form that a point calls.
func (s *Script) handler(k int) point.ValueHandler {
	p := s.point(s.handlers[k].Point)
	return func(ctx context.Context, asked point.Asked) (point.Answer, error) {
		m, err := s.pool.take(s)
		if err != nil {
			return point.Answer{}, err
		}
		defer s.pool.put(s, m)
		inst, err := m.instance(ctx, s)
		if err != nil {
			return point.Answer{}, err
		}
		return m.run(ctx, inst, k, p, asked)
	}
}

// run runs handler k of an instance on a budget of its own.
func (m *machine) run(ctx context.Context, inst *instance, k int, p point.Point, asked point.Asked) (answer point.Answer, err error) {
	if err := m.vm.Begin(ctx); err != nil {
		return point.Answer{}, err
	}
	m.modules.Begin(stdlib.Run{Services: m.script.opts.Services, Script: m.script.name, Payload: asked.Payload})
	m.running, m.rule, m.outside = inst, m.script.rules[k], outside{}
	m.grants = asked.Grants
	defer func() { answer.Steps = m.vm.End() }()
	return m.ask(inst.handlers[k], p, asked)
}

// ask runs one handler within a run of the state.
func (m *machine) ask(handler *lua.LFunction, p point.Point, asked point.Asked) (point.Answer, error) {
	args := []lua.LValue{m.vm.Freeze(asked.Payload, m.payloadShape(p, asked.Live), nil)}
	if asked.Next != nil && takesNext(handler) {
		args = append(args, m.next(p, asked.Next))
	}
	rets, err := m.vm.Call(handler, args...)
	if err != nil {
		return point.Answer{}, err
	}
	if len(rets) == 0 || rets[0] == lua.LNil {
		if len(rets) > 1 {
			err := fmt.Errorf("the handler returns nil and %d more values; an answer is one table", len(rets)-1)
			return point.Answer{}, &Error{m.script.at(handler.Proto.LineDefined), err}
		}
		return point.Answer{}, nil
	}
	at := m.answeredAt(handler, rets[0])
	d, err := m.decide(rets, asked)
	if err != nil {
		return point.Answer{At: at}, &Error{at, err}
	}
	_, passedOn := luavm.Carried(rets[0])
	return point.Answer{Decision: d, At: at, Own: !passedOn}, nil
}

// answeredAt returns where an answer was built, or else where the handler begins.
func (m *machine) answeredAt(handler *lua.LFunction, answer lua.LValue) string {
	if table, ok := answer.(*lua.LTable); ok {
		if p := m.builtAt(table); p.line > 0 {
			return m.spell(p)
		}
	}
	return m.spell(place{m.script.name, handler.Proto.LineDefined})
}

// spell is p as a text. Most answers are built where the last one was.
func (m *machine) spell(p place) string {
	if m.last.text == "" || m.last.place != p {
		m.last.place, m.last.text = p, p.String()
	}
	return m.last.text
}

// takesNext reports whether a handler has a second parameter to ask with.
func takesNext(handler *lua.LFunction) bool {
	return handler.Proto.NumParameters > 1 || handler.Proto.IsVarArg != 0
}

// builtAt returns where an answer was built; line 0 if nobody knows.
func (m *machine) builtAt(table *lua.LTable) place {
	if p, ok := placeOf(table, m.built); ok {
		return p
	}
	if p, ok := placeOf(table, m.running.built); ok {
		return p
	}
	file, line := m.vm.TablePlace(table)
	return place{file, line}
}

var errSeveral = errors.New("the handler returns several values; an answer is one table")

// decide reads what a handler returned. An answer of next that comes back as it
// was is that very answer.
func (m *machine) decide(rets []lua.LValue, asked point.Asked) (any, error) {
	if len(rets) > 1 {
		return nil, errSeveral
	}
	if asked.Decode == nil {
		return nil, fmt.Errorf("a handler of a notification returns nothing, got %s", luavm.TypeName(rets[0]))
	}
	if d, ok := luavm.Carried(rets[0]); ok {
		return d, nil
	}
	defer m.answer.end()
	d, err := asked.Decode(m.answer.begin(m.vm, rets[0]))
	if m.answer.err != nil {
		return nil, m.answer.err
	}
	return d, err
}

// next makes the function that a handler calls to ask the rest of the chain.
func (m *machine) next(p point.Point, ask func(context.Context) (point.Inner, error)) lua.LValue {
	return m.vm.Func("next", func(L *lua.LState) int {
		ctx, cancel, err := m.nextContext(L, p)
		if err != nil {
			luavm.Raise(L, err)
		}
		var inner point.Inner
		m.vm.Outside(func() { inner, err = ask(ctx) })
		cancel()
		if err != nil {
			luavm.Raise(L, err)
		}
		L.Push(m.vm.Freeze(inner.Value, shapeOf(p.Decision()), inner.Decision))
		return 1
	})
}

// nextTimeout is the one option of next.
const nextTimeout = "timeout_ms"

var errNextOptions = errors.New("next takes nothing here but a table with " + nextTimeout + ", in milliseconds")

// nextContext reads the arguments of next: none, or where it may be called
// again a table with timeout_ms.
func (m *machine) nextContext(L *lua.LState, p point.Point) (context.Context, context.CancelFunc, error) {
	ctx, nothing := m.vm.Context(), func() {}
	switch {
	case L.GetTop() == 0:
		return ctx, nothing, nil
	case p.MaxNext() < 2:
		return ctx, nothing, errors.New("next takes no arguments here: a payload cannot be changed on its way")
	}
	options, ok := L.Get(1).(*lua.LTable)
	if !ok || L.GetTop() > 1 {
		return ctx, nothing, errNextOptions
	}
	names, err := m.vm.Reader("options").Root(options).Keys()
	if err != nil {
		return ctx, nothing, errNextOptions
	}
	for _, name := range names {
		if name != nextTimeout {
			return ctx, nothing, fmt.Errorf("%w; it has no %q%s", errNextOptions, name, luavm.Hint(name, []string{nextTimeout}))
		}
	}
	ms, ok := options.RawGetString(nextTimeout).(lua.LNumber)
	if !ok || !(ms > 0 && float64(ms) < math.MaxInt32) {
		return ctx, nothing, errNextOptions
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(float64(ms)*float64(time.Millisecond)))
	return ctx, cancel, nil
}
