package luavm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// Each of these computes something else on plain gopher-lua.
func TestRepairs(t *testing.T) {
	items := func(n int) string { return strings.Repeat("1,", n-1) + "'last'" }
	tests := []struct{ name, source, want string }{
		{"swap", "local p, q = 1, 2 p, q = q, p return p, q", "2 1"},
		{"rotate fields", "local t = {1, 2, 3} t[1], t[2], t[3] = t[2], t[3], t[1] return t[1], t[2], t[3]", "2 3 1"},
		{"index and value", "local i, t = 1, {} i, t[i] = i + 1, 20 return i, t[1], t[2]", "2 20 nil"},
		{"logic into a local", "local function no() return false end local r = 1 r = r and (no() and no()) return r", "false"},
		{"not and equal", "local a, b, c, r = false, 1, 2, 0 r = not a and (b == c) return r", "false"},
		{"call into the last parameter", "local function f(x) x = (tostring(x)) return x end return f(5)", "5"},
		{"concat into the last parameter", "local function f(s) s = s .. 'y' return s end return f('x')", "xy"},
		{"generic for from next", "local n = 0 for _, v in next, {10, 20, 30} do n = n + v end return n", "60"},
		{"generic for, open call", "local function none() end local function it(_, c) c = (c or 0) + 1 if c < 4 then return c end end local n = 0 for i in it, none() do n = n + i end return n", "6"},
		{"call in a keyed field", "local function f() return 1, 2 end local t = {f(), key = f()} return #t, t.key", "1 1"},
		{"fifty items, then a field", "local function f() return 'f' end local t = {" + items(50) + ", k = f()} return #t, t[1], t[50], t.k", "50 1 last f"},
		{"fifty calls, then a field", "local n = 0 local function f() n = n + 1 return n end local t = {" + items(49) + ", f(), k = f()} return #t, t[1], t[50], t.k", "50 1 1 2"},
		{"fifty items, then an open call", "local function f() return 'a', 'b' end local t = {" + items(50) + ", f()} return #t, t[1], t[51], t[52]", "52 1 a b"},
		{"hundred items, field between", "local t = {" + items(50) + ", x = type(1), " + items(50) + "} return #t, t[1], t[50], t[51], t[100], t.x", "100 1 last 1 last number"},
		{"many items", "local t = {" + items(25000) + "} return #t, t[25000]", "25000 last"},
		{"captured, then an error", "local x = 1 local function get() return x end pcall(error, 'e') x = 2 return get()", "2"},
		{"captured parameter", "local function f(x) local g = function() return x end pcall(error) x = x + 1 return g() end return f(1)", "2"},
		{"captured loop variable", "local fs = {} for i = 1, 2 do fs[i] = function() i = i + 10 return i end end return fs[1](), fs[1](), fs[2]()", "11 21 12"},
		{"captured, then goto", "local n, f = 0 do local x = 1 f = function() return x end goto on ::on:: x = 5 n = f() end return n, f()", "5 5"},
		{"escaped from a failing pcall", "local f pcall(function() local x = 42 f = function() return x end error('e') end) local a, b, c = 1, 2, 3 return f()", "42"},
		{"escaped from a failing xpcall", "local f xpcall(function() local x = 42 f = function() return x end error('e') end, function() end) local a, b, c = 1, 2, 3 return f()", "42"},
		{"break out of a block", "local f while true do do local x = 'mine' f = function() return x end break end end local a, b, c = 1, 2, 3 return f()", "mine"},
		{"local f = function", "local function f() return 'outer' end local f = function() return f() end return f()", "outer"},
		{"local function that is replaced", "local function f() return 1 end local g = f local function h() return f() end f = function() return 2 end return g(), h()", "1 2"},
		{"loop that begins with a jump", "local n = 0 for _ in pairs({1, 2}) do if nil then n = 9 elseif true then n = n + 1 end end return n", "2"},
		{"loop that begins with a constant condition", "local n = 0 for _ in pairs({1, 2}) do if nil then elseif n then n = n + 1 end end return n", "2"},
		{"loop that begins with an else", "local n = 0 for _ in pairs({1, 2}) do if false then else n = n + 1 end end return n", "2"},
		{"loop that begins with a break", "local n = 0 for _ in pairs({1, 2}) do while true do break end n = n + 1 end return n", "2"},
		{"loop that begins with a dead loop", "local n = 0 for _ in pairs({1, 2}) do while false do end n = n + 1 end return n", "2"},
		{"loop that begins with constant logic", "local n = 0 for _ in next, {1, 2} do local v = true or n n = n + 1 end return n", "2"},
		{"label before constant logic", "local n = 0 ::a:: local v = nil and n n = n + 1 if n < 3 then goto a end return n", "3"},
		{"repeat that begins with a jump", "local n = 0 repeat while true do break end n = n + 1 until n == 3 return n", "3"},
		{"octal literals", "return 010, 00777, 0x1F, 0x10p2, 1e3, .5", "10 777 31 64 1000 0.5"},
		{"overflowing literal", "return 1e999 == 1/0, -1e999 == -1/0", "true true"},
		{"octal strings", "return '010' + 0, '0x10' * 1, -'2', '7' % 4", "10 16 -2 3"},
		{"remainders", "return 5 % -3, -5 % 3, 5.5 % 2, 1 % 0.1 < 0.05", "-1 1 1.5 true"},
		{"infinite remainder", "local x = 5 % (1/0) return x ~= x", "true"},
		{"huge", "return math.huge == 1/0", "true"},
		{"no separators in strings", "return pcall(function() return '1_000' + 0 end)", "false policy.lua:1: attempt to perform arithmetic on a string value"},
		{"step of zero", "local s = 0 return pcall(function() for i = 1, 2, s do end end)", "false policy.lua:1: 'for' step is zero"},
		{"no arg table", "local function f(...) local n = 0 for _ in pairs({...}) do n = n + 1 end return n end return f(1, 2)", "2"},
		{"long concatenation", "return #(" + strings.Repeat("'a' .. ", 2000) + "1)", "2001"},
		{"right association", "local mt = {} mt.__concat = function(a, b) return (type(a) == 'table' and 'T' or a) .. '(' .. (type(b) == 'table' and 'T' or b) .. ')' end return 'a' .. 'b' .. setmetatable({}, mt) .. 'c'", "abT(c)"},
		{"_G is the environment", "x = 5 return _G.x, _G == _G, _G['x']", "5 true 5"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, eval(t, tt.source), tt.name)
	}
}

// Hidden names must not be reachable, whatever a script is called or calls itself.
func TestHiddenNamesCannotBeSpelt(t *testing.T) {
	for _, name := range []string{"@concat", "@store", "@env", "@v"} {
		_, err := luavm.Compile("p.lua", "return "+name, luavm.CompileOptions{Lenient: true})
		require.Error(t, err)
	}
	require.Equal(t, "nil nil", eval(t, "return rawget(_G, '@concat'), rawget(_G, '@env')"))
}
