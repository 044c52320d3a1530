package luavm_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBaseLibrary(t *testing.T) {
	const where = "policy.lua:1: "
	tests := []struct{ source, want string }{
		{"return type(nil), type({}), type(type), type('')", "nil table function string"},
		{"return pcall(type)", "false " + where + "bad argument #1 (value expected)"},
		{"return tostring(nil), tostring({}), tostring(type), tostring(1e15), tostring(-0.1)", "nil table function 1e+15 -0.1"},
		{"return tostring(1/3), tostring(2^53), tostring(100), tostring(1e100), tostring(1/0), tostring(-1/0), tostring(123456789012345)", "0.33333333333333 9.007199254741e+15 100 1e+100 inf -inf 1.2345678901235e+14"},
		{"return tonumber('1e2'), tonumber('0x10'), tonumber(' 5 '), tonumber('010'), tonumber(''), tonumber('1_0'), tonumber('nan'), tonumber({})", "100 16 5 10 nil nil nil nil"},
		{"return tonumber('z', 36), tonumber('ff', 16), tonumber('0xff', 16), tonumber('8', 8), tonumber('-101', 2)", "35 255 255 nil -5"},
		{"return select('#', nil, nil), select(2, 'a', 'b', 'c')", "2 b c"},
		{"return select(-1, 'a', 'b')", "b"},
		{"return pcall(select, 0)", "false " + where + "bad argument #1 (index out of range)"},
		{"return pcall(assert, false, {}) == false, select(2, pcall(assert, nil)), assert(1, 2)", "true assertion failed! 1 2"},
		{"local ok, e = pcall(error, {code = 7}) return ok, e.code", "false 7"},
		{"return pcall(error)", "false nil"},
		{"return pcall(error, 'm', 0)", "false m"},
		{"local function f() error('m', 2) end\nlocal function g()\nf() end return pcall(g)", "false policy.lua:3: m"},
		{"return xpcall(function(a, b) return a + b end, type, 3, 4)", "true 7"},
		{"return xpcall(function() error('x', 0) end, function(e) return e .. '!' end)", "false x!"},
		{"return rawequal('a', 'a'), rawlen({1, 2}), rawlen('abc'), rawget({x = 1}, 'x'), rawset({}, 'y', 2).y", "true 2 3 1 2"},
		{"local t = setmetatable({}, {__index = function(_, k) return k .. '!' end}) return t.a, rawget(t, 'a')", "a! nil"},
		{"return getmetatable('x'), pcall(setmetatable, setmetatable({}, {__metatable = 1}), {})", "false false " + where + "cannot change a protected metatable"},
		{"return pcall(setmetatable, {})", "false " + where + "bad argument #2 (nil or table expected, got no value)"},
		{"local function f() return type() end return pcall(f)", "false " + where + "bad argument #1 to type (value expected)"},
		{"return next({}), next({5}), unpack({1, 2, 3}, 2)", "nil 1 2 3"},
		{"return unpack({1, nil, 3}, 1, 3)", "1 nil 3"},
		{"return pcall(unpack, {}, 1, 1e9)", "false " + where + "too many results to unpack (8192 at most)"},
		{"local s = '' for i, v in ipairs({'a', 'b', nil, 'd'}) do s = s .. i .. v end return s", "1a2b"},
		{"local n = 0 for k in pairs(setmetatable({}, {__pairs = function() return next, {1, 2}, nil end})) do n = n + k end return n", "3"},
		{"return _VERSION, #_VERSION", "Lua 5.1 7"},
		{"return pcall(ipairs, 1)", "false " + where + "bad argument #1 (table expected, got number)"},
		{"return math.floor(-2.5), math.max(1, 3, 2), math.min(2, 1), math.fmod(-7, 3), math.modf(3.7) == 3, math.log(8, 2), math.pow(2, 3), math.random", "-3 3 1 -1 true 3 8 nil"},
		{"return math.ldexp(1, 4), math.frexp(8)", "16 0.5 4"},
		{"return table.concat({1, 2.5, 'x'}, '-'), table.concat({}, ','), table.concat({1, 2, 3}, ',', 2, 3)", "1-2.5-x  2,3"},
		{"return pcall(table.concat, {1, {}})", "false " + where + "invalid value (a table) at index 2 in table for 'concat'"},
		{"local t = {1, 3} table.insert(t, 2, 2) table.insert(t, 4) return #t, table.concat(t, ','), table.remove(t, 1), table.remove(t), #t", "4 1,2,3,4 1 4 2"},
		{"return pcall(table.insert, {}, 5, 1)", "false " + where + "bad argument #2 (position out of bounds)"},
		{"local t = {3, 1, 2} table.sort(t) local u = {'b', 'a', 'c'} table.sort(u, function(x, y) return x > y end) return table.concat(t) .. table.concat(u)", "123cba"},
		{"return pcall(table.sort, {1, 'x'})", "false " + where + "attempt to compare string with number"},
		{"return table.maxn({1, 2, [10] = 1}), table.unpack({7}), table.pack(1, nil).n", "10 7 2"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, eval(t, tt.source), tt.source)
	}
}

