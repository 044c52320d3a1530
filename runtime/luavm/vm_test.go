package luavm_test

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

func TestErrorsAtRunTime(t *testing.T) {
	tests := []struct{ source, want string }{
		{"local x = nil\nreturn x.y", "policy.lua:2: attempt to index 'x' (a nil value) with key 'y'"},
		{"local t = {a = {}}\nreturn t.a.b.c", "policy.lua:2: attempt to index 't.a.b' (a nil value) with key 'c'"},
		{"local t = {}\n\nt.run()", "policy.lua:3: attempt to call 't.run', which is not a function"},
		{"local t = {}\nlocal n = string.len(t.name()) + 1", "policy.lua:2: attempt to call 't.name', which is not a function"},
		{"local o = {} o:go()", "policy.lua:1: attempt to call 'o:go', which is not a function"},
		{"local t = {} return ({})[t].x", "policy.lua:1: attempt to index a nil value with key 'x'"},
		{"local x = nil local t = {} return x[t]", "policy.lua:1: attempt to index a nil value with key 'table'"},
		{"local k = 'z' local x = nil x[k] = 1", "policy.lua:1: attempt to index a nil value with key 'z'"},
		{"return 1 + nil", "policy.lua:1: attempt to perform arithmetic on a nil value"},
		{"return {} * 2", "policy.lua:1: attempt to perform arithmetic on a table value"},
		{"return -{}", "policy.lua:1: attempt to perform arithmetic on a value that is not a number"},
		{"return 'a' .. {}", "policy.lua:1: attempt to concatenate a table value"},
		{"return 1 < 'x'", "policy.lua:1: attempt to compare number with string"},
		{"return {} < {}", "policy.lua:1: attempt to compare two table values"},
		{"return #type", "policy.lua:1: attempt to get the length of a value that has none"},
		{"error('mine')", "policy.lua:1: mine"},
		{"error({code = 7, text = 'no', f = type})", "policy.lua:1: error object: {code = 7, text = \"no\", f = (function)}"},
		{"error()", "policy.lua:1: error object: nil"},
		{"error(setmetatable({}, {__tostring = function() while true do end end}))", "policy.lua:1: error object: {}"},
		{"return _G.helpr", "policy.lua:1: unknown global 'helpr'"},
		{"return _G.tostrin", "policy.lua:1: unknown global 'tostrin' (did you mean 'tostring'?)"},
		{"return _G.os", "policy.lua:1: 'os' is not available in scripts (use the time module)"},
	}
	for _, tt := range tests {
		require.Equal(t, "error: "+tt.want, eval(t, tt.source), tt.source)
	}
}

// What a script says itself is never reworded, nor taken for an overflow.
func TestOwnWordsOfAScriptAreKept(t *testing.T) {
	for _, words := range []string{"stack overflow", "registry overflow", "attempt to call a non-function object", "__len undefined", "cannot perform x"} {
		require.Equal(t, "false "+words+" after", eval(t, "local ok, e = pcall(error, '"+words+"', 0) return ok, e, 'after'"))
		require.Equal(t, "false "+words+" after", eval(t, "local ok, e = pcall(assert, false, '"+words+"') return ok, e, 'after'"))
		require.Equal(t, "error: policy.lua:1: "+words, eval(t, "error('"+words+"')"))
	}
}

func TestErrorsCarryABoundedTrace(t *testing.T) {
	_, err := exec(t, newVM(t, luavm.Limits{}), "local function inner() error('x') end\nlocal function outer()\ninner() return 1 end\nouter()")
	var e *luavm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, []luavm.Frame{
		{File: "policy.lua", Line: 1, Name: "inner"}, {File: "policy.lua", Line: 3, Name: "outer"}, {File: "policy.lua", Line: 4},
	}, e.Trace)

	_, err = exec(t, newVM(t, luavm.Limits{}), "local function f(n) if n == 0 then error('x') end f(n - 1) return 1 end f(100)")
	require.ErrorAs(t, err, &e)
	require.Len(t, e.Trace, 12)

	_, err = exec(t, newVM(t, luavm.Limits{}), "local function f(n) if n == 0 then error('x') end return f(n - 1) end return f(50000)")
	require.ErrorAs(t, err, &e)
	require.LessOrEqual(t, len(e.Trace), 12)
}

