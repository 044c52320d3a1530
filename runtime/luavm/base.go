package luavm

import (
	lua "github.com/yuin/gopher-lua"
)

var baseFunctions = []named[builtin]{
	{"assert", (*VM).assert},
	{"error", (*VM).raise},
	{"getmetatable", (*VM).getMetatable},
	{"ipairs", (*VM).ipairs},
	{"next", (*VM).next},
	{"pairs", (*VM).pairs},
	{"pcall", (*VM).pcall},
	{"rawequal", (*VM).rawEqual},
	{"rawget", (*VM).rawGet},
	{"rawlen", (*VM).rawLen},
	{"rawset", (*VM).rawSet},
	{"select", (*VM).selectArgs},
	{"setmetatable", (*VM).setMetatable},
	{"tonumber", (*VM).toNumber},
	{"tostring", (*VM).toString},
	{"type", (*VM).typeOf},
	{"unpack", (*VM).unpackTable},
	{"xpcall", (*VM).xpcall},
}

func (vm *VM) typeOf(L *lua.LState) int {
	L.Push(lua.LString(typeName(anyArg(L, 1))))
	return 1
}

func (vm *VM) toString(L *lua.LState) int {
	vm.pushString(L, vm.text(L, anyArg(L, 1)))
	return 1
}

// text is what tostring gives. Tables, functions and other objects have no
// address: it would differ from run to run and tell a script where things are.
func (vm *VM) text(L *lua.LState, v lua.LValue) string {
	switch x := v.(type) {
	case lua.LString:
		return string(x)
	case lua.LNumber:
		return numberText(x)
	case lua.LBool, *lua.LNilType:
		return v.String()
	}
	h := L.GetMetaField(v, "__tostring")
	if h == lua.LNil {
		return typeName(v)
	}
	L.Push(h)
	L.Push(v)
	L.Call(1, 1)
	result := L.Get(-1)
	L.Pop(1)
	if !isText(result) {
		L.RaiseError("'__tostring' must return a string")
	}
	return plainText(result)
}

