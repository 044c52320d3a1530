package luavm

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// gopher-lua's protected call builds a traceback with one line per elided tail
// call, which a script can drive to millions, and with an error handler it
// leaves upvalues open. So no handler is ever given: protected calls go through
// a trampoline that replaces the state's panic function by one whose error
// already carries a trace.

// trampoline returns a function that calls its first argument with the rest. It
// runs inside L.PCall, which has just reset L.Panic.
func (vm *VM) trampoline(onError func(*lua.LState)) *lua.LFunction {
	return vm.state.NewFunction(func(L *lua.LState) int {
		L.Panic = onError
		L.Call(L.GetTop()-1, lua.MultRet)
		return L.GetTop()
	})
}

// onError is the panic function of [VM.Call]: nothing in Lua will catch this.
func (vm *VM) onError(L *lua.LState) {
	object := vm.explain(L)
	if vm.budget.cause == nil {
		vm.recordTrace(L)
	} else {
		vm.recordStop(L)
	}
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: object, StackTrace: marked})
}

// marked stands in the trace of every error that was raised after a trampoline ran.
const marked = "-"

// onCaughtError is the panic function within a script's pcall.
func (vm *VM) onCaughtError(L *lua.LState) {
	object := vm.explain(L)
	if vm.budget.cause != nil {
		vm.recordStop(L)
	}
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: object, StackTrace: marked})
}

// recordStop keeps the frames where the run was stopped; every protected call on
// the way out raises the error again.
func (vm *VM) recordStop(L *lua.LState) {
	if !vm.stopTraced {
		vm.stopTraced = true
		vm.recordTrace(L)
	}
}

// recordTrace keeps the innermost frames that are Lua code.
func (vm *VM) recordTrace(L *lua.LState) {
	vm.trace = vm.trace[:0]
	for level := 0; level < maxTraceSearch && len(vm.trace) < maxTraceFrames; level++ {
		d, ok := L.GetStack(level)
		if !ok {
			return
		}
		if _, err := L.GetInfo("nSl", d, lua.LNil); err != nil {
			return
		}
		if d.CurrentLine <= 0 { // Go code
			continue
		}
		name := d.Name
		if strings.HasPrefix(name, "<") || strings.HasPrefix(name, "(") || strings.HasPrefix(name, "@") {
			name = ""
		}
		vm.trace = append(vm.trace, Frame{d.Source, d.CurrentLine, name})
	}
}

// protectedCall calls the value at index 1 with the rest as arguments. It
// returns the error object of a failure that a script may catch.
func (vm *VM) protectedCall(L *lua.LState) (object lua.LValue, failed bool) {
	if fn := L.Get(1); fn.Type() != lua.LTFunction && L.GetMetaField(fn, "__call") == lua.LNil {
		return lua.LString("attempt to call a " + typeName(fn) + " value"), true
	}
	L.Insert(vm.protect, 1)
	err := L.PCall(L.GetTop()-1, lua.MultRet, nil)
	api := vm.caught(err)
	if vm.budget.cause != nil {
		vm.halt(L)
	}
	if err == nil {
		return nil, false
	}
	if api == nil {
		panic(err) // a Go panic ends the whole call
	}
	return api.Object, true
}

// caught returns the error of Lua that L.PCall returned; nil if it returned none,
// or a Go panic. One without our mark was raised before the trampoline ran, as there
// was no room left for it: that is a limit, which nothing may catch.
func (vm *VM) caught(err error) *lua.ApiError {
	var api *lua.ApiError
	if !errors.As(err, &api) || api.Type == lua.ApiErrorPanic {
		return nil
	}
	if api.StackTrace != marked {
		vm.overflow(api.Object.String())
	}
	return api
}

// overflow ends a run of which the machine said that there was no room for a call.
func (vm *VM) overflow(text string) {
	if strings.HasSuffix(text, registryOverflow) {
		vm.budget.stop(ErrRegistry)
		return
	}
	vm.budget.stop(ErrDepth)
}

