package luavm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

const payload = `{"tool":"Bash","input":{"command":"ls","args":["a","b"],"deep":{"x":[1]}},"list":[10,null,30],"nul":null,"empty":{},"none":[],"big":9007199254740993,"flag":true}`

// evalWith runs source with the frozen payload as its argument.
func evalWith(t *testing.T, source string) string {
	t.Helper()
	vm := newVM(t, luavm.Limits{})
	p := compile(t, "local p = ... "+source)
	require.NoError(t, vm.Begin(t.Context()))
	defer vm.End()
	results, err := vm.Exec(p, vm.Env(), vm.Freeze(parse(t, payload), nil, nil))
	if err != nil {
		return "error: " + err.Error()
	}
	return show(results)
}

func TestViewsBehaveLikeTables(t *testing.T) {
	tests := []struct{ source, want string }{
		{"return type(p), type(p.input), tostring(p), p.tool, p.flag", "table table table Bash true"},
		{"return #p.list, #p.none, #p.input, rawlen(p.list)", "3 0 0 3"},
		{"return p.list[1], p.list[2], p.list[3], p.list[4], p.list[0], p.list.x, p.nul, p.nope, p[1], p.input.nope", "10 nil 30 nil nil nil nil nil nil nil"},
		{"local s = '' for k in pairs(p) do s = s .. k .. ',' end return s", "big,empty,flag,input,list,none,tool,"},
		{"local s = '' for k, v in pairs(p.list) do s = s .. k .. '=' .. v .. ',' end return s", "1=10,3=30,"},
		{"local s = '' for i, v in ipairs(p.input.args) do s = s .. i .. v end return s", "1a2b"},
		{"return next(p.empty), next(p.none), (next(p.input))", "nil nil args"},
		{"return p.input == p.input, rawequal(p.input, p.input), p.input.args == p.input.args, p.input == p.empty, p.list[9] == nil", "true true true false true"},
		{"local t = {[p.input] = 1} return t[p.input], t[p.empty]", "1 nil"},
		{"return unpack(p.input.args)", "a b"},
		{"return table.concat(p.input.args, '+'), select('#', unpack(p.list))", "a+b 3"},
		{"return rawget(p, 'tool'), rawget(p.list, 3)", "Bash 30"},
		{"local t = setmetatable({}, {__index = p}) return t.tool, t.nope", "Bash nil"},
		{"return ('tool flag x'):gsub('%a+', p)", "error: policy.lua:1: invalid replacement value (a boolean)"},
		{"return ('tool x'):gsub('%a+', p)", "Bash x 2"},
		{"return p.big, type(p.big)", "9007199254740993 string"},
		{"return getmetatable(p), getmetatable(p.input)", "false false"},
		{"return p .. 'x'", "error: policy.lua:1: attempt to concatenate a table value"},
		{"return p + 1", "error: policy.lua:1: attempt to perform arithmetic on a table value"},
		{"return p < p", "error: policy.lua:1: attempt to compare two table values"},
		{"return p()", "error: policy.lua:1: attempt to call 'p', which is not a function"},
		{"return next(p, 'nope')", "error: policy.lua:1: invalid key to 'next'"},
		{"error(p.input)", "error: policy.lua:1: error object: {\"command\":\"ls\",\"args\":[\"a\",\"b\"],\"deep\":{\"x\":[1]}}"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, evalWith(t, tt.source), tt.source)
	}
}

func TestNodesOfWideObjectsAreTheSameEachTime(t *testing.T) {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, `,"k%d":{"i":%d}`, i, i)
	}
	vm := newVM(t, luavm.Limits{})
	require.NoError(t, vm.Begin(t.Context()))
	defer vm.End()
	p := compile(t, "local p = ... local seen, n = {}, 0 for k, v in pairs(p) do seen[v] = k end for k, v in pairs(p) do if seen[v] == k and p[k] == v then n = n + v.i end end return n")
	results, err := vm.Exec(p, vm.Env(), vm.Freeze(parse(t, "{"+b.String()[1:]+"}"), nil, nil))
	require.NoError(t, err)
	require.Equal(t, "1225", show(results))
}

func TestViewsCannotBeChanged(t *testing.T) {
	tests := []struct{ source, key string }{
		{"p.tool = 1", "tool"},
		{"p.new = 1", "new"},
		{"p.input.command = nil", "command"},
		{"p.list[1] = 1", "1"},
		{"p.list[#p.list + 1] = 1", "4"},
		{"local k = 'tool' p[k] = 1", "tool"},
		{"p[{}] = 1", "table"},
		{"function p.f() end", "f"},
		{"local t = setmetatable({}, {__newindex = p}) t.x = 1", "x"},
		{"p.a, p.b = 1, 2", "b"},
	}
	for _, tt := range tests {
		require.Equal(t, fmt.Sprintf("error: policy.lua:1: attempt to modify a frozen table (key '%s')", tt.key), evalWith(t, tt.source), tt.source)
	}
	for _, source := range []string{
		"rawset(p, 'tool', 1)", "table.insert(p.list, 1)", "table.remove(p.list)", "table.sort(p.list)", "setmetatable(p, {})", "setmetatable({}, p)",
	} {
		require.Contains(t, evalWith(t, source), "frozen table", source)
	}
}

