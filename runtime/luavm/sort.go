package luavm

import (
	lua "github.com/yuin/gopher-lua"
)

// tableSort sorts a private copy, because the comparator may change the table,
// and merges, because merging stays within bounds whatever the comparator says.
// It is stable, so that the result does not depend on the algorithm.
func (vm *VM) tableSort(L *lua.LState) int {
	t := vm.tableArg(L)
	order := L.Get(2)
	if order != lua.LNil && order.Type() != lua.LTFunction {
		typeError(L, 2, "function")
	}
	n := t.Len()
	vm.built(L, 2*slotBytes*n)
	items := make([]lua.LValue, n)
	for i := range items {
		if items[i] = t.RawGetInt(i + 1); items[i] == lua.LNil {
			L.RaiseError("invalid list to 'sort' (no item %d)", i+1)
		}
	}
	vm.mergeSort(L, items, make([]lua.LValue, n), order)
	for i, v := range items {
		t.RawSetInt(i+1, v)
	}
	return 0
}

// mergeSort sorts items, with room for as many again.
func (vm *VM) mergeSort(L *lua.LState, items, room []lua.LValue, order lua.LValue) {
	for width := 1; width < len(items); width *= 2 {
		for from := 0; from < len(items); from += 2 * width {
			middle := min(from+width, len(items))
			end := min(from+2*width, len(items))
			vm.merge(L, room[from:end], items[from:middle], items[middle:end], order)
		}
		copy(items, room)
	}
}

func (vm *VM) merge(L *lua.LState, out, a, b []lua.LValue, order lua.LValue) {
	for i := range out {
		if len(a) == 0 || len(b) > 0 && vm.before(L, b[0], a[0], order) {
			out[i], b = b[0], b[1:]
		} else {
			out[i], a = a[0], a[1:]
		}
	}
}

func (vm *VM) before(L *lua.LState, a, b, order lua.LValue) bool {
	if order != lua.LNil {
		vm.spend(L, 1)
		L.Push(order)
		L.Push(a)
		L.Push(b)
		L.Call(2, 1)
		result := lua.LVAsBool(L.Get(-1))
		L.Pop(1)
		return result
	}
	if x, ok := a.(lua.LString); ok {
		if y, ok := b.(lua.LString); ok {
			vm.spend(L, 1+min(len(x), len(y))>>5)
			return x < y
		}
	}
	vm.spend(L, 1)
	return L.LessThan(a, b)
}
