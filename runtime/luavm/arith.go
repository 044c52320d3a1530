package luavm

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// stringOperators replace the machine's own arithmetic on strings, which reads
// "010" as 8 and accepts "1_000".
var stringOperators = []named[func(a, b float64) float64]{
	{"__add", func(a, b float64) float64 { return a + b }},
	{"__sub", func(a, b float64) float64 { return a - b }},
	{"__mul", func(a, b float64) float64 { return a * b }},
	{"__div", func(a, b float64) float64 { return a / b }},
	{"__mod", modulo},
	{"__pow", math.Pow},
}

// modulo is a - floor(a/b)*b as reference Lua defines it, with its rounding.
func modulo(a, b float64) float64 {
	product := math.Floor(a/b) * b // apart, so that no fused operation skips its rounding
	return a - product
}

// modulus is the hidden function behind the % operator: the machine's own gives
// negative zeros and other results for fractions.
func (vm *VM) modulus(L *lua.LState) int {
	a, ok := L.Get(1).(lua.LNumber)
	b, both := L.Get(2).(lua.LNumber)
	if ok && both {
		L.Push(lua.LNumber(modulo(float64(a), float64(b))))
		return 1
	}
	return vm.arithmetic(L, "__mod", modulo)
}

// chargeOrder charges for a comparison by order: the machine goes through strings
// byte by byte.
func (vm *VM) chargeOrder(L *lua.LState) int {
	if s, ok := L.Get(1).(lua.LString); ok {
		vm.spend(L, len(s)>>3)
	}
	L.SetTop(1)
	return 1
}

func (vm *VM) openArithmetic(meta *lua.LTable) {
	for _, operator := range stringOperators {
		meta.RawSetString(operator.name, vm.builtin(func(vm *VM, L *lua.LState) int {
			return vm.arithmetic(L, operator.name, operator.is)
		}))
	}
	meta.RawSetString("__unm", vm.builtin(func(_ *VM, L *lua.LState) int {
		n, ok := operand(L, L.Get(1))
		if !ok {
			L.RaiseError("attempt to perform arithmetic on a string value")
		}
		L.Push(lua.LNumber(-n))
		return 1
	}))
}

// arithmetic applies an operator to operands of which not both are numbers.
func (vm *VM) arithmetic(L *lua.LState, event string, operator func(a, b float64) float64) int {
	left, right := L.Get(1), L.Get(2)
	a, leftOK := operand(L, left)
	b, rightOK := operand(L, right)
	if leftOK && rightOK {
		L.Push(lua.LNumber(operator(a, b)))
		return 1
	}
	handler := metaField(left, event) // of the operand that is a table, if one is
	if handler == lua.LNil {
		handler = metaField(right, event)
	}
	if handler.Type() == lua.LTFunction {
		L.Push(handler)
		L.Push(left)
		L.Push(right)
		L.Call(2, 1)
		return 1
	}
	culprit := right
	if !leftOK {
		culprit = left
	}
	L.RaiseError("attempt to perform arithmetic on a %s value", typeName(culprit))
	return 0
}

func operand(L *lua.LState, v lua.LValue) (float64, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v), true
	case lua.LString:
		chargeNumeral(L, string(v))
		n, ok := parseNumber(string(v))
		return float64(n), ok
	}
	return 0, false
}
