package luavm_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
	lua "github.com/yuin/gopher-lua"
)

func reusable(t *testing.T, source string) bool {
	t.Helper()
	p, err := luavm.Compile("p.lua", source, luavm.CompileOptions{Lenient: true, Mutators: []string{"json.array"}})
	require.NoError(t, err, source)
	return p.Reusable()
}

func TestReusable(t *testing.T) {
	for _, source := range []string{
		"return function(p) return p.x end",
		"local deny = {'a', 'b'} deny[3] = 'c' local function has(l, x) for _, v in ipairs(l) do if v == x then return true end end end return function(p) return has(deny, p.x) end",
		"return function() local t = {} t.x = 1 t[2] = 3 table.insert(t, 4) return t end",
		"return function() local t t = {} t.x = 1 local n = 0 n = n + 1 return t end",
		"local n = 0 n = 5 helper = 1 return function() return n, helper end",
		"local insert = table.insert return function() local t = {} insert(t, 1) return t end",
		"local mt = setmetatable({}, {__index = function(_, k) return k end}) return function() return mt.x, table.concat({1}) end",
		"return function() for i = 1, 3 do local s = {} s[i] = i end local f = function() return 1 end return f() end",
		"return function(p) return host.anything(p, {}) end",
	} {
		require.True(t, reusable(t, source), source)
	}
	for _, source := range []string{
		"local n = 0 return function() n = n + 1 return n end",
		"return function() seen = true end",
		"return function() function helper() end end",
		"local t = {} return function() t.x = 1 end",
		"local t = {} return function() local u = t u.x = 1 end",
		"local t = {} return function() local u = {} u.a = t u.a.x = 1 end",
		"local t = {} return function() table.insert(t, 1) end",
		"local t = {} return function() rawset(t, 1, 1) end",
		"local t = {} return function() pcall(table.insert, t, 1) end",
		"local t = {} local i = table.insert return function() i(t, 1) end",
		"local t = {} local i = table.insert return function() pcall(i, t, 1) end",
		"local t = {} local lib = table return function() lib.insert(t, 1) end",
		"local t = {} local k = 'insert' return function() table[k](t, 1) end",
		"local t = {} return function() _G.x = 1 end",
		"local g = _G return function() g.x = 1 end",
		"local t = {} return function() setmetatable(t, {}) end",
		"local t = {} return function() local u = {} setmetatable(u, {__newindex = t}) u.x = 1 end",
		"local t = {} function t:add() self.n = 1 end return function() t:add() end",
		"local t = {} return function(p) p.x = 1 end",
		"local make = function() local t = {} return function() t.n = (t.n or 0) + 1 return t.n end end return make()",
		"local make = function() local n = 0 return function() n = n + 1 return n end end return make()",
		"local t = {} return function() local u = {} u = t u.x = 1 end",
		"local t = {} return function() local u = {} for i = 1, 2 do u.x = i u = t end end",
		"local t = {} return function() t.f = function() end end",
		"local t = {} return function() function t.f() end end",
		"local t = {} return function() json.array(t) end",
		"local t = {} local j = json return function() j.array(t) end",
		"local t = {} return function() j:array(t) end",
		"local a, b = {}, {} return function() a.x, b.y = 1, 2 end",
		"local t = {} local s = table.sort return function() s(t) s = nil end",
		"return function(...) local a = {...} local b = ... b.x = 1 end",
	} {
		require.False(t, reusable(t, source), source)
	}
}

// What the library remembers between calls counts from the main chunk on in every
// run, whether the instance is reused or not.
func TestLibraryRemembersNothing(t *testing.T) {
	for source, want := range map[string]string{
		"local it = ('1 2 3'):gmatch('%d') return function() return it(), it(), it(), it() end":                "1 2 3 nil",
		"local it = string.gmatch('1 2 3', '%d') it() return function() return it() end":                       "2",
		"local h = {it = ('1 2 3'):gmatch('%d')} return function() for d in h.it do return d end end":          "1",
		"local it = (''):gmatch('x') it() return function() return tostring(it()) end":                         "nil",
		"return function() local s = '' for d in ('1 2 3'):gmatch('%d') do s = s .. d end return s end":        "123",
		"local it = ('1 2'):gmatch('%d') for _ in it do end return function() return tostring(it()), it() end": "nil nil",
	} {
		p, err := luavm.Compile("p.lua", source, luavm.CompileOptions{})
		require.NoError(t, err)
		require.True(t, p.Reusable(), source)
		vm := newVM(t, luavm.Limits{})
		kept := instance(t, vm, p)
		for range 3 {
			require.Equal(t, want, callText(t, vm, kept), source)
		}
	}
}

