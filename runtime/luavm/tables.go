package luavm

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

var tableFunctions = []named[builtin]{
	{"concat", (*VM).tableConcat},
	{"insert", (*VM).tableInsert},
	{"maxn", (*VM).tableMaxn},
	{"pack", (*VM).tablePack},
	{"remove", (*VM).tableRemove},
	{"sort", (*VM).tableSort},
}

func (vm *VM) fillTable(lib *lua.LTable) {
	vm.register(lib, tableFunctions)
	lib.RawSetString("unpack", vm.unpack)
}

func (vm *VM) tableConcat(L *lua.LState) int {
	t := readableArg(L)
	sep := optStringArg(L, 2, "")
	i := optIntArg(L, 3, 1)
	var j int
	if L.Get(4) == lua.LNil {
		j = vm.length(t)
	} else {
		j = intArg(L, 4)
	}
	var b strings.Builder
	for k := i; k <= j; k++ {
		vm.spend(L, 1)
		item := vm.index(L, t, k)
		if !isText(item) {
			L.RaiseError("invalid value (a %s) at index %d in table for 'concat'", typeName(item), k)
		}
		b.WriteString(plainText(item))
		if k < j {
			b.WriteString(sep)
		}
		vm.checkLength(L, b.Len())
	}
	vm.pushString(L, b.String())
	return 1
}

func (vm *VM) tableInsert(L *lua.LState) int {
	t := vm.tableArg(L)
	n := t.Len()
	if n >= maxArrayIndex-1 {
		vm.Stop(L, ErrTable)
	}
	switch L.GetTop() {
	case 2:
		vm.storeRaw(L, t, lua.LNumber(n+1), L.Get(2))
	case 3:
		at := intArg(L, 2)
		if at < 1 || at > n+1 {
			argError(L, 2, "position out of bounds")
		}
		vm.spend(L, (n-at)>>4+1)
		for k := n; k >= at; k-- {
			t.RawSetInt(k+1, t.RawGetInt(k))
		}
		t.RawSetInt(at, L.Get(3))
	default:
		L.RaiseError("wrong number of arguments to 'insert'")
	}
	return 0
}

func (vm *VM) tableRemove(L *lua.LState) int {
	t := vm.tableArg(L)
	n := t.Len()
	at := optIntArg(L, 2, n)
	if n == 0 {
		return 0
	}
	if at < 1 || at > n {
		if L.GetTop() >= 2 && at == n+1 {
			return 0
		}
		argError(L, 2, "position out of bounds")
	}
	vm.spend(L, (n-at)>>4+1)
	removed := t.RawGetInt(at)
	for k := at; k < n; k++ {
		t.RawSetInt(k, t.RawGetInt(k+1))
	}
	t.RawSetInt(n, lua.LNil)
	L.Push(removed)
	return 1
}

// tableMaxn returns the largest positive numeric key.
func (vm *VM) tableMaxn(L *lua.LState) int {
	t := readableArg(L)
	if f := viewOf(t); f != nil {
		L.Push(lua.LNumber(f.length()))
		return 1
	}
	largest := lua.LNumber(0)
	data := vm.data(t.(*lua.LTable))
	for k, _ := data.Next(lua.LNil); k != lua.LNil; k, _ = data.Next(k) {
		vm.spend(L, 1)
		if n, ok := k.(lua.LNumber); ok {
			largest = max(largest, n)
		}
	}
	L.Push(largest)
	return 1
}

func (vm *VM) tablePack(L *lua.LState) int {
	n := L.GetTop()
	vm.built(L, slotBytes*n+memberBytes)
	t := L.CreateTable(n, 1)
	for i := 1; i <= n; i++ {
		t.RawSetInt(i, L.Get(i))
	}
	t.RawSetString("n", lua.LNumber(n))
	L.Push(t)
	return 1
}
