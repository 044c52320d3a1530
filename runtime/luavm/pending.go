package luavm

import (
	lua "github.com/yuin/gopher-lua"
)

// A Member is a named member of a table that the host makes.
type Member struct {
	Key   string
	Value lua.LValue
}

// A pending table is an ordinary one whose members are not stored in it yet. The
// tables of the machine are slow to fill, and most that a host makes for a
// script are only handed back. Until something in Lua looks at it, it carries
// the metatable pendingMeta, whose functions fill it.
type pending struct {
	table   *lua.LTable
	members [2]Member // those with a key
}

// Pending returns a new table with one or two members, stored in this order, for
// use within the run under way. A script cannot tell it from any other table.
// The keys must differ; an empty second one stands for no member.
func (vm *VM) Pending(first, second Member) *lua.LTable {
	t := &lua.LTable{Metatable: vm.pendingMeta}
	vm.pending = append(vm.pending, pending{t, [2]Member{first, second}})
	return t
}

// pendingOf returns what t holds, if it is pending; else nil. The last tables are
// the likely ones.
func (vm *VM) pendingOf(t *lua.LTable) *pending {
	if t.Metatable != lua.LValue(vm.pendingMeta) {
		return nil
	}
	for i := len(vm.pending) - 1; i >= 0; i-- {
		if vm.pending[i].table == t {
			return &vm.pending[i]
		}
	}
	return &pending{table: t} // of another run, which nothing should outlive
}

// settle fills t if it is pending.
func (vm *VM) settle(v lua.LValue) {
	t, ok := v.(*lua.LTable)
	if !ok {
		return
	}
	p := vm.pendingOf(t)
	if p == nil {
		return
	}
	t.Metatable = lua.LNil
	for _, m := range p.members[:p.size()] {
		t.RawSetString(m.Key, m.Value)
	}
	p.table = nil
}

func (p *pending) size() (n int) {
	for n < len(p.members) && p.members[n].Key != "" {
		n++
	}
	return n
}

// get returns the member named key, or nil.
func (p *pending) get(key string) lua.LValue {
	for _, m := range p.members {
		if m.Key == key && key != "" {
			return m.Value
		}
	}
	return lua.LNil
}

// maxPending is how many pending tables a VM keeps room for.
const maxPending = 64

func (vm *VM) forgetPending() {
	if clear(vm.pending); cap(vm.pending) > maxPending {
		vm.pending = nil
	}
	vm.pending = vm.pending[:0]
}

func (vm *VM) openPending() {
	meta := vm.state.CreateTable(0, 2)
	meta.RawSetString("__index", vm.builtin(func(vm *VM, L *lua.LState) int {
		t := L.Get(1).(*lua.LTable)
		vm.settle(t)
		L.Push(t.RawGet(L.Get(2)))
		return 1
	}))
	meta.RawSetString("__newindex", vm.builtin(func(vm *VM, L *lua.LState) int {
		t := L.Get(1).(*lua.LTable)
		vm.settle(t)
		vm.storeRaw(L, t, L.Get(2), L.Get(3))
		return 0
	}))
	vm.pendingMeta = meta
}
