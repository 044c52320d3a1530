package luavm

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// storeField is the hidden function behind t[k] = v. The instruction of the
// machine fills the gap up to a new index with nils, so that one instruction
// could take megabytes, and lists beyond a certain length lose their length;
// here the growth is charged for, and a list that long ends the run.
func (vm *VM) storeField(L *lua.LState) int {
	object, key, v := L.Get(1), L.Get(2), L.Get(3)
	for range lua.MaxTableGetLoop {
		t, isTable := object.(*lua.LTable)
		if isTable && (t.Metatable == lua.LNil || t.RawGet(key) != lua.LNil) {
			vm.storeRaw(L, t, key, v)
			return 0
		}
		handler := metaField(object, "__newindex")
		switch {
		case handler == lua.LNil && isTable:
			vm.storeRaw(L, t, key, v)
			return 0
		case handler == lua.LNil:
			L.RaiseError("attempt to index a non-table object(%s) with key '%s'", object.Type(), keyText(key))
		case handler.Type() == lua.LTFunction:
			L.Push(handler)
			L.Push(object)
			L.Push(key)
			L.Push(v)
			L.Call(3, 0)
			return 0
		}
		object = handler
	}
	L.RaiseError("'__newindex' chain too long")
	return 0
}

// metaField returns a field of the metatable of v, also where __metatable hides it.
func metaField(v lua.LValue, name string) lua.LValue {
	var meta lua.LValue
	switch v := v.(type) {
	case *lua.LTable:
		meta = v.Metatable
	case *lua.LUserData:
		meta = v.Metatable
	}
	if t, ok := meta.(*lua.LTable); ok {
		return t.RawGetString(name)
	}
	return lua.LNil
}

const (
	slotBytes   = 16  // of one list item
	memberBytes = 128 // of one keyed member, with its place in the order
)

// storeRaw stores into t without metamethods and charges for its growth.
func (vm *VM) storeRaw(L *lua.LState, t *lua.LTable, key, v lua.LValue) {
	switch k := key.(type) {
	case *lua.LNilType:
		L.RaiseError("table index is nil")
	case lua.LNumber:
		if k != k {
			L.RaiseError("table index is NaN")
		}
		vm.chargeIndex(L, t, float64(k))
	case lua.LString:
		vm.spend(L, len(k)>>6)
		if v != lua.LNil && t.RawGetString(string(k)) == lua.LNil {
			vm.built(L, memberBytes)
		}
	default:
		if v != lua.LNil && t.RawGetH(key) == lua.LNil {
			vm.built(L, memberBytes)
		}
	}
	t.RawSet(key, v)
}

// chargeIndex charges for storing at index k.
func (vm *VM) chargeIndex(L *lua.LState, t *lua.LTable, k float64) {
	if k < 1 || k != math.Trunc(k) || k >= maxArrayIndex {
		if k == maxArrayIndex && t.RawGetInt(maxArrayIndex-1) != lua.LNil {
			vm.Stop(L, ErrTable)
		}
		vm.built(L, memberBytes)
		return
	}
	i := int(k)
	if i == 1 || t.RawGetInt(i) != lua.LNil || t.RawGetInt(i-1) != lua.LNil {
		return
	}
	if last := t.MaxN(); i > last {
		vm.built(L, slotBytes*(i-last))
	}
}

// checkKey charges for a computed key of a table constructor.
func (vm *VM) checkKey(L *lua.LState) int {
	if k, ok := L.Get(1).(lua.LNumber); ok && k > smallIndex && k < maxArrayIndex {
		vm.built(L, slotBytes*int(k))
	}
	L.SetTop(1)
	return 1
}

// appendItems stores its third and further arguments into the table from index
// n+1 on, and returns the table.
func (vm *VM) appendItems(L *lua.LState) int {
	t := L.Get(1).(*lua.LTable)
	n := intArg(L, 2)
	vm.passed(L, L.GetTop()-2)
	vm.built(L, slotBytes*(L.GetTop()-2))
	for i := 3; i <= L.GetTop(); i++ {
		t.RawSetInt(n+i-2, L.Get(i))
	}
	L.SetTop(1)
	return 1
}

// addPair stores its third argument into the table under its second, and returns
// the table.
func (vm *VM) addPair(L *lua.LState) int {
	vm.storeRaw(L, L.Get(1).(*lua.LTable), L.Get(2), L.Get(3))
	L.SetTop(1)
	return 1
}

// checkStep refuses the steps of a for loop that the machine would take for others.
func (vm *VM) checkStep(L *lua.LState) int {
	step := numberArg(L, 1)
	if step == 0 {
		L.RaiseError("'for' step is zero")
	}
	L.Push(lua.LNumber(step))
	return 1
}