// toolShape is the shape of a payload with the fields tool and input.
type toolShape struct{}

var errNoField = errors.New("no such field")

func (toolShape) Field(name string) (luavm.Shape, error) {
	switch name {
	case "tool", "nul":
		return nil, nil
	case "input":
		return nil, nil
	case "list":
		return listShape{}, nil
	}
	return nil, fmt.Errorf("%w: '%s' in tool.Call", errNoField, name)
}

func (toolShape) Elem() luavm.Shape { return nil }

type listShape struct{}

func (listShape) Field(name string) (luavm.Shape, error) { return nil, errNoField }
func (listShape) Elem() luavm.Shape                      { return toolShape{} }

func TestShapesRefuseUnknownFields(t *testing.T) {
	run := func(source string) (string, error) {
		vm := newVM(t, luavm.Limits{})
		p := compile(t, "local p = ... "+source)
		require.NoError(t, vm.Begin(t.Context()))
		defer vm.End()
		v := parse(t, `{"tool":"Bash","input":{"a":1},"list":[{"tool":"x"}]}`)
		results, err := vm.Exec(p, vm.Env(), vm.Freeze(v, toolShape{}, nil))
		return show(results), err
	}
	for _, source := range []string{
		"return p.tol", "return p['tol']", "local k = 'tol' return p[k]", "return rawget(p, 'tol')", "return p.list[1].tol", "return p[1]", "return p.list.tool",
		"return setmetatable({}, {__index = p}).tol", "return (('x'):gsub('x', p))",
	} {
		_, err := run(source)
		require.ErrorIs(t, err, errNoField, source)
	}
	_, err := run("return p.tol")
	require.EqualError(t, err, "policy.lua:1: no such field: 'tol' in tool.Call")
	got, err := run("local n = 0 for _ in pairs(p) do n = n + 1 end return p.tool, p.nul, p.input.nope, p.list[1].tool, p.list[2], n")
	require.NoError(t, err)
	require.Equal(t, "Bash nil nil x nil 3", got)
}

func TestViewsCarryTheirGoValue(t *testing.T) {
	type token struct{ id int }
	vm := newVM(t, luavm.Limits{})
	require.NoError(t, vm.Begin(t.Context()))
	defer vm.End()
	carry := &token{7}
	doc := parse(t, payload)
	p := compile(t, "local p = ... return p, p.input, {}")
	results, err := vm.Exec(p, vm.Env(), vm.Freeze(doc, nil, carry))
	require.NoError(t, err)
	got, ok := luavm.Carried(results[0])
	require.True(t, ok)
	require.Same(t, carry, got)
	_, ok = luavm.Carried(results[1])
	require.False(t, ok)
	_, ok = luavm.Carried(results[2])
	require.False(t, ok)
	input, ok := luavm.ValueOf(results[1])
	require.True(t, ok)
	require.True(t, doc.Get("input").Equal(input))
	_, ok = luavm.ValueOf(results[2])
	require.False(t, ok)
}

func TestThawCopies(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	vm.Define("host", vm.Func("host", func(L *lua.LState) int {
		L.Push(vm.Thaw(L.Get(1)))
		return 1
	}))
	require.NoError(t, vm.Begin(t.Context()))
	p := compile(t, "local p = ... local t = host(p) t.tool = 'X' t.input.args[3] = 'c' return p.tool, #p.input.args, #t.input.args, t.list[3], host(5), t")
	results, err := vm.Exec(p, vm.Env(), vm.Freeze(parse(t, payload), nil, nil))
	require.NoError(t, err)
	require.Equal(t, "Bash 2 3 30 5", show(results[:5]))
	back, err := vm.ToValue("t", results[5])
	require.NoError(t, err)
	require.JSONEq(t, `{"big":9007199254740993,"empty":{},"flag":true,"input":{"args":["a","b","c"],"command":"ls","deep":{"x":[1]}},"list":[10,null,30],"none":[],"tool":"X"}`,
		back.String())
	vm.End()

	small := newVM(t, luavm.Limits{Instructions: 500})
	small.Define("host", small.Func("host", func(L *lua.LState) int {
		L.Push(small.Thaw(L.Get(1)))
		return 1
	}))
	require.NoError(t, small.Begin(t.Context()))
	_, err = small.Exec(compile(t, "local p = ... while true do host(p) end"), small.Env(), small.Freeze(parse(t, payload), nil, nil))
	require.ErrorIs(t, err, luavm.ErrInstructions)
	small.End()
}
