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

// liveMethods are what a script can call on a live handle.
var liveMethods = map[string]func(f *facade, arg lua.LValue) error{
	"inject": func(f *facade, arg lua.LValue) error { return f.send(arg, f.live.Inject) },
	"steer":  func(f *facade, arg lua.LValue) error { return f.send(arg, f.live.Steer) },
	"halt":   func(f *facade, arg lua.LValue) error { return f.say(arg, f.live.Halt) },
	"tell":   func(f *facade, arg lua.LValue) error { return f.say(arg, f.live.Tell) },
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
	do := liveMethods[name]
	if do == nil {
		return nil, fmt.Errorf("a live handle has no method %q%s", name, schema.Hint(name, liveNames))
	}
	return m.vm.Func("live:"+name, func(L *lua.LState) int {
		if err := m.callLive(L, do); err != nil {
			luavm.Raise(L, fmt.Errorf("live:%s: %w", name, err))
		}
		return 0
	}), nil
}

var errNoHandle = errors.New("call it with a colon, on the handle of this run")

func (m *machine) callLive(L *lua.LState, do func(*facade, lua.LValue) error) (err error) {
	ud, ok := L.Get(1).(*lua.LUserData)
	if !ok || ud != m.live {
		return errNoHandle
	}
	f, ok := ud.Value.(*facade)
	if !ok || L.GetTop() > 2 {
		return errMessage
	}
	arg := L.Get(2)
	m.vm.Outside(func() { err = do(f, arg) })
	return err
}

func (f *facade) say(arg lua.LValue, do func(string) error) error {
	text, ok := arg.(lua.LString)
	if !ok {
		return fmt.Errorf("want a text, got %s", luavm.TypeName(arg))
	}
	return do(string(text))
}

var errMessage = errors.New("want a text, or a table with text")

// send takes a text, or a table with text.
func (f *facade) send(arg lua.LValue, do func(session.Message) error) error {
	if table, ok := arg.(*lua.LTable); ok {
		keys, err := f.machine.vm.Reader("message").Root(table).Keys()
		if err != nil || len(keys) != 1 || keys[0] != "text" {
			return errMessage
		}
		arg = table.RawGetString("text")
	}
	text, ok := arg.(lua.LString)
	if !ok || text == "" {
		return errMessage
	}
	return do(session.FromExtension(f.machine.script.Name(), string(text)))
}
