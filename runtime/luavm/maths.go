package luavm

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// unaryMath are the functions of one number.
var unaryMath = []named[func(float64) float64]{
	{"abs", math.Abs},
	{"acos", math.Acos},
	{"asin", math.Asin},
	{"atan", math.Atan},
	{"ceil", math.Ceil},
	{"cos", math.Cos},
	{"cosh", math.Cosh},
	{"deg", func(x float64) float64 { return x / (math.Pi / 180) }},
	{"exp", math.Exp},
	{"floor", math.Floor},
	{"log10", math.Log10},
	{"rad", func(x float64) float64 { return x * (math.Pi / 180) }},
	{"sin", math.Sin},
	{"sinh", math.Sinh},
	{"sqrt", math.Sqrt},
	{"tan", math.Tan},
	{"tanh", math.Tanh},
}

// binaryMath are the functions of two numbers.
var binaryMath = []named[func(a, b float64) float64]{
	{"atan2", math.Atan2}, {"pow", math.Pow},
}

// fillMath makes the math library. There is no random: the same payload gets the
// same answer.
func (vm *VM) fillMath(lib *lua.LTable) {
	for _, f := range unaryMath {
		lib.RawSetString(f.name, vm.builtin(func(_ *VM, L *lua.LState) int {
			L.Push(lua.LNumber(f.is(numberArg(L, 1))))
			return 1
		}))
	}
	for _, f := range binaryMath {
		lib.RawSetString(f.name, vm.builtin(func(_ *VM, L *lua.LState) int {
			L.Push(lua.LNumber(f.is(numberArg(L, 1), numberArg(L, 2))))
			return 1
		}))
	}
	lib.RawSetString("fmod", vm.builtin((*VM).mathFmod))
	vm.register(lib, []named[builtin]{
		{"frexp", mathFrexp}, {"ldexp", mathLdexp}, {"log", mathLog}, {"max", mathMax}, {"min", mathMin}, {"modf", mathModf},
	})
	lib.RawSetString("huge", lua.LNumber(math.Inf(1)))
	lib.RawSetString("pi", lua.LNumber(math.Pi))
}

// mathFmod takes a step for each bit by which its arguments differ in size.
func (vm *VM) mathFmod(L *lua.LState) int {
	a, b := numberArg(L, 1), numberArg(L, 2)
	if bits := math.Ilogb(a) - math.Ilogb(b); bits > 0 && bits <= maxFloatBits {
		vm.spend(L, bits)
	}
	L.Push(lua.LNumber(math.Mod(a, b)))
	return 1
}

// maxFloatBits is how far apart two finite numbers can be.
const maxFloatBits = 2100

func mathMax(_ *VM, L *lua.LState) int { return fold(L, func(a, b float64) bool { return b > a }) }
func mathMin(_ *VM, L *lua.LState) int { return fold(L, func(a, b float64) bool { return b < a }) }

func fold(L *lua.LState, better func(a, b float64) bool) int {
	best := numberArg(L, 1)
	for i := 2; i <= L.GetTop(); i++ {
		if n := numberArg(L, i); better(best, n) {
			best = n
		}
	}
	L.Push(lua.LNumber(best))
	return 1
}

func mathLog(_ *VM, L *lua.LState) int {
	x := numberArg(L, 1)
	if L.Get(2) == lua.LNil {
		L.Push(lua.LNumber(math.Log(x)))
		return 1
	}
	switch base := numberArg(L, 2); base {
	case 2:
		L.Push(lua.LNumber(math.Log2(x)))
	case 10:
		L.Push(lua.LNumber(math.Log10(x)))
	default:
		L.Push(lua.LNumber(math.Log(x) / math.Log(base)))
	}
	return 1
}

func mathModf(_ *VM, L *lua.LState) int {
	x := numberArg(L, 1)
	whole, fraction := math.Modf(x)
	if math.IsInf(x, 0) {
		whole, fraction = x, math.Copysign(0, x)
	}
	L.Push(lua.LNumber(whole))
	L.Push(lua.LNumber(fraction))
	return 2
}

func mathFrexp(_ *VM, L *lua.LState) int {
	fraction, exponent := math.Frexp(numberArg(L, 1))
	L.Push(lua.LNumber(fraction))
	L.Push(lua.LNumber(exponent))
	return 2
}

func mathLdexp(_ *VM, L *lua.LState) int {
	L.Push(lua.LNumber(math.Ldexp(numberArg(L, 1), intArg(L, 2))))
	return 1
}
