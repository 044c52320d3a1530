package stdlib

import (
	"context"
	"fmt"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Run is what the modules know of the run under way.
type Run struct {
	// Services reach the world.
	Services Services
	// Script is the name of the script; what it keeps is its own.
	Script string
	// Payload is what the handler was called with; absent while a file is loaded.
	Payload value.Value
}

// An Env is the modules of one Lua state. It is used by one goroutine at a time,
// like the state.
type Env struct {
	vm     *luavm.VM
	run    Run
	now    time.Time // of the run, once it was asked for
	opened map[string]lua.LValue

	serial    uint64 // of the run
	stateUses int    // in the run
	patterns  patterns
	alike     map[rune]string // which ASCII letter another looks like
}

// NewEnv returns the modules of vm, none of which is open yet.
func NewEnv(vm *luavm.VM) *Env { return &Env{vm: vm} }

// Begin says what runs from now on.
func (e *Env) Begin(run Run) {
	e.run, e.now = run, time.Time{}
	e.serial++
	e.stateUses = 0
}

// VM returns the Lua state.
func (e *Env) VM() *luavm.VM { return e.vm }

// Services reach the world.
func (e *Env) Services() Services { return e.run.Services }

// Payload is what the handler under way was called with; absent while a file is
// loaded.
func (e *Env) Payload() value.Value { return e.run.Payload }

// Context is that of the run under way.
func (e *Env) Context() context.Context { return e.vm.Context() }

// Require returns the module named name. It is nil if there is none.
func (e *Env) Require(name string) lua.LValue {
	if v := e.opened[name]; v != nil {
		return v
	}
	m, ok := Find(name)
	if !ok {
		return nil
	}
	if e.opened == nil {
		e.opened = map[string]lua.LValue{}
	}
	e.opened[name] = e.Open(m)
	return e.opened[name]
}

// Open makes a module, which need not be one of [Modules]. Its functions are made
// when they are first read, because a script that requires a module calls two of
// them.
func (e *Env) Open(m Module) lua.LValue {
	var fields map[string]lua.LValue
	if m.Open != nil {
		fields = m.Open(e)
	}
	return e.vm.Module(m.Name, fields, names(m.Functions), func(i int) lua.LValue {
		return e.function(m.Name+"."+m.Functions[i].Name, m.Functions[i])
	})
}

func names(functions []Function) []string {
	list := make([]string, len(functions))
	for i, f := range functions {
		list[i] = f.Name
	}
	return list
}

func (e *Env) function(name string, f Function) lua.LValue {
	params := parameters(f.Params)
	return e.vm.Func(name, func(L *lua.LState) int {
		c := Call{Env: e, L: L}
		err := c.check(params, 0)
		if err == nil {
			err = f.Call(&c)
		}
		return c.end(name, err)
	})
}

// end raises the error of a call, or returns the number of its results.
func (c *Call) end(name string, err error) int {
	if err != nil {
		luavm.Raise(c.L, fmt.Errorf("%s: %w", name, err))
	}
	return c.results
}

// Object returns an object of a class: a read-only table with the given fields,
// whose methods are called with a colon and find data in [Call.Self].
func (e *Env) Object(class Class, data any, fields map[string]lua.LValue) lua.LValue {
	name := strings.ToLower(class.Name[strings.LastIndexByte(class.Name, '.')+1:])
	var self lua.LValue
	self = e.vm.Module(name, fields, names(class.Methods), func(i int) lua.LValue {
		return e.method(name+":"+class.Methods[i].Name, class.Methods[i], data, self)
	})
	return self
}

func (e *Env) method(name string, f Function, data any, self lua.LValue) lua.LValue {
	params := parameters(f.Params)
	return e.vm.Func(name, func(L *lua.LState) int {
		c := Call{Env: e, L: L, Self: data}
		err := errColon
		if L.Get(1) == self {
			err = c.check(params, 1)
		}
		if err == nil {
			err = f.Call(&c)
		}
		return c.end(name, err)
	})
}