func TestGoErrorsComeOutUnchanged(t *testing.T) {
	reason := errors.New("next was called twice")
	vm := newVM(t, luavm.Limits{})
	vm.Define("host", vm.Func("host", func(L *lua.LState) int {
		luavm.Raise(L, fmt.Errorf("point: %w", reason))
		return 0
	}))
	_, err := exec(t, vm, "local function f() host() end\nf()")
	require.ErrorIs(t, err, reason)
	require.EqualError(t, err, "policy.lua:1: point: next was called twice")

	_, err = exec(t, vm, "local ok, e = pcall(host) error(e)")
	require.ErrorIs(t, err, reason, "caught and raised again")

	results, err := exec(t, vm, "local ok, e = pcall(host) return ok, tostring(e), 'got: ' .. e, type(e.x)")
	require.Error(t, err, "a Go error has no fields")
	require.Nil(t, results)
	require.Equal(t, "false point: next was called twice got: point: next was called twice",
		show(must(exec(t, vm, "local ok, e = pcall(host) return ok, tostring(e), 'got: ' .. e"))))
}

func TestPlaceOfALimitIsThatOfTheRun(t *testing.T) {
	vm := newVM(t, luavm.Limits{Instructions: 10_000})
	_, err := exec(t, vm, "error('first')")
	require.Error(t, err)
	_, err = exec(t, vm, "\n\npcall(function()\nwhile true do end end)")
	require.EqualError(t, err, "policy.lua:4: instruction budget used up")
}

func TestErrorsOfNestedProgramsKeepTheirPlace(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	module, err := luavm.Compile("module.lua", "\nlocal x\nreturn x.y", luavm.CompileOptions{})
	require.NoError(t, err)
	vm.Define("host", vm.Func("host", func(L *lua.LState) int {
		if _, err := vm.Exec(module, vm.Env()); err != nil {
			luavm.Raise(L, err)
		}
		return 0
	}))
	_, err = exec(t, vm, "\n\n\nhost()")
	require.EqualError(t, err, "module.lua:3: attempt to index 'x' (a nil value) with key 'y'")

	looping, err := luavm.Compile("module.lua", "while true do end", luavm.CompileOptions{})
	require.NoError(t, err)
	module = looping
	_, err = exec(t, vm, "pcall(host) return 1")
	require.ErrorIs(t, err, luavm.ErrInstructions)
}

func TestPanicsOfHostFunctionsAreContained(t *testing.T) {
	for _, source := range []string{"host()", "pcall(host) return 'allow'", "xpcall(host, tostring) return 'allow'", "table.sort({2, 1}, host)"} {
		vm := newVM(t, luavm.Limits{})
		vm.Define("host", vm.Func("host", func(*lua.LState) int { panic("secret state") }))
		_, err := exec(t, vm, source)
		var e *luavm.Error
		require.ErrorAs(t, err, &e, source)
		require.Equal(t, "internal error in 'host'", e.Msg)
		require.NotContains(t, err.Error(), "secret")
		require.Contains(t, string(e.Stack), "secret state")
		require.True(t, vm.Broken())
		require.ErrorIs(t, vm.Begin(t.Context()), luavm.ErrBroken)
	}
}

// A host function that ends its goroutine leaves its callers on the stack of the VM.
func TestEndOfTheGoroutineBreaksTheVM(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	vm.Define("host", vm.Func("host", func(*lua.LState) int {
		runtime.Goexit()
		return 0
	}))
	p := compile(t, "pcall(function() host() end)")
	var ended sync.WaitGroup
	ended.Go(func() {
		if vm.Begin(t.Context()) == nil {
			defer vm.End()
			_, _ = vm.Exec(p, vm.Env())
		}
	})
	ended.Wait()
	require.True(t, vm.Broken())
	require.ErrorIs(t, vm.Begin(t.Context()), luavm.ErrBroken)
}

