package luavm_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A lazy shows a document as a source and counts what is made of it.
type lazy struct {
	doc  value.Value
	made *int
}

func (l lazy) Len() int {
	if l.doc.Kind() == value.List {
		return l.doc.Len()
	}
	return -1
}

func (l lazy) Member(name string) (value.Value, luavm.Source) { return l.show(l.doc.Get(name)) }
func (l lazy) Item(i int) (value.Value, luavm.Source)         { return l.show(l.doc.At(i)) }

func (l lazy) show(v value.Value) (value.Value, luavm.Source) {
	*l.made++
	if v.Kind() == value.List || v.Kind() == value.Object {
		return value.Value{}, lazy{v, l.made}
	}
	return v, nil
}

func (l lazy) Value() value.Value {
	*l.made += 100
	return l.doc
}

// A view of a source is to a script what a view of the same document is.
func TestSourcesAreSeenAsDocuments(t *testing.T) {
	sources := []string{
		"return type(p), p.tool, p.flag, p.nul, p.nope, p[1], #p, #p.list, #p.none",
		"return p.list[1], p.list[2], p.list[3], p.list[4], p.list[0], p.list.x",
		"return p.input == p.input, p.input.args == p.input.args, p.input == p.empty",
		"local s = '' for k in pairs(p) do s = s .. k .. ',' end return s",
		"local s = '' for k, v in pairs(p.list) do s = s .. k .. '=' .. v .. ',' end return s",
		"local s = '' for i, v in ipairs(p.input.args) do s = s .. i .. v end return s",
		"return next(p.empty), next(p.none), (next(p.input)), select('#', unpack(p.list)), rawget(p, 'tool')",
		"return table.concat(p.input.args, '+'), p.big, host(p).input.args[2], #host(p.list)",
		"p.tool = 1", "p.list[1] = 1", "return next(p, 'nope')", "error(p.input)",
	}
	run := func(source string, freeze func(*luavm.VM, value.Value) lua.LValue) string {
		vm := newVM(t, luavm.Limits{})
		vm.Define("host", vm.Func("host", func(L *lua.LState) int {
			L.Push(vm.Thaw(L.Get(1)))
			return 1
		}))
		require.NoError(t, vm.Begin(t.Context()))
		defer vm.End()
		results, err := vm.Exec(compile(t, "local p = ... "+source), vm.Env(), freeze(vm, parse(t, payload)))
		if err != nil {
			return "error: " + err.Error()
		}
		return show(results)
	}
	for _, source := range sources {
		want := run(source, func(vm *luavm.VM, v value.Value) lua.LValue { return vm.Freeze(v, nil, nil) })
		got := run(source, func(vm *luavm.VM, v value.Value) lua.LValue { return vm.FreezeSource(lazy{v, new(int)}, nil) })
		require.Equal(t, want, got, source)
	}
}

func TestSourcesMakeWhatIsRead(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	require.NoError(t, vm.Begin(t.Context()))
	defer vm.End()
	made := 0
	source := lazy{parse(t, payload), &made}
	p := compile(t, "local p = ... local n = 0 for i = 1, 9 do n = n + #p.input.args end return n, p.input, p")
	results, err := vm.Exec(p, vm.Env(), vm.FreezeSource(source, nil))
	require.NoError(t, err)
	require.Equal(t, "18", results[0].String())
	require.Equal(t, 2, made, "the object and the list within it, once each")
	part, ok := luavm.SourceOf(results[1])
	require.True(t, ok)
	require.True(t, part.(lazy).doc.Equal(source.doc.Get("input")))
	whole, err := vm.ToValue("p", results[2])
	require.NoError(t, err)
	require.True(t, whole.Equal(source.doc), "a source is handed back as the JSON that it shows")
	_, ok = luavm.SourceOf(vm.Freeze(source.doc, nil, nil))
	require.False(t, ok)
}

// A number too large for Lua comes back as one, unless a document or a source holds
// the same text.
func TestSourcesAreSearchedForTextsOfNumbers(t *testing.T) {
	for text, want := range map[string]value.Kind{"9007199254740993": value.String, "900": value.Number} {
		vm := newVM(t, luavm.Limits{})
		require.NoError(t, vm.Begin(t.Context()))
		other := vm.FreezeSource(lazy{value.OfList(value.OfString(text)), new(int)}, nil)
		results, err := vm.Exec(compile(t, "local p = ... return p.big"), vm.Env(), vm.Freeze(parse(t, payload), nil, nil), other)
		require.NoError(t, err)
		got, err := vm.ToValue("big", results[0])
		require.NoError(t, err)
		require.Equal(t, want, got.Kind(), text)
		vm.End()
	}
}