// failure turns what L.PCall returned into the error of Call.
func (vm *VM) failure(err error) error {
	api := vm.caught(err)
	if api == nil {
		return vm.breakDown(err)
	}
	if vm.budget.cause != nil {
		return vm.stoppedError()
	}
	vm.settle(api.Object)
	if cause := raisedBy(api.Object); cause != nil {
		var inner *Error
		if errors.As(cause, &inner) && error(inner) == cause { //nolint:errorlint // the very same error passes unchanged
			return inner
		}
		return vm.at(&Error{Msg: cause.Error(), Cause: cause})
	}
	if s, ok := api.Object.(lua.LString); ok {
		return vm.at(vm.located(string(s)))
	}
	if raised := raisedTable(api.Object); raised != nil {
		return vm.at(&Error{Msg: raised.Message, Cause: raised})
	}
	return vm.at(&Error{Msg: render(api.Object)})
}

// stoppedError is the error of a run that hit a limit. It is made where the
// innermost call ends, which is where the run was stopped.
func (vm *VM) stoppedError() error {
	if vm.stopError != nil {
		return vm.stopError
	}
	cause := vm.budget.cause
	var inner *Error
	if errors.As(cause, &inner) && error(inner) == cause { //nolint:errorlint // the very same error passes unchanged
		vm.stopError = vm.at(inner)
	} else {
		vm.stopError = vm.at(&Error{Msg: cause.Error(), Cause: cause})
	}
	return vm.stopError
}

// at adds the recorded trace to e and takes the position from it if e has none.
func (vm *VM) at(e *Error) error {
	if len(e.Trace) == 0 {
		e.Trace = append([]Frame(nil), vm.trace...)
	}
	if e.File == "" && len(e.Trace) > 0 {
		e.File, e.Line = e.Trace[0].File, e.Trace[0].Line
	}
	return e
}

// breakDown marks the VM as broken after a Go panic. gopher-lua panics as well when
// its registry overflows in a tail call, where it cannot say where it is.
func (vm *VM) breakDown(panicked any) error {
	vm.broken = true
	stack := fmt.Appendf(nil, "%v\n\n", panicked)
	var api *lua.ApiError
	if err, ok := panicked.(error); ok && errors.As(err, &api) {
		stack = append(append(stack, api.StackTrace...), '\n')
	}
	stack = append(stack, debug.Stack()...)
	e := &Error{Msg: errInternal, Cause: ErrBroken, Stack: stack}
	if bytes.Contains(stack, []byte("registryOverflow")) {
		e.Msg, e.Cause = ErrRegistry.Error(), ErrRegistry
	}
	vm.budget.stop(ErrBroken)
	return vm.at(e)
}

// located splits "file:line: text", if file is the name of a program that ran here.
func (vm *VM) located(text string) *Error {
	for rest, from := text, 0; ; {
		i := strings.IndexByte(rest, ':')
		if i < 0 || from+i > maxPosition {
			return &Error{Msg: clip(text)}
		}
		from += i + 1
		rest = text[from:]
		name := text[:from-1]
		if _, known := vm.programs[name]; !known {
			continue
		}
		digits, msg, found := strings.Cut(rest, ":")
		if line, err := strconv.Atoi(digits); found && err == nil {
			return &Error{File: name, Line: line, Msg: clip(strings.TrimPrefix(msg, " "))}
		}
	}
}

const (
	maxPosition = 1024 // bytes of a message that are searched for its position
	maxMessage  = 4096
)

func clip(s string) string {
	if len(s) > maxMessage {
		return s[:maxMessage] + "..."
	}
	return s
}

// Func returns a host function. Each call costs a fixed number of instructions;
// a Go panic in f ends the run with an error that keeps the panic for the log
// only.
func (vm *VM) Func(name string, f func(*lua.LState) int) *lua.LFunction {
	return vm.state.NewFunction(func(L *lua.LState) int {
		vm.spend(L, hostCallCost)
		defer vm.contain(name)
		return f(L)
	})
}

// contain lets errors of Lua pass and turns any other panic into the end of the run.
func (vm *VM) contain(name string) {
	r := recover()
	if r == nil {
		return
	}
	if api, ok := r.(*lua.ApiError); ok && api.Type != lua.ApiErrorPanic {
		panic(r)
	}
	vm.broken = true
	if vm.budget.cause == nil {
		vm.budget.stop(&Error{
			Msg:   fmt.Sprintf("internal error in '%s'", name),
			Stack: append(fmt.Appendf(nil, "%v\n\n", r), debug.Stack()...),
		})
	}
	vm.halt(vm.state)
}