func TestRegistryOverflowBreaksTheVM(t *testing.T) {
	vm := newVM(t, luavm.Limits{Wall: -1, Registry: 4096})
	_, err := exec(t, vm, "local function f(...) return f(1, 2, 3, ...) end return f()")
	require.ErrorIs(t, err, luavm.ErrRegistry)
	require.NotContains(t, err.Error(), "index out of range")
	require.True(t, vm.Broken())
	require.ErrorIs(t, vm.Begin(t.Context()), luavm.ErrBroken)
	_, err = vm.Call(lua.LNil)
	require.ErrorIs(t, err, luavm.ErrBroken)
}

var address = regexp.MustCompile(`0x[0-9a-f]{4,}`)

func TestNoTextHoldsAnAddress(t *testing.T) {
	for _, source := range []string{
		"return tostring({}), tostring(type), tostring(string), ('%s'):format({})",
		"error({{}})", "error(type)", "local x return x[{}]", "local t = setmetatable({}, {__index = 1}) return t[type]",
		"return {} .. type", "return ({})[{}][type]", "return pcall(next, {}, type)", "for i = {}, 1 do end",
	} {
		require.NotRegexp(t, address, eval(t, source), source)
	}
}

func TestTheSandboxHasNoWayOut(t *testing.T) {
	for _, name := range []string{
		"io", "os", "debug", "package", "coroutine", "load", "loadstring", "loadfile", "dofile", "require", "module", "getfenv", "setfenv",
		"newproxy", "collectgarbage", "print", "channel", "_printregs",
	} {
		require.Equal(t, "nil", eval(t, "return rawget(_G, '"+name+"')"), name)
		_, err := luavm.Compile("p.lua", "return "+name, luavm.CompileOptions{})
		require.Error(t, err, name)
	}
	require.Equal(t, "nil nil nil", eval(t, "return string.dump, math.random, math.randomseed"))
}

func TestLibrariesAreReadOnly(t *testing.T) {
	for _, source := range []string{
		"string.len = 1", "string.new = 1", "rawset(string, 'len', 1)", "setmetatable(string, {})", "table.insert(string, 1)",
		"table.sort(math)", "math.pi = 3", "getmetatable('').__index = {}", "setmetatable(_G, {})", "table.remove(table)",
		"host.x = 1", "rawset(host, 'f', 1)", "setmetatable({}, host)", "local k = 'len' string[k] = 1",
	} {
		vm := newVM(t, luavm.Limits{})
		vm.Define("host", vm.Library(map[string]lua.LValue{"f": lua.LNumber(1)}))
		_, err := exec(t, vm, source)
		require.Error(t, err, source)
		require.Equal(t, "3 1 nil", show(must(exec(t, vm, "return string.len('abc'), host.f, host.x"))))
	}
	vm := newVM(t, luavm.Limits{})
	vm.Define("host", vm.Library(map[string]lua.LValue{"b": lua.LNumber(2), "a": lua.LNumber(1)}))
	require.Equal(t, "a1b2 table 0 1", show(must(exec(t, vm,
		"local s = '' for k, v in pairs(host) do s = s .. k .. v end return s, type(host), #host, rawget(host, 'a')"))))
}

// A host may make libraries in every run: the VM keeps none that nobody refers to.
func TestLibrariesAreForgotten(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	made := func() weak.Pointer[lua.LTable] {
		f := vm.Func("f", func(*lua.LState) int { return 0 })
		object := vm.Module("object", nil, []string{"f"}, func(int) lua.LValue { return f })
		vm.Define("host", object)
		require.Equal(t, "f table", show(must(exec(t, vm, "local name for k in pairs(host) do name = k end return name, type(host)"))))
		vm.Define("host", lua.LNil)
		return weak.Make(object.(*lua.LTable))
	}()
	untraversed := weak.Make(vm.Module("object", nil, []string{"f"}, nil).(*lua.LTable))
	must(exec(t, vm, "return 1"))
	runtime.GC()
	require.Nil(t, made.Value())
	require.Nil(t, untraversed.Value())
}

func TestEnvironmentsAreSeparate(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	_, err := exec(t, vm, "leak = 1 type = 2 string = nil function pairs() end rawset(_G, 'next', 5) return leak")
	require.NoError(t, err)
	require.Equal(t, "nil string 1", show(must(exec(t, vm, "local n = 0 for _ in pairs({1}) do n = n + 1 end return rawget(_G, 'leak'), type(''), n"))))
}
