package script

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	lua "github.com/yuin/gopher-lua"
	luar "layeh.com/gopher-luar"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/session"
)

// A handle is a session's live handle as it is bound to Lua, for one run. Its
// exported methods are what a script can call, with a small first letter. Each
// takes the state, so that what fails raises: an error that is only returned is
// one that nobody reads.
type handle struct {
	machine *machine
	live    session.Live
}

// Inject adds a message to the session: a text, or a table with text.
func (h handle) Inject(l *luar.LState) int {
	return h.act(l.LState, "inject", h.message, func(text, _ string) error { return h.live.Inject(h.from(text)) })
}

// Steer adds a message that the turn goes on with.
func (h handle) Steer(l *luar.LState) int {
	return h.act(l.LState, "steer", h.message, func(text, _ string) error { return h.live.Steer(h.from(text)) })
}

// Halt ends the turn, and says who does if that is kept.
func (h handle) Halt(l *luar.LState) int {
	return h.act(l.LState, "halt", text, func(reason, at string) error {
		live := h.live
		if attributing, ok := live.(session.Attributing); ok {
			live = attributing.By(session.Origin{Extension: h.machine.script.Name(), Rule: h.machine.rule, At: at})
		}
		return live.Halt(reason)
	})
}

// Tell says something to the user.
func (h handle) Tell(l *luar.LState) int {
	return h.act(l.LState, "tell", text, func(text, _ string) error { return h.live.Tell(text) })
}

// LiveMethods lists what a script can call on a live handle, in byte order.
func LiveMethods() []string {
	t := reflect.TypeFor[handle]()
	names := make([]string, t.NumMethod())
	for i := range names {
		names[i] = methodName(t.Method(i))
	}
	return names
}

func methodName(m reflect.Method) string { return strings.ToLower(m.Name[:1]) + m.Name[1:] }

var errMessage = errors.New("want a text, or a table with text")

// act does something to the session with the one argument of a method, as read
// understands it.
func (h handle) act(L *lua.LState, name string, read func(lua.LValue) (string, error), do func(text, at string) error) int {
	err := errMessage
	if L.GetTop() <= 1 {
		var text string
		if text, err = read(L.Get(1)); err == nil {
			h.machine.spendEffect(L, text)
			at := where(L).String()
			h.machine.vm.Outside(func() { err = do(text, at) })
		}
	}
	if err != nil {
		luavm.Raise(L, fmt.Errorf("live:%s: %w", name, err))
	}
	return 0
}

func text(arg lua.LValue) (string, error) {
	if text, ok := arg.(lua.LString); ok {
		return string(text), nil
	}
	return "", fmt.Errorf("want a text, got %s", luavm.TypeName(arg))
}

func (h handle) message(arg lua.LValue) (string, error) {
	if table, ok := arg.(*lua.LTable); ok {
		_, keys, err := h.machine.keys("message", table)
		if err != nil || len(keys) != 1 || keys[0] != "text" {
			return "", errMessage
		}
		arg = table.RawGetString("text")
	}
	if text, ok := arg.(lua.LString); ok && text != "" {
		return string(text), nil
	}
	return "", errMessage
}

func (h handle) from(text string) session.Message {
	return session.FromExtension(h.machine.script.Name(), text)
}

// facade makes the Lua value of a live handle, once a run. What the binding adds to
// the methods is sealed off: a script cannot assign to the value, print it, take it
// apart by operators, or use it after the run.
func (m *machine) facade(live any) lua.LValue {
	l, ok := live.(session.Live)
	if !ok {
		return nil
	}
	if m.live == nil {
		config := luar.GetConfig(m.vm.State())
		config.FieldNames = func(reflect.Type, reflect.StructField) []string { return nil }
		config.MethodNames = func(_ reflect.Type, method reflect.Method) []string { return []string{methodName(method)} }
		bound := luar.New(m.vm.State(), handle{m, l}).(*lua.LUserData)
		if m.liveMeta == nil {
			m.liveMeta = m.seal(bound)
		}
		bound.Metatable = m.liveMeta
		m.live = bound
	}
	return m.live
}

// seal returns the metatable that a bound handle has instead of the binding's.
func (m *machine) seal(bound *lua.LUserData) *lua.LTable {
	methods := m.vm.State().GetField(bound.Metatable, "methods")
	meta := m.vm.State().CreateTable(0, 3)
	meta.RawSetString("__index", m.vm.Func("live", func(L *lua.LState) int {
		name := lua.LVAsString(L.Get(2))
		method, ok := L.RawGet(methods.(*lua.LTable), L.Get(2)).(*lua.LFunction)
		if !ok {
			luavm.Raise(L, fmt.Errorf("a live handle has no method %q%s", name, schema.Hint(name, LiveMethods())))
		}
		L.Push(m.onHandle(name, method))
		return 1
	}))
	meta.RawSetString("__newindex", m.vm.Func("live", func(L *lua.LState) int {
		luavm.Raise(L, errors.New("a live handle cannot be changed"))
		return 0
	}))
	meta.RawSetString("__metatable", lua.LFalse)
	return meta
}

// onHandle returns a method that takes the handle of this run and no other.
func (m *machine) onHandle(name string, method *lua.LFunction) *lua.LFunction {
	return m.vm.Func("live:"+name, func(L *lua.LState) int {
		if L.Get(1) != m.live {
			luavm.Raise(L, fmt.Errorf("live:%s: call it with a colon, on the handle of this run", name))
		}
		L.Insert(method, 1)
		L.Call(L.GetTop()-1, 0)
		return 0
	})
}
