package luavm_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

func TestZZ(t *testing.T) {
	src, err := os.ReadFile("/tmp/cmp/x.lua")
	if err != nil {
		t.Skip()
	}
	p, err := luavm.Compile("x.lua", string(src), luavm.CompileOptions{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	vm := luavm.New(luavm.Options{Lenient: true})
	_ = vm.Begin(context.Background())
	res, err := vm.Exec(p, vm.Env())
	fmt.Println(res, err)
	if e, ok := err.(*luavm.Error); ok && e.Stack != nil {
		fmt.Println(string(e.Stack))
	}
}
