package luavm_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

// compile compiles source under the name policy.lua.
func compile(t testing.TB, source string) *luavm.Program {
	t.Helper()
	p, err := luavm.Compile("policy.lua", source, luavm.CompileOptions{Globals: []string{"host", "next_one"}})
	require.NoError(t, err)
	return p
}

// newVM returns a VM in which the clock does not decide unless limits say so: tests
// run on busy machines.
func newVM(t testing.TB, limits luavm.Limits) *luavm.VM {
	t.Helper()
	if limits.Wall == 0 {
		limits.Wall = -1
	}
	vm := luavm.New(luavm.Options{Limits: limits})
	t.Cleanup(vm.Close)
	return vm
}

// exec runs source in one run of vm.
func exec(t testing.TB, vm *luavm.VM, source string) ([]lua.LValue, error) {
	t.Helper()
	p := compile(t, source)
	require.NoError(t, vm.Begin(context.Background()))
	defer vm.End()
	return vm.Exec(p, vm.Env())
}

// eval runs source in a VM of its own and shows its results as one text.
func eval(t testing.TB, source string) string {
	t.Helper()
	results, err := exec(t, newVM(t, luavm.Limits{}), source)
	if err != nil {
		return "error: " + err.Error()
	}
	return show(results)
}

func show(results []lua.LValue) string {
	texts := make([]string, len(results))
	for i, v := range results {
		texts[i] = v.String()
	}
	return strings.Join(texts, " ")
}

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	require.NoError(t, err)
	return v
}
