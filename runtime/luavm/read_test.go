package luavm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// read runs source with the frozen payload and the value null, and hands its
// result to f within the run.
func read(t *testing.T, source string, f func(vm *luavm.VM, v lua.LValue)) {
	t.Helper()
	vm := newVM(t, luavm.Limits{Instructions: 5_000_000})
	vm.Define("host", vm.Null())
	vm.Define("next_one", vm.Func("next_one", func(L *lua.LState) int {
		t := L.CheckTable(1)
		vm.MarkList(t)
		L.Push(t)
		return 1
	}))
	require.NoError(t, vm.Begin(t.Context()))
	defer vm.End()
	results, err := vm.Exec(compile(t, "local p = ... "+source), vm.Env(), vm.Freeze(parse(t, payload), nil, nil))
	require.NoError(t, err)
	require.NotEmpty(t, results)
	f(vm, results[0])
}

func TestToValue(t *testing.T) {
	tests := []struct{ source, want string }{
		{"return {kind = 'deny', reason = 'no'}", `{"kind":"deny","reason":"no"}`},
		{"return {1, 'a', true, {x = 1}}", `[1,"a",true,{"x":1}]`},
		{"return {}", `{}`},
		{"return next_one{}", `[]`},
		{"return next_one{1}", `[1]`},
		{"return {a = host}", `{"a":null}`},
		{"return nil", `null`},
		{"return {b = 1, a = 2, c = 3}", `{"a":2,"b":1,"c":3}`},
		{"return 1.5", `1.5`},
		{"return -0", `0`},
		{"return 2^53", `9007199254740992`},
		{"return {x = p.input, y = p.big, z = p.list}", `{"x":{"command":"ls","args":["a","b"],"deep":{"x":[1]}},"y":9007199254740993,"z":[10,null,30]}`},
		{"return {y = '9007199254740993'}", `{"y":"9007199254740993"}`},
		{"return p", payload},
		{"return 'a\\0\\255'", "\"a\\u0000\uFFFD\""},
	}
	for _, tt := range tests {
		read(t, tt.source, func(vm *luavm.VM, v lua.LValue) {
			got, err := vm.ToValue("answer", v)
			require.NoError(t, err, tt.source)
			require.Equal(t, tt.want, string(got.AppendJSON(nil)), tt.source)
		})
	}
}

func TestToValueRefuses(t *testing.T) {
	tests := []struct{ source, want string }{
		{"return {a = {b = {1, 2, type}}}", "answer.a.b[3]: expected JSON, got a function"},
		{"return {x = 0/0}", "answer.x: expected a finite number, got nan"},
		{"return {x = {-1/0}}", "answer.x[1]: expected a finite number, got -inf"},
		{"return {1, 2, x = 3}", "answer: expected a list or named fields, got a table with mixed keys"},
		{"return {[1] = 1, [3] = 3}", "answer: expected a list or named fields, got a table with mixed keys"},
		{"return {[1.5] = 1}", "answer: expected a list or named fields, got a table with mixed keys"},
		{"return {[true] = 1}", "answer: expected a list or named fields, got a table with mixed keys"},
		{"local t = {} t.self = {t} return t", "answer.self[1]: the table contains itself"},
		{"local t = {} for i = 1, 100 do t = {t} end return t", "answer" + strings.Repeat("[1]", 33) + ": nested deeper than 32"},
		{"local t = {} for i = 1, 20000 do t[i] = i end return t", "answer: more than 10000 values"},
		{"local t = {} for i = 1, 40 do t = {t, t} end return t", "nested deeper than 32"},
		{"local t = {1} for i = 1, 20 do t = {t, t} end return t", "more than 10000 values"},
		{"return setmetatable({a = 1}, {__index = {b = 2}, __pairs = function() error('x') end})", "answer: expected JSON, got a table with a metatable"},
		{"return {l = {setmetatable({}, {})}}", "answer.l[1]: expected JSON, got a table with a metatable"},
		{"return {f = string}", "answer.f.byte: expected JSON, got a function"},
	}
	for _, tt := range tests {
		read(t, tt.source, func(vm *luavm.VM, v lua.LValue) {
			_, err := vm.ToValue("answer", v)
			require.ErrorContains(t, err, tt.want, tt.source)
		})
	}
}