func (vm *VM) toNumber(L *lua.LState) int {
	v := anyArg(L, 1)
	base := optIntArg(L, 2, 10)
	if base < 2 || base > 36 {
		argError(L, 2, "base out of range")
	}
	n, ok := lua.LNumber(0), false
	if base != 10 {
		s := stringArg(L, 1)
		chargeNumeral(L, s)
		n, ok = parseInBase(s, base)
	} else {
		switch x := v.(type) {
		case lua.LNumber:
			n, ok = x, true
		case lua.LString:
			chargeNumeral(L, string(x))
			n, ok = parseNumber(string(x))
		}
	}
	if !ok {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(n)
	return 1
}

// raise is error.
func (vm *VM) raise(L *lua.LState) int {
	v := L.Get(1)
	level := optIntArg(L, 2, 1)
	if s, ok := v.(lua.LString); ok && level >= 1 && level < vm.limits.CallDepth {
		if where := L.Where(level); where != "" {
			vm.built(L, len(where)+1+len(s))
			v = lua.LString(where + " " + string(s))
		}
	}
	vm.throw(L, v)
	return 0
}

// throw raises a script's own error object: its words are not for us to change.
func (vm *VM) throw(L *lua.LState, v lua.LValue) {
	vm.quoted = true
	L.Error(v, 0)
}

func (vm *VM) assert(L *lua.LState) int {
	if lua.LVAsBool(anyArg(L, 1)) {
		return L.GetTop()
	}
	if L.GetTop() >= 2 {
		vm.throw(L, L.Get(2))
	}
	vm.throw(L, lua.LString("assertion failed!"))
	return 0
}

func (vm *VM) pcall(L *lua.LState) int {
	anyArg(L, 1)
	if object, failed := vm.protectedCall(L); failed {
		L.SetTop(0)
		L.Push(lua.LFalse)
		L.Push(object)
		return 2
	}
	L.Insert(lua.LTrue, 1)
	return L.GetTop()
}

// xpcall calls its handler after the stack is unwound, unlike reference Lua;
// there is no debug library that could tell the difference. The error of a handler
// that fails takes the place of the first.
func (vm *VM) xpcall(L *lua.LState) int {
	handler := L.Get(2)
	if handler.Type() != lua.LTFunction {
		typeError(L, 2, "function")
	}
	L.Remove(2)
	object, failed := vm.protectedCall(L)
	if !failed {
		L.Insert(lua.LTrue, 1)
		return L.GetTop()
	}
	L.SetTop(0)
	L.Push(handler)
	L.Push(object)
	told, failed := vm.protectedCall(L)
	if !failed {
		told = L.Get(1)
	}
	L.SetTop(0)
	L.Push(lua.LFalse)
	L.Push(told)
	return 2
}

func (vm *VM) selectArgs(L *lua.LState) int {
	if v, ok := L.Get(1).(lua.LString); ok && v == "#" {
		L.Push(lua.LNumber(L.GetTop() - 1))
		return 1
	}
	n := intArg(L, 1)
	count := L.GetTop() - 1
	if n < 0 {
		n += count + 1
	}
	if n < 1 {
		argError(L, 1, "index out of range")
	}
	n = max(0, count-n+1)
	vm.passed(L, n)
	return n
}

func (vm *VM) rawEqual(L *lua.LState) int {
	a, b := anyArg(L, 1), anyArg(L, 2)
	if s, ok := a.(lua.LString); ok {
		vm.spend(L, len(s)>>6)
	}
	L.Push(lua.LBool(L.RawEqual(a, b)))
	return 1
}

func (vm *VM) rawGet(L *lua.LState) int {
	t, key := readableArg(L), anyArg(L, 2)
	if f := viewOf(t); f != nil {
		L.Push(f.get(L, key))
		return 1
	}
	L.Push(vm.data(t.(*lua.LTable)).RawGet(key))
	return 1
}

func (vm *VM) rawSet(L *lua.LState) int {
	t := vm.tableArg(L)
	key, v := anyArg(L, 2), anyArg(L, 3)
	vm.storeRaw(L, t, key, v)
	L.SetTop(1)
	return 1
}

func (vm *VM) rawLen(L *lua.LState) int {
	if s, ok := L.Get(1).(lua.LString); ok {
		L.Push(lua.LNumber(len(s)))
		return 1
	}
	L.Push(lua.LNumber(vm.length(readableArg(L))))
	return 1
}

func (vm *VM) getMetatable(L *lua.LState) int {
	v := anyArg(L, 1)
	vm.settle(v)
	L.Push(L.GetMetatable(v)) // __metatable guards ours
	return 1
}

func (vm *VM) setMetatable(L *lua.LState) int {
	t := vm.tableArg(L)
	meta := L.Get(2)
	if meta != lua.LNil || L.GetTop() < 2 {
		if viewOf(meta) != nil {
			argError(L, 2, "a frozen table cannot be a metatable")
		}
		m, ok := meta.(*lua.LTable)
		if !ok {
			typeError(L, 2, "nil or table")
		}
		if vm.behind(m) != nil {
			argError(L, 2, "a library cannot be a metatable")
		}
		vm.settle(m)
	}
	if old, ok := t.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		L.RaiseError("cannot change a protected metatable")
	}
	t.Metatable = meta
	L.SetTop(1)
	return 1
}

func (vm *VM) unpackTable(L *lua.LState) int {
	t := readableArg(L)
	i := optIntArg(L, 2, 1)
	var j int
	if L.Get(3) == lua.LNil {
		j = vm.length(t)
	} else {
		j = intArg(L, 3)
	}
	if i > j {
		return 0
	}
	if j-i >= maxUnpack {
		L.RaiseError("too many results to unpack (%d at most)", maxUnpack)
	}
	vm.passed(L, j-i+1)
	for k := i; k <= j; k++ {
		L.Push(vm.index(L, t, k))
	}
	return j - i + 1
}
