package luavm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// sharing are programs with tables of constants that nothing can change. Each
// returns a function, whose result is shown.
var sharing = map[string]string{
	"local t = {a = 1, b = 'x', c = true, d = false} return function() return t.a, t.b, t.c, t.d, t.e end":                        "1 x true false nil",
	"local t = {'x', 'y', 3} return function(n) return t[1], t[n], #t, t[4] end":                                                  "x 3 3 nil",
	"local t = {'x', a = 1, 'y', a = 2} return function() return t[1], t[2], t.a, #t end":                                         "x y 2 2",
	"local t, u = {a = 1}, {'x'} return function() return t.a, u[1] end":                                                          "1 x",
	"local t = {[\"if\"] = 1, [\"a b\"] = 0x10} return function() return t['if'], t['a b'] end":                                   "1 16",
	"local t = {a = 1e400} return function() return t.a > 1e308 end":                                                              "true",
	"local t = {a = 'x'} return function() return (function() return t.a end)() end":                                              "x",
	"do local t = {a = 1} helper = function() return t.a end end return function() return helper() end":                           "1",
	"return function(n) local t = {'x', 'y', n = 4} return t[n - 1], #t, t.n end":                                                 "y 2 4",
	"return function(n) local function f() local t = {3, 2, 1} return t[n] end return f() + f() end":                              "2",
	"local s = 0 for i = 1, 3 do local t = {a = i, n = 1} local u = {n = 2} s = s + t.a + u.n end return function() return s end": "12",
}

// leaving are programs whose tables look like those, but are changed, or could be.
// A first call would show in the next instance if they were shared.
var leaving = map[string]string{
	"assigned field":      "local t = {n = 0} return function() t.n = t.n + 1 return t.n end",
	"assigned index":      "local t = {0} return function() t[1] = t[1] + 1 return t[1] end",
	"new field":           "local t = {n = 0} return function() t.m = (t.m or 0) + 1 return t.m end",
	"method":              "local t = {n = 0} function t:add() self.n = self.n + 1 end return function() t:add() return t.n end",
	"function in field":   "local t = {n = 0} return function() local had = t.f function t.f() end return had end",
	"alias":               "local t = {n = 0} local u = t return function() u.n = u.n + 1 return t.n end",
	"argument":            "local t = {n = 0} local function add(u) u.n = u.n + 1 end return function() add(t) return t.n end",
	"upvalue":             "local t = {n = 0} local function get() return t end return function() local u = get() u.n = u.n + 1 return t.n end",
	"library":             "local t = {'x'} return function() table.insert(t, 1) return #t end",
	"raw":                 "local t = {n = 0} return function() rawset(t, 'n', t.n + 1) return t.n end",
	"in a table":          "local t = {n = 0} local u = {t = t} return function() u.t.n = u.t.n + 1 return t.n end",
	"metatable":           "local t = {n = 0} return function() local m = getmetatable(t) setmetatable(t, {__len = function() return 7 end}) return m end",
	"own iterator":        "local t = {n = 0} function ipairs(u) u.n = u.n + 1 return next, {} end return function() for _ in ipairs(t) do end return t.n end",
	"iterator":            "local t = {n = 0} return function() for k, v in pairs(t) do t[k] = v + 1 end return t.n end",
	"error":               "local t = {n = 0} return function() local _, u = pcall(error, t) u.n = u.n + 1 return t.n end",
	"result of a choice":  "local t = {n = 0} return function() local u = t or {} u.n = u.n + 1 return t.n end",
	"constant in a table": "local t = {u = {n = 0}} return function() t.u.n = t.u.n + 1 return t.u.n end",
	"key":                 "local t = {n = 0} local u = {[t] = 1} return function() for k in pairs(u) do k.n = k.n + 1 end return t.n end",
	"assigned anew":       "local t = {n = 0} return function() t.n = t.n + 1 local n = t.n t = {n = 5} return n end",
	"in a function":       "local kept = {} return function() local t = {n = 0} t.n = t.n + 1 kept[#kept + 1] = t return t.n end",
	"returned":            "local function make() local t = {n = 0} return t end return function() local t = make() t.n = t.n + 1 return t.n, make() == make() end",
	"identity":            "local all = {} for i = 1, 2 do local t = {n = 0} all[i] = t end return function() return all[1] == all[2] end",
}

// Instances do not tell that they share tables, nor do they share what could change.
func TestInstancesShareConstants(t *testing.T) {
	for source, want := range sharing {
		require.Equal(t, want, inTurn(t, source), source)
	}
	for name, source := range leaving {
		t.Run(name, func(t *testing.T) { inTurn(t, source) })
	}
}

// inTurn calls the function of a program in three instances of one VM and in one
// of another, which must say the same, and returns what they say.
func inTurn(t *testing.T, source string) string {
	t.Helper()
	p := compile(t, source)
	vm, other := newVM(t, luavm.Limits{}), newVM(t, luavm.Limits{})
	want := callText(t, other, instance(t, other, p))
	for range 3 {
		require.Equal(t, want, callText(t, vm, instance(t, vm, p)), source)
	}
	return want
}

// To share a table takes fewer instructions than to build one, and the same number
// in every instance.
func TestSharedTablesAreNotBuilt(t *testing.T) {
	const table = "local t = {a = 1, b = 2, c = 3, d = 4} "
	require.Less(t, instanceCost(t, table+"return function() return t.a end"), instanceCost(t, table+"return function() return t end"))
}

func instanceCost(t *testing.T, source string) int64 {
	t.Helper()
	p := compile(t, source)
	vm := newVM(t, luavm.Limits{})
	instance(t, vm, p)
	first := vm.Used()
	instance(t, vm, p)
	require.Equal(t, first, vm.Used(), source)
	return first
}

// A program that takes the name of another leaves its tables alone.
func TestSharedTablesAreThoseOfTheProgram(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	one, two := compile(t, "local t = {'one'} return function() return t[1] end"), compile(t, "local t = {'two'} return function() return t[1] end")
	kept := instance(t, vm, one)
	for range 2 {
		require.Equal(t, "two", callText(t, vm, instance(t, vm, two)))
		require.Equal(t, "one", callText(t, vm, instance(t, vm, one)))
		require.Equal(t, "one", callText(t, vm, kept))
	}
}

// Whoever holds long texts pays for each instruction, wherever they stand.
func TestLongConstantsInSharedTablesWeigh(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, table := range []string{"{a = '" + long + "'}", "{" + long + " = 1}"} {
		const loop = " for i = 1, 100 do local x = t.a end return function() return "
		require.Greater(t, instanceCost(t, "local t = "+table+loop+"t.a end"), int64(1000), table[:3])
	}
}
