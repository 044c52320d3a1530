package script

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"
	luar "layeh.com/gopher-luar"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/session"
)

// liveFacade is a session's live handle as scripts see it. Its methods are all
// that there is, and a call that fails raises an error. It has no exported
// fields, because those could be assigned to.
type liveFacade struct {
	machine *machine
	live    session.Live
}

// facade makes the Lua value of a live handle, for one run.
func (m *machine) facade(live any) lua.LValue {
	handle, ok := live.(session.Live)
	if !ok {
		return lua.LNil
	}
	L := m.vm.State()
	ud, ok := luar.New(L, &liveFacade{m, handle}).(*lua.LUserData)
	if !ok {
		return lua.LNil
	}
	m.seal(L, ud)
	return ud
}

// sealed are the operators by which a facade could be taken apart or replaced.
var sealed = []string{"__pow", "__unm", "__newindex", "__call", "__concat", "__eq", "__len", "__lt", "__le"}

func (m *machine) seal(L *lua.LState, ud *lua.LUserData) {
	mt, ok := ud.Metatable.(*lua.LTable)
	if !ok || mt.RawGetString("dsh_sealed") == lua.LTrue {
		return
	}
	refuse := m.vm.Func("live", func(L *lua.LState) int {
		luavm.Raise(L, errors.New("a live handle has methods only: inject, steer, halt, tell"))
		return 0
	})
	for _, op := range sealed {
		mt.RawSetString(op, refuse)
	}
	mt.RawSetString("__metatable", lua.LFalse)
	mt.RawSetString("dsh_sealed", lua.LTrue)
}

// Inject adds a message to the next request to the model.
func (f *liveFacade) Inject(L *luar.LState) int { return f.send(L, "inject", f.live.Inject) }

// Steer asks for another step of this turn, in which the model sees a message.
func (f *liveFacade) Steer(L *luar.LState) int { return f.send(L, "steer", f.live.Steer) }

// Halt ends the turn, with a reason.
func (f *liveFacade) Halt(L *luar.LState) int { return f.say(L, "halt", f.live.Halt) }

// Tell shows a text to the human.
func (f *liveFacade) Tell(L *luar.LState) int { return f.say(L, "tell", f.live.Tell) }

func (f *liveFacade) say(L *luar.LState, method string, do func(string) error) int {
	text, ok := L.Get(2).(lua.LString)
	if !ok {
		f.raise(L, fmt.Errorf("live:%s takes a text, got %s", method, luavm.TypeName(L.Get(2))))
	}
	return f.act(L, method, func() error { return do(string(text)) })
}

func (f *liveFacade) act(L *luar.LState, method string, do func() error) int {
	var err error
	f.machine.vm.Outside(func() { err = do() })
	if err != nil {
		f.raise(L, fmt.Errorf("live:%s: %w", method, err))
	}
	return 0
}

func (f *liveFacade) raise(L *luar.LState, err error) {
	luavm.Raise(L.LState, err)
}

// send takes a text, or a table with text.
func (f *liveFacade) send(L *luar.LState, method string, do func(session.Message) error) int {
	m, err := f.message(L.Get(2))
	if err != nil {
		f.raise(L, fmt.Errorf("live:%s: %w", method, err))
	}
	return f.act(L, method, func() error { return do(m) })
}

func (f *liveFacade) message(lv lua.LValue) (session.Message, error) {
	if table, ok := lv.(*lua.LTable); ok {
		if keys, err := f.machine.vm.Reader("message").Root(table).Keys(); err != nil || len(keys) != 1 || keys[0] != "text" {
			return session.Message{}, errMessage
		}
		lv = table.RawGetString("text")
	}
	text, ok := lv.(lua.LString)
	if !ok || text == "" {
		return session.Message{}, errMessage
	}
	return session.FromExtension(f.machine.script.Name(), string(text)), nil
}

var errMessage = errors.New("want a text, or a table with text")