func TestStringLibrary(t *testing.T) {
	tests := []struct{ source, want string }{
		{"return ('abc'):sub(2), ('abc'):sub(-2, -2), ('abc'):sub(0), ('abc'):sub(3, 2) == ''", "bc b abc true"},
		{"return ('x'):rep(3, ','), ('x'):rep(0) == '', ('x'):rep(2.9)", "x,x,x true xx"},
		{"return ('aÀb'):upper(), ('AÉ'):lower(), ('abc'):reverse(), #'aÀ'", "AÀB aÉ cba 3"},
		{"return ('abc'):byte(), ('abc'):byte(-1), string.char(72, 105), select('#', ('abc'):byte(1, 3))", "97 99 Hi 3"},
		{"return ('abc'):find('b'), ('abc'):find('x')", "2 nil"},
		{"return ('a.c'):find('.', 1, true)", "2 2"},
		{"return ('abc'):find('', 10), ('abc'):find('', 3)", "4 3 2"},
		{"return ('key = value'):match('^(%w+)%s*=%s*(%w+)$')", "key value"},
		{"return select('#', ('abc'):match('x')), ('abc'):match('()b()')", "1 2 3"},
		{"return ('THE (quick) fox'):find('%((%a+)%)')", "5 11 quick"},
		{"return ('f(a(b)c)'):match('%b()'), ('hello world'):match('%f[%w]%w+$')", "(a(b)c) world"},
		{"return ('abab'):match('(ab)%1'), ('[[x'):match('[[]'), ('a]b'):match('[]]'), ('x-y'):match('[a-]')", "ab [ ] -"},
		{"return ('hello'):gsub('l', 'L'), ('abc'):gsub('', '-')", "heLLo -a-b-c- 4"},
		{"return ('abc'):gsub('%w', '%0%0'), ('a b'):gsub('(%w) (%w)', '%2 %1')", "aabbcc b a 1"},
		{"return ('abc'):gsub('b', {b = 'X'}), ('abc'):gsub('b', function() return false end), (('abc'):gsub('%w', '%%'))", "aXc abc %%%"},
		{"return ('abc'):gsub('^a', 'x', 5), ('aaa'):gsub('^a', 'b')", "xbc baa 1"},
		{"local s = '' for k, v in ('a=1, b=2'):gmatch('(%w)=(%w)') do s = s .. k .. v end return s", "a1b2"},
		{"local n = 0 for _ in ('aaa'):gmatch('^a') do n = n + 1 end return n", "0"},
		{"return pcall(string.gsub, 'x', 'x', '%9')", "false policy.lua:1: invalid capture index"},
		{"return pcall(string.find, 'x', '[a')", "false policy.lua:1: malformed pattern (missing ']')"},
		{"return pcall(string.find, 'x', '%')", "false policy.lua:1: malformed pattern (ends with '%')"},
		{"return pcall(string.gsub, 'x', 'x', function() return {} end)", "false policy.lua:1: invalid replacement value (a table)"},
		{"return string.format('%5.2f|%-5d|%05d|%x|%s|%q|%%', 3.14159, 42, 7, 255, 'x', 'a\"b')", ` 3.14|42   |00007|ff|x|"a\"b"|%`},
		{"return string.format('%d %d %s', 3.7, '10', {})", "3 10 table"},
		{"return string.format('%g %g %g %e', 1e20, 0.1, 100, 12345.678)", "1e+20 0.1 100 1.234568e+04"},
		{"return string.format('%5s|%-5s|%.2s|%c', 'ab', 'ab', 'abc', 65), string.format('%x', -1)", "   ab|ab   |ab|A ffffffffffffffff"},
		{"return pcall(string.format, '%d', 1/0)", "false policy.lua:1: bad argument #2 (number has no integer representation)"},
		{"return pcall(string.format, '%T', 1)", "false policy.lua:1: invalid conversion '%T' to 'format'"},
		{"return pcall(string.format, '%s')", "false policy.lua:1: bad argument #2 (no value)"},
		{"return ('abc').len('xx'), ('x').nope, #'a\\0b'", "2 nil 3"},
		{"return 'a' < 'b', 'a' <= 'a', 'Z' < 'a', '' < 'a', 'a\\0b' < 'a\\0c'", "true true true true true"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, eval(t, tt.source), tt.source)
	}
}

func TestMetamethods(t *testing.T) {
	tests := []struct{ source, want string }{
		{"local t = setmetatable({}, {__add = function(a, b) return type(a) .. type(b) end}) return t + 1, 1 + t, 'a' + t, t + 'a'", "tablenumber numbertable stringtable tablestring"},
		{"local t = setmetatable({}, {__mod = function() return 'mod' end, __unm = function() return 'unm' end}) return t % 2, 2 % t, -t", "mod mod unm"},
		{"local t = setmetatable({}, {__concat = function(a, b) return type(a) .. type(b) end}) return t .. 1, 'x' .. t", "tablenumber stringtable"},
		{"local log = {} local t = setmetatable({}, {__newindex = function(_, k, v) log[#log + 1] = k .. v end}) local k = 'b' t.a = 1 t[k] = 2 return table.concat(log, ','), rawget(t, 'a')", "a1,b2 nil"},
		{"local u = {} local t = setmetatable({}, {__newindex = u}) local k = 1 t[k] = 5 return u[1], rawget(t, 1)", "5 nil"},
		{"local t = setmetatable({}, {__call = function(self, a) return a end}) return t(4), pcall(t, 5)", "4 true 5"},
		{"local mt = {__eq = function() return true end, __lt = function() return true end} local a, b = setmetatable({}, mt), setmetatable({}, mt) return a == b, a < b, a <= b, a ~= b", "true true false false"},
		{"return #setmetatable({}, {__len = function() return 7 end})", "7"},
		{"local a = setmetatable({}, {__tostring = function() return 'me' end}) return tostring(a), string.format('%s', a)", "me me"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, eval(t, tt.source), tt.source)
	}
}
