package luavm_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// uses are what a script can do with a table: each is the body of a function of
// t, which returns what it sees as one text.
var uses = []string{
	"return t.kind .. t.reason .. tostring(t.other)",
	"return tostring(rawget(t, 'reason'))",
	"return tostring(rawlen(t)) .. #t",
	"local s = '' for k, v in pairs(t) do s = s .. k .. v end return s",
	"local k, v = next(t) local l, w = next(t, k) return k .. v .. l .. w .. tostring(next(t, l))",
	"local n = 0 for _ in ipairs(t) do n = n + 1 end return tostring(n) .. t.kind",
	"return tostring(getmetatable(t)) .. t.kind",
	"setmetatable(t, {__index = function(_, k) return k end}) return t.other .. t.reason",
	"return setmetatable({}, {__index = t}).reason",
	"return setmetatable({}, t) and t.reason",
	"t.reason = 'new' return t.kind .. t.reason",
	"t.reason = nil return t.kind .. tostring(t.reason)",
	"t['added' .. 1] = 1 return t.kind .. t.reason .. t.added1",
	"t[1] = 'one' return #t .. t[1] .. t.kind",
	"rawset(t, 'kind', 'other') return t.kind .. t.reason",
	"table.insert(t, 'x') return #t .. t[1] .. t.kind",
	"return type(t) .. tostring(t) .. t.kind",
	"return tostring(t == t) .. tostring(t == {}) .. tostring(rawequal(t, t)) .. t.kind",
	"local u = {[t] = 'key'} return u[t] .. t.kind",
	"return select('#', unpack(t)) .. t.kind",
	"return table.concat(t, ',') .. t.kind",
	"return tostring(pcall(function() return t + 1 end)) .. t.kind",
	"return tostring(select(2, pcall(function() return t .. 'x' end))) .. t.kind",
	"return tostring(select(2, pcall(function() return t.reason.deep.deeper end)))",
	"return tostring(select(2, pcall(function() return t() end)))",
	"return select(2, pcall(error, t)).reason",
	"return next_one(t) .. next_one({inside = t}) .. t.kind",
	"return next_one(t) .. next_one(t)",
	"local u = t t = nil return next_one(u) .. u.reason",
}

// A script sees no difference between a table that is pending and one that it
// made itself; nor does the host.
func TestPendingIsAnOrdinaryTable(t *testing.T) {
	for _, use := range uses {
		pending, ordinary := using(t, "host()", use), using(t, "{kind = 'deny', reason = 'no'}", use)
		require.Equal(t, ordinary, pending, use)
	}
}

// using runs a use of the table that maker makes, and returns its text.
func using(t *testing.T, maker, use string) string {
	t.Helper()
	vm := newVM(t, luavm.Limits{})
	vm.Define("host", vm.Func("host", func(L *lua.LState) int {
		vm.Pending(luavm.Member{Key: "kind", Value: lua.LString("another")}, luavm.Member{})
		L.Push(vm.Pending(denied[0], denied[1]))
		return 1
	}))
	vm.Define("next_one", vm.Func("next_one", func(L *lua.LState) int {
		v, err := vm.ToValue("value", L.Get(1))
		require.NoError(t, err)
		L.Push(lua.LString(v.String()))
		return 1
	}))
	require.NoError(t, vm.Begin(t.Context()))
	defer vm.End()
	results, err := vm.Exec(compile(t, "local t = "+maker+"\n"+use), vm.Env())
	require.NoError(t, err, use)
	require.Len(t, results, 1, use)
	return results[0].String()
}

var denied = [2]luavm.Member{{Key: "kind", Value: lua.LString("deny")}, {Key: "reason", Value: lua.LString("no")}}

// As an error that nothing catches, a pending table shows what is in it.
func TestPendingAsError(t *testing.T) {
	for _, tt := range []struct {
		key, want string
	}{
		{"reason", `error object: {kind = "deny", reason = "no"}`},
		{"message", "no"},
	} {
		vm := newVM(t, luavm.Limits{})
		vm.Define("host", vm.Func("host", func(L *lua.LState) int {
			L.Push(vm.Pending(denied[0], luavm.Member{Key: tt.key, Value: lua.LString("no")}))
			return 1
		}))
		require.NoError(t, vm.Begin(t.Context()))
		_, err := vm.Exec(compile(t, "error(host())"), vm.Env())
		vm.End()
		require.ErrorContains(t, err, tt.want)
	}
}

// As a metatable, a pending table says how the other one behaves.
func TestPendingAsMetatable(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	vm.Define("host", vm.Func("host", func(L *lua.LState) int {
		L.Push(vm.Pending(luavm.Member{Key: "__index", Value: L.Get(1)}, luavm.Member{}))
		return 1
	}))
	results, err := exec(t, vm, "return setmetatable({}, host{inner = 'found'}).inner")
	require.NoError(t, err)
	require.Equal(t, "found", show(results))
}

// What a host reads of a pending table is what is in it, without filling it, and
// after a script has changed it as well.
func TestPendingIsRead(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	require.NoError(t, vm.Begin(t.Context()))
	one := vm.Pending(denied[0], luavm.Member{})
	two := vm.Pending(denied[0], denied[1])
	for table, want := range map[*lua.LTable]string{one: `{"kind":"deny"}`, two: `{"kind":"deny","reason":"no"}`} {
		root := vm.Reader("answer").Root(table)
		require.Equal(t, luavm.KindObject, root.Kind())
		n, err := root.Len()
		require.NoError(t, err)
		keys, err := root.Keys()
		require.NoError(t, err)
		require.Len(t, keys, n)
		require.Equal(t, lua.LString("deny"), root.Member("kind"))
		require.Equal(t, lua.LNil, root.Member(""))
		v, err := root.Value()
		require.NoError(t, err)
		require.Equal(t, want, v.String())
	}
	vm.End()
}

// A pending table that outlives its run is empty, whatever the next run makes:
// no answer comes out of another run.
func TestPendingEndsWithItsRun(t *testing.T) {
	vm := newVM(t, luavm.Limits{})
	require.NoError(t, vm.Begin(t.Context()))
	old := vm.Pending(denied[0], denied[1])
	vm.End()
	require.NoError(t, vm.Begin(t.Context()))
	defer vm.End()
	vm.Pending(denied[0], denied[1])
	v, err := vm.ToValue("answer", old)
	require.NoError(t, err)
	require.Equal(t, "{}", v.String())
}
