package luavm

import (
	lua "github.com/yuin/gopher-lua"
)

func (vm *VM) next(L *lua.LState) int {
	t := readableArg(L)
	key, v := vm.nextPair(L, t, L.Get(2))
	if key == lua.LNil {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(key)
	L.Push(v)
	return 2
}

func (vm *VM) nextPair(L *lua.LState, t, key lua.LValue) (lua.LValue, lua.LValue) {
	if f := viewOf(t); f != nil {
		k, v, ok := f.next(L, key)
		if !ok {
			L.RaiseError("invalid key to 'next'")
		}
		return k, v
	}
	k, v := vm.data(t.(*lua.LTable)).Next(key)
	return k, v
}

func (vm *VM) pairs(L *lua.LState) int {
	v := anyArg(L, 1)
	if viewOf(v) == nil {
		if h := L.GetMetaField(v, "__pairs"); h != lua.LNil {
			L.Push(h)
			L.Push(v)
			L.Call(1, 3)
			return 3
		}
	}
	readableArg(L)
	L.Push(vm.globals.RawGetString("next"))
	L.Push(v)
	L.Push(lua.LNil)
	return 3
}

func (vm *VM) ipairs(L *lua.LState) int {
	v := readableArg(L)
	L.Push(vm.nextItem)
	L.Push(v)
	L.Push(lua.LNumber(0))
	return 3
}

func (vm *VM) iterateItems(L *lua.LState) int {
	i := intArg(L, 2) + 1
	v := vm.index(L, readableArg(L), i)
	if v == lua.LNil {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(vm.count(i))
	L.Push(v)
	return 2
}

// counts is how many numbers are made once for all loops.
const counts = 64

// count returns i as a Lua value. The first ones are kept, as each new one would be
// an allocation in every round of every loop.
func (vm *VM) count(i int) lua.LValue {
	if i < 0 || i >= counts {
		return lua.LNumber(i)
	}
	if vm.counted == nil {
		vm.counted = new([counts]lua.LValue)
	}
	if vm.counted[i] == nil {
		vm.counted[i] = lua.LNumber(i)
	}
	return vm.counted[i]
}
