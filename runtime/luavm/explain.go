package luavm

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// explain returns the error object on top of the stack. A message of the
// machine itself is reworded: it speaks of Go types, may hold an address, and
// does not name what was nil.
func (vm *VM) explain(L *lua.LState) lua.LValue {
	object := L.Get(-1)
	quoted := vm.quoted
	vm.quoted = false
	text, ok := object.(lua.LString)
	if !ok || quoted || vm.budget.cause != nil {
		return object
	}
	e := vm.located(string(text))
	for _, r := range rewordings {
		if rest, ok := strings.CutPrefix(e.Msg, r.prefix); ok {
			msg := r.reword(vm, e, rest)
			if e.Line > 0 {
				msg = fmt.Sprintf("%s:%d: %s", e.File, e.Line, msg)
			}
			return lua.LString(msg)
		}
	}
	return object
}

// What the machine says where there is no room for a call.
const (
	stackOverflow    = "stack overflow"
	registryOverflow = "registry overflow"
)

// rewordings are tried in order on messages of the machine.
var rewordings = []struct {
	prefix string
	reword func(vm *VM, e *Error, rest string) string
}{
	{"attempt to call a non-function object", rewordCall},
	{"attempt to index a non-table object(", rewordIndex},
	{"cannot perform ", rewordArithmetic},
	{"attempt to compare ", rewordComparison},
	{"bad argument #", func(_ *VM, _ *Error, rest string) string {
		return "bad argument #" + strings.Replace(rest, " to (anonymous)", "", 1) // as called by pcall
	}},
	{"__len undefined", func(vm *VM, e *Error, _ string) string { return "attempt to get the length of a value that has none" }},
	{"__unm undefined", func(vm *VM, e *Error, _ string) string {
		return "attempt to perform arithmetic on a value that is not a number"
	}},
	{stackOverflow, func(vm *VM, _ *Error, _ string) string { return vm.stopWith(ErrDepth) }},
	{registryOverflow, func(vm *VM, _ *Error, _ string) string { return vm.stopWith(ErrRegistry) }},
}

// stopWith makes an overflow of the machine end the run.
func (vm *VM) stopWith(l Limit) string {
	vm.budget.stop(l)
	return l.Error()
}

func rewordCall(vm *VM, e *Error, _ string) string {
	p := vm.programs[e.File]
	if p == nil {
		return "attempt to call a value that is not a function"
	}
	callees := slices.DeleteFunc(slices.Clone(p.callees[e.Line]), vm.isLibraryFunction)
	if len(callees) == 0 || len(callees) > 3 {
		return "attempt to call a value that is not a function"
	}
	return fmt.Sprintf("attempt to call '%s', which is not a function", strings.Join(callees, "' or '"))
}

// isLibraryFunction reports whether name, as the source spells it, is a function
// of the library: such a callee is not the culprit.
func (vm *VM) isLibraryFunction(name string) bool {
	lib, field, dotted := strings.Cut(name, ".")
	v := vm.globals.RawGetString(lib)
	if t, ok := v.(*lua.LTable); ok && dotted {
		v = vm.data(t).RawGetString(field)
	}
	return v.Type() == lua.LTFunction
}

func rewordIndex(vm *VM, e *Error, rest string) string {
	kind, key, _ := strings.Cut(rest, ") with key '")
	key = strings.TrimSuffix(key, "'")
	if i := strings.Index(key, ": 0x"); i > 0 { // a value that has no text of its own
		key = key[:i]
	}
	what := fmt.Sprintf("a %s value", luaType(kind))
	if p := vm.programs[e.File]; p != nil {
		if objects := p.indexed[indexKey{e.Line, key}]; len(objects) == 1 {
			what = fmt.Sprintf("'%s' (a %s value)", objects[0], luaType(kind))
		}
	}
	return fmt.Sprintf("attempt to index %s with key '%s'", what, shorten(key))
}

func rewordArithmetic(_ *VM, _ *Error, rest string) string {
	_, kinds, _ := strings.Cut(rest, " between ")
	a, b, _ := strings.Cut(kinds, " and ")
	if a == "number" {
		a = b
	}
	return fmt.Sprintf("attempt to perform arithmetic on a %s value", luaType(a))
}

func rewordComparison(_ *VM, _ *Error, rest string) string {
	a, b, _ := strings.Cut(rest, " with ")
	if a == b {
		return fmt.Sprintf("attempt to compare two %s values", luaType(a))
	}
	return fmt.Sprintf("attempt to compare %s with %s", luaType(a), luaType(b))
}

// luaType is the type that a script sees: frozen views are tables to it.
func luaType(kind string) string {
	if kind == "userdata" {
		return "table"
	}
	return kind
}

const shortText = 60

func shorten(s string) string {
	if len(s) > shortText {
		return s[:shortText] + "..."
	}
	return s
}

// render shows an error object that is not a string. It runs no metamethods,
// goes one level deep, and never shows an address.
func render(v lua.LValue) string {
	t, ok := v.(*lua.LTable)
	if !ok {
		if doc, frozen := ValueOf(v); frozen {
			return "error object: " + shortJSON(doc)
		}
		return "error object: " + scalarText(v)
	}
	var parts []string
	for k, item := t.Next(lua.LNil); k != lua.LNil; k, item = t.Next(k) {
		if len(parts) == maxRendered {
			parts = append(parts, "...")
			break
		}
		if name, ok := k.(lua.LString); ok {
			parts = append(parts, shorten(string(name))+" = "+scalarText(item))
		} else {
			parts = append(parts, scalarText(item))
		}
	}
	return "error object: {" + strings.Join(parts, ", ") + "}"
}

const maxRendered = 8

func scalarText(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return fmt.Sprintf("%q", shorten(string(v)))
	case lua.LNumber:
		return numberText(v)
	case lua.LBool, *lua.LNilType:
		return v.String()
	}
	return "(" + typeName(v) + ")"
}
