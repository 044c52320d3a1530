package luavm

import (
	"fmt"
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/internal/nearest"
)

// Extra is implemented by a [Shape] whose object has members beyond its JSON:
// values of the host, such as a handle to act on what the object describes.
type Extra interface {
	// Extra returns the member named name, or nil if it is an ordinary one. It is
	// asked whenever the member is read, and must return the same value within
	// one run.
	Extra(name string) lua.LValue
}

// LazyLibrary is [VM.Library] with members that are made when they are first
// read. They do not show when the library is traversed, as those of a [VM.Module] do. The error of find is
// raised in the script.
func (vm *VM) LazyLibrary(members map[string]lua.LValue, find func(name string) (lua.LValue, error)) lua.LValue {
	library := vm.Library(members)
	proxy, ok := library.(*lua.LTable)
	if !ok {
		return library
	}
	// What was found stands in a table behind the library, where the machine finds
	// it without a call. To look costs the one instruction of an index either way.
	found := vm.state.CreateTable(0, 4)
	finder := vm.state.CreateTable(0, 1)
	finder.RawSetString("__index", vm.state.NewFunction(func(L *lua.LState) int {
		name := keyText(L.Get(2))
		v, err := find(name)
		if err != nil {
			Raise(L, err)
		}
		found.RawSetString(name, v)
		L.Push(v)
		return 1
	}))
	found.Metatable = finder
	meta := vm.state.CreateTable(0, 1)
	meta.RawSetString("__index", found)
	vm.behind(proxy).Metatable = meta
	return library
}

// TypeName returns what a script would call the type of v: a view is a table.
func TypeName(v lua.LValue) string { return typeName(v) }

// TablePlace returns the file and the line of the constructor that built t during
// the run under way, if the program was compiled to remember it; see
// [CompileOptions.Marked]. The line is 0 for any other table.
func (vm *VM) TablePlace(t *lua.LTable) (file string, line int) {
	p := vm.views.marked[t]
	return p.file, p.line
}

// A place is a line of a file.
type place struct {
	file string
	line int
}

// markCost is what the memory of one marked table takes, in bytes.
const markCost = 64

func (vm *VM) markTable(L *lua.LState) int {
	t, isTable := L.Get(1).(*lua.LTable)
	file, isString := L.Get(2).(lua.LString)
	line, isNumber := L.Get(3).(lua.LNumber)
	if isTable && isString && isNumber {
		vm.built(L, markCost)
		if vm.views.marked == nil {
			vm.views.marked = map[*lua.LTable]place{}
		}
		vm.views.marked[t] = place{string(file), int(line)}
	}
	L.SetTop(1)
	return 1
}

// Text returns s as a Lua string, charged like one that the script built. It must
// be called from within a host function; past a limit it does not return.
func (vm *VM) Text(s string) lua.LString {
	vm.checkLength(vm.state, len(s))
	vm.built(vm.state, len(s))
	return lua.LString(s)
}

// Build charges for n bytes of new data that the script caused. It must be called
// from within a host function; past a limit it does not return.
func (vm *VM) Build(n int) { vm.built(vm.state, n) }

// Table returns a new table with room for items and members, charged like one
// that the script built. It must be called from within a host function; past a
// limit it does not return.
func (vm *VM) Table(items, members int) *lua.LTable {
	vm.spend(vm.state, 1+items+members)
	vm.built(vm.state, slotBytes*(items+members))
	return vm.state.CreateTable(items, members)
}

// Module returns a library named name in messages: fields, and what make returns
// for the functions with the given names when they are first read. To read any
// other member raises an error that names the nearest.
func (vm *VM) Module(name string, fields map[string]lua.LValue, functions []string, make func(i int) lua.LValue) lua.LValue {
	library := vm.LazyLibrary(fields, func(member string) (lua.LValue, error) {
		if i := slices.Index(functions, member); i >= 0 {
			return make(i), nil
		}
		known := append(slices.Sorted(maps.Keys(fields)), functions...)
		return nil, fmt.Errorf("%s has no %q%s", name, member, Hint(member, known))
	})
	vm.showAll(library, functions)
	return library
}

// showAll has the members of a lazy library made when it is first traversed, behind
// those that are there.
func (vm *VM) showAll(library lua.LValue, members []string) {
	proxy, ok := library.(*lua.LTable)
	if !ok || len(members) == 0 {
		return
	}
	if meta, ok := vm.behind(proxy).Metatable.(*lua.LTable); ok {
		meta.RawSetString(unshown, &lua.LUserData{Value: members, Metatable: lua.LNil})
	}
}

// unshown is where the metatable of a lazy library keeps the members that its first
// traversal makes.
const unshown = "unshown"

// show makes the members of a lazy library that are yet to be shown.
func (vm *VM) show(data, meta *lua.LTable) {
	ud, ok := meta.RawGetString(unshown).(*lua.LUserData)
	if !ok {
		return
	}
	meta.RawSetString(unshown, lua.LNil)
	members, _ := ud.Value.([]string)
	for _, name := range members {
		data.RawSetString(name, vm.state.GetField(data, name))
	}
}

// Hint returns `; did you mean "NAME"?` with the nearest of the given names, or
// nothing if none is near.
func Hint(got string, names []string) string {
	if near := nearest.Name(got, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// maxBetween is how many functions of the library may stand between a script and
// the host function that it calls, as pcall may.
const maxBetween = 4

// Caller returns the line from which a script called the host function running on
// L; 0 if nobody knows.
func Caller(L *lua.LState) (file string, line int) {
	for level := 1; level <= maxBetween; level++ {
		d, ok := L.GetStack(level)
		if !ok {
			break
		}
		if _, err := L.GetInfo("Sl", d, lua.LNil); err == nil && d.CurrentLine > 0 {
			return d.Source, d.CurrentLine
		}
	}
	return "", 0
}
