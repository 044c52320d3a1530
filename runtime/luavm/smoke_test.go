package luavm_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

func TestSmoke(t *testing.T) {
	vm := luavm.New(luavm.Options{})
	p, err := luavm.Compile("p.lua", `
local p = ...
local n = 0
local function inc() n = n + 1 return n end
pcall(error, "x")
n = 10
inc()
local a, b = 1, 2
a, b = b, a
return n, a, b, p.input.command .. "!", #p.list, type(p)
`, luavm.CompileOptions{})
	require.NoError(t, err)
	v, err := value.ParseString(`{"input":{"command":"ls"},"list":[1,2,3]}`)
	require.NoError(t, err)
	require.NoError(t, vm.Begin(context.Background()))
	res, err := vm.Exec(p, vm.Env(), vm.Freeze(v, nil, nil))
	require.NoError(t, err)
	require.Equal(t, []lua.LValue{lua.LNumber(11), lua.LNumber(2), lua.LNumber(1), lua.LString("ls!"), lua.LNumber(3), lua.LString("table")}, res)
	t.Log(vm.End())
}
