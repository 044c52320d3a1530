package script

import (
	"errors"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// standard are the modules that require finds for every script, before any
// sibling file of that name.
var standard = map[string]func(m *machine) lua.LValue{
	"json": (*machine).jsonModule,
}

// standardModule returns the module of one state, or nil if there is none of
// that name.
func (m *machine) standardModule(name string) lua.LValue {
	if v := m.standard[name]; v != nil {
		return v
	}
	build := standard[name]
	if build == nil {
		return nil
	}
	if m.standard == nil {
		m.standard = map[string]lua.LValue{}
	}
	m.standard[name] = build(m)
	return m.standard[name]
}

// jsonModule has what Lua lacks to say in JSON: null, and a list that is empty.
func (m *machine) jsonModule() lua.LValue {
	return m.vm.Library(map[string]lua.LValue{
		"null":  m.vm.Null(),
		"array": m.vm.Func("json.array", m.array),
	})
}

var errArray = errors.New("json.array takes a list")

// array implements json.array(list): a copy that is a list even while empty.
func (m *machine) array(L *lua.LState) int {
	out := L.CreateTable(0, 0)
	if L.GetTop() > 0 {
		node := m.vm.Reader("json.array").Root(L.Get(1))
		if kind := node.Kind(); kind != luavm.KindList && kind != luavm.KindEmpty {
			luavm.Raise(L, errArray)
		}
		items, err := node.Items()
		if err != nil {
			luavm.Raise(L, errArray)
		}
		m.spendItems(len(items))
		for i, item := range items {
			out.RawSetInt(i+1, item.LValue())
		}
	}
	m.vm.MarkList(out)
	L.Push(out)
	return 1
}
