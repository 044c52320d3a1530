package script

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/session"
)

// A facade is a session's live handle as scripts see it, for one run. Its
// methods are all that there is: a script cannot assign to it, look behind it,
// or use it after the run. A method that fails raises.
type facade struct {
	machine *machine
	live    session.Live
}

// A liveMethod is what a script can call on a live handle, with a text.
type liveMethod struct {
	message bool // also takes a table with text, which must not be empty
	do      func(f *facade, text, at string) error
}

var liveMethods = map[string]liveMethod{
	"inject": {true, func(f *facade, text, _ string) error { return f.live.Inject(f.message(text)) }},
	"steer":  {true, func(f *facade, text, _ string) error { return f.live.Steer(f.message(text)) }},
	"halt":   {false, func(f *facade, text, at string) error { return f.halt(text, at) }},
	"tell":   {false, func(f *facade, text, _ string) error { return f.live.Tell(text) }},
}

var liveNames = []string{"inject", "steer", "halt", "tell"}

// facade makes the Lua value of a live handle, once a run.
func (m *machine) facade(live any) lua.LValue {
	handle, ok := live.(session.Live)
	if !ok {
		return nil
	}
	if m.live == nil {
		m.live = &lua.LUserData{Value: &facade{m, handle}, Metatable: m.facadeMeta()}
	}
	return m.live
}

func (m *machine) facadeMeta() *lua.LTable {
	if m.liveMeta != nil {
		return m.liveMeta
	}
	m.liveMeta = m.vm.State().CreateTable(0, 3)
	m.liveMeta.RawSetString("__index", m.vm.Func("live", func(L *lua.LState) int {
		method, err := m.liveMethod(L.Get(2))
		if err != nil {
			luavm.Raise(L, err)
		}
		L.Push(method)
		return 1
	}))
	m.liveMeta.RawSetString("__newindex", m.vm.Func("live", func(L *lua.LState) int {
		luavm.Raise(L, errors.New("a live handle cannot be changed"))
		return 0
	}))
	m.liveMeta.RawSetString("__metatable", lua.LFalse)
	return m.liveMeta
}

// liveMethod returns the method with the given name, as a function whose first
// argument is the handle.
func (m *machine) liveMethod(key lua.LValue) (lua.LValue, error) {
	name := lua.LVAsString(key)
	method, ok := liveMethods[name]
	if !ok {
		return nil, fmt.Errorf("a live handle has no method %q%s", name, schema.Hint(name, liveNames))
	}
	return m.vm.Func("live:"+name, func(L *lua.LState) int {
		if err := m.callLive(L, method); err != nil {
			luavm.Raise(L, fmt.Errorf("live:%s: %w", name, err))
		}
		return 0
	}), nil
}

var (
	errNoHandle = errors.New("call it with a colon, on the handle of this run")
	errMessage  = errors.New("want a text, or a table with text")
)

func (m *machine) callLive(L *lua.LState, method liveMethod) (err error) {
	ud, ok := L.Get(1).(*lua.LUserData)
	if !ok || ud != m.live {
		return errNoHandle
	}
	f, ok := ud.Value.(*facade)
	if !ok || L.GetTop() > 2 {
		return errMessage
	}
	text, err := m.liveText(method, L.Get(2))
	if err != nil {
		return err
	}
	m.spendEffect(L, text)
	at := where(L).String()
	m.vm.Outside(func() { err = method.do(f, text, at) })
	return err
}

// liveText reads the argument of a method.
func (m *machine) liveText(method liveMethod, arg lua.LValue) (string, error) {
	if table, ok := arg.(*lua.LTable); ok && method.message {
		keys, err := m.vm.Reader("message").Root(table).Keys()
		m.spendItems(len(keys))
		if err != nil || len(keys) != 1 || keys[0] != "text" {
			return "", errMessage
		}
		arg = table.RawGetString("text")
	}
	text, ok := arg.(lua.LString)
	switch {
	case method.message && (!ok || text == ""):
		return "", errMessage
	case !ok:
		return "", fmt.Errorf("want a text, got %s", luavm.TypeName(arg))
	}
	return string(text), nil
}

func (f *facade) message(text string) session.Message {
	return session.FromExtension(f.machine.script.Name(), text)
}

// halt ends the turn, and says who does if that is kept.
func (f *facade) halt(reason, at string) error {
	live := f.live
	if attributing, ok := live.(session.Attributing); ok {
		live = attributing.By(session.Origin{Extension: f.machine.script.Name(), Rule: f.machine.rule, At: at})
	}
	return live.Halt(reason)
}
