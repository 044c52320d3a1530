package luavm

import (
	lua "github.com/yuin/gopher-lua"
)

// typeName is what type returns.
func typeName(v lua.LValue) string {
	if viewOf(v) != nil {
		return "table"
	}
	return v.Type().String()
}

// argError raises the error for argument n.
func argError(L *lua.LState, n int, msg string) { L.ArgError(n, msg) }

func typeError(L *lua.LState, n int, want string) {
	got := "no value"
	if n <= L.GetTop() {
		got = typeName(L.Get(n))
	}
	argError(L, n, want+" expected, got "+got)
}

// anyArg requires argument n to be there, be it nil.
func anyArg(L *lua.LState, n int) lua.LValue {
	if n > L.GetTop() {
		argError(L, n, "value expected")
	}
	return L.Get(n)
}

// stringArg returns argument n, which is a string or a number.
func stringArg(L *lua.LState, n int) string {
	switch v := L.Get(n).(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return numberText(v)
	}
	typeError(L, n, "string")
	return ""
}

func optStringArg(L *lua.LState, n int, def string) string {
	if L.Get(n) == lua.LNil {
		return def
	}
	return stringArg(L, n)
}

// numberArg returns argument n, which is a number or a string that holds one.
func numberArg(L *lua.LState, n int) float64 {
	switch v := L.Get(n).(type) {
	case lua.LNumber:
		return float64(v)
	case lua.LString:
		chargeNumeral(L, string(v))
		if f, ok := parseNumber(string(v)); ok {
			return float64(f)
		}
	}
	typeError(L, n, "number")
	return 0
}

// chargeNumeral charges for reading s as a number: white space around it may be
// long, and the digits of a long numeral are multiplied.
func chargeNumeral(L *lua.LState, s string) {
	if vm := vmOf(L); vm != nil {
		vm.spend(L, min(len(s), maxNumeral)+len(s)>>5)
	}
}

// intArg returns argument n as an integer, rounded towards zero and saturated.
func intArg(L *lua.LState, n int) int {
	i, ok := toInt(numberArg(L, n))
	if !ok {
		argError(L, n, "number has no integer representation")
	}
	return i
}

func optIntArg(L *lua.LState, n, def int) int {
	if L.Get(n) == lua.LNil {
		return def
	}
	return intArg(L, n)
}

// tableArg returns the first argument if it is a table that scripts may change.
func (vm *VM) tableArg(L *lua.LState) *lua.LTable {
	v := L.Get(1)
	if viewOf(v) != nil {
		L.RaiseError("attempt to modify a frozen table")
	}
	t, ok := v.(*lua.LTable)
	if !ok {
		typeError(L, 1, "table")
	}
	if vm.behind(t) != nil {
		L.RaiseError("attempt to modify a read-only table")
	}
	vm.settle(t)
	return t
}

// readableArg requires the first argument to be a table or a view.
func readableArg(L *lua.LState) lua.LValue {
	v := L.Get(1)
	if _, ok := v.(*lua.LTable); !ok && viewOf(v) == nil {
		typeError(L, 1, "table")
	}
	return v
}

// index returns t[i] raw, of tables and views.
func (vm *VM) index(L *lua.LState, t lua.LValue, i int) lua.LValue {
	if f := viewOf(t); f != nil {
		if f.isList() {
			return f.item(i)
		}
		return f.get(L, vm.count(i))
	}
	return vm.data(t.(*lua.LTable)).RawGet(vm.count(i))
}

// length returns the number of items of a table or view, raw.
func (vm *VM) length(t lua.LValue) int {
	if f := viewOf(t); f != nil {
		return f.length()
	}
	return vm.data(t.(*lua.LTable)).Len()
}

// plainText is the text of a string or number, as concatenation takes it.
func plainText(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return numberText(v)
	}
	return typeName(v)
}

func isText(v lua.LValue) bool {
	switch v.(type) {
	case lua.LString, lua.LNumber:
		return true
	}
	return false
}