// TestReusableMeansSoOnRandomPrograms calls the function of a random program twice in
// one instance and once in a fresh one: if the program is said to be reusable, the
// second call must not see the first. Instances must never see each other.
func TestReusableMeansSoOnRandomPrograms(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	proved := 0
	for range 3000 {
		source := randomInstance(random)
		p, err := luavm.Compile("p.lua", source, luavm.CompileOptions{})
		require.NoError(t, err, source)
		inTurn(t, source)
		if !p.Reusable() {
			continue
		}
		proved++
		vm := newVM(t, luavm.Limits{})
		kept := instance(t, vm, p)
		first := callText(t, vm, kept)
		second := callText(t, vm, kept)
		fresh := callText(t, vm, instance(t, vm, p))
		require.Equal(t, first, second, source)
		require.Equal(t, first, fresh, source)
	}
	require.Greater(t, proved, 200)
	require.Less(t, proved, 2900)
}

func instance(t *testing.T, vm *luavm.VM, p *luavm.Program) lua.LValue {
	t.Helper()
	require.NoError(t, vm.Begin(t.Context()))
	defer vm.End()
	results, err := vm.Exec(p, vm.Env())
	require.NoError(t, err)
	return results[0]
}

func callText(t *testing.T, vm *luavm.VM, fn lua.LValue) string {
	t.Helper()
	require.NoError(t, vm.Begin(t.Context()))
	defer vm.End()
	results, err := vm.Call(fn, lua.LNumber(3))
	if err != nil {
		return err.Error()
	}
	return show(results)
}

// randomInstance writes a program with state at file level and a handler that
// may or may not change it.
func randomInstance(random *rand.Rand) string {
	pick := func(options ...string) string { return options[random.IntN(len(options))] }
	tables := []string{"t", "u", "v", "w"}
	statement := func() string {
		a, b := pick(tables...), pick(tables...)
		k := pick("x", "y")
		return pick(
			fmt.Sprintf("n = n + 1 %s = %s or n", "m", "m"), "m = m + 1", "local n = n + 1", "m = n",
			fmt.Sprintf("%s.%s = m", a, k), fmt.Sprintf("%s = %s", a, b), fmt.Sprintf("%s = {}", a),
			fmt.Sprintf("local %s = {}", a), fmt.Sprintf("local %s = %s", a, b), fmt.Sprintf("local %s = {%s = %s}", a, k, b),
			fmt.Sprintf("table.insert(%s, m)", a), fmt.Sprintf("insert(%s, m)", a), fmt.Sprintf("rawset(%s, '%s', m)", a, k),
			fmt.Sprintf("if type(%s.%s) == 'table' then %s.%s.%s = m end", a, k, a, k, k),
			fmt.Sprintf("local f = function() %s.%s = (tonumber(%s.%s) or 0) + 1 end f()", a, k, a, k),
			"local f = function() m = m + 1 return m end m = f()", fmt.Sprintf("bump(%s)", a), fmt.Sprintf("m = m + #%s", a),
			fmt.Sprintf("function %s.f() m = 1 end", a), "for i = 1, 2 do m = m + i end", fmt.Sprintf("%s:put(m)", "o"),
			fmt.Sprintf("pcall(rawset, %s, 'x', m)", a), "g = m", "m = m + (tonumber(g) or 0)",
		)
	}
	var b strings.Builder
	empty := func() string { return pick("{}", "{}", "{}", "{x = 1}", "{y = 2, x = 1}", "{1}", "{x = {}}") }
	fmt.Fprintf(&b, "local n, t, u, w = 0, %s, %s, %s g = 1\n", empty(), empty(), empty())
	b.WriteString(pick("local insert = table.insert\n", "local insert = function(l, x) return x end\n", "local insert = rawequal\n"))
	b.WriteString(pick("local function bump(l) return #l end\n", "local function bump(l) l.x = 1 end\n", "local function bump(l) local c = {} c.x = l return c end\n"))
	b.WriteString(pick("local o = {put = function() end}\n", "local o = {} function o:put(x) self.x = x end\n"))
	b.WriteString("return function(m) local v = {} ")
	for range 1 + random.IntN(4) {
		b.WriteString(statement() + " ")
	}
	b.WriteString("local function text(l) return type(l) == 'table' and tostring(l.x) .. tostring(l.y) .. #l or '' end ")
	b.WriteString("return n, m, text(t), text(u), text(v), text(w), tostring(o.x), g end")
	return b.String()
}