// A text that came from a number goes back as the number, unless the payload
// also has it as a text.
func TestBigNumbersComeBack(t *testing.T) {
	for _, tt := range []struct{ doc, want string }{
		{`{"n":9007199254740993}`, `{"x":9007199254740993}`},
		{`{"n":9007199254740993,"s":"9007199254740993"}`, `{"x":"9007199254740993"}`},
		{`{"n":1e400}`, `{"x":1e400}`},
	} {
		vm := newVM(t, luavm.Limits{})
		require.NoError(t, vm.Begin(t.Context()))
		results, err := vm.Exec(compile(t, "local p = ... return {x = p.n}"), vm.Env(), vm.Freeze(parse(t, tt.doc), nil, nil))
		require.NoError(t, err)
		got, err := vm.ToValue("v", results[0])
		require.NoError(t, err)
		require.Equal(t, tt.want, got.String())
		vm.End()

		require.NoError(t, vm.Begin(t.Context()))
		results, err = vm.Exec(compile(t, "return {x = '9007199254740993'}"), vm.Env())
		require.NoError(t, err)
		got, err = vm.ToValue("v", results[0])
		require.NoError(t, err)
		require.JSONEq(t, `{"x":"9007199254740993"}`, got.String(), "the next run has not seen the number")
		vm.End()
	}
}

func TestNodes(t *testing.T) {
	read(t, "return {kind = 'deny', n = 5, ok = true, list = {'a'}, none = {}, f = type, nul = host, v = p, vl = p.list, mix = {1, x = 1}}", func(vm *luavm.VM, v lua.LValue) {
		root := vm.Reader("decision").Root(v)
		require.Equal(t, luavm.KindObject, root.Kind())
		keys, err := root.Keys()
		require.NoError(t, err)
		require.Equal(t, []string{"f", "kind", "list", "mix", "n", "none", "nul", "ok", "v", "vl"}, keys)
		kinds := map[string]luavm.Kind{
			"kind": luavm.KindString, "n": luavm.KindNumber, "ok": luavm.KindBool, "list": luavm.KindList, "none": luavm.KindEmpty,
			"f": luavm.KindOther, "nul": luavm.KindNull, "v": luavm.KindObject, "vl": luavm.KindList, "mix": luavm.KindMixed, "no": luavm.KindNil,
		}
		for key, kind := range kinds {
			child, present := root.Get(key)
			require.Equal(t, kind, child.Kind(), key)
			require.Equal(t, key != "no", present)
			require.Equal(t, "decision."+key, child.Path())
		}
		kind, _ := root.Get("kind")
		require.Equal(t, "deny", kind.Str())
		require.Equal(t, `string "deny"`, kind.Describe())
		require.Equal(t, lua.LString("deny"), kind.LValue())
		n, _ := root.Get("n")
		require.InDelta(t, 5, n.Number(), 0)
		ok, _ := root.Get("ok")
		require.True(t, ok.Bool())
		list, _ := root.Get("list")
		items, err := list.Items()
		require.NoError(t, err)
		require.Len(t, items, 1)
		require.Equal(t, "decision.list[1]", items[0].Path())
		none, _ := root.Get("none")
		items, err = none.Items()
		require.NoError(t, err)
		require.Empty(t, items)
		_, err = kind.Items()
		require.EqualError(t, err, `decision.kind: expected list, got string "deny"`)
		_, err = list.Keys()
		require.EqualError(t, err, "decision.list: expected table with named fields, got list")
		view, _ := root.Get("v")
		keys, err = view.Keys()
		require.NoError(t, err)
		require.Equal(t, []string{"big", "empty", "flag", "input", "list", "none", "tool"}, keys)
		input, _ := view.Get("input")
		command, _ := input.Get("command")
		require.Equal(t, "ls", command.Str())
	})
}
