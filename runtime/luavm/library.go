package luavm

import (
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/internal/nearest"
)

// openLibrary builds everything that scripts find in every environment.
func (vm *VM) openLibrary() {
	L := vm.state
	vm.denyWrite = L.NewFunction(func(L *lua.LState) int {
		L.RaiseError("attempt to modify a read-only table (key '%s')", keyText(L.Get(2)))
		return 0
	})
	vm.openLazy()
	vm.openViews()
	vm.openPending()
	vm.openErrors()
	vm.listMeta = L.CreateTable(0, 1)
	vm.listMeta.RawSetString("__metatable", lua.LFalse)
	vm.null = &lua.LUserData{Value: nullMark{}, Metatable: vm.opaqueMeta("null")}

	vm.globals = L.CreateTable(0, len(baseNames))
	vm.register(vm.globals, baseFunctions)
	vm.unpack = vm.globals.RawGetString("unpack").(*lua.LFunction)
	vm.nextItem = vm.builtin((*VM).iterateItems)
	vm.globals.RawSetString("_VERSION", lua.LString("Lua 5.1"))
	text := vm.lazyTable((*VM).fillString)
	vm.openStringMeta(text)
	vm.globals.RawSetString("string", vm.protectTable(text))
	vm.globals.RawSetString("table", vm.protectTable(vm.lazyTable((*VM).fillTable)))
	vm.globals.RawSetString("math", vm.protectTable(vm.lazyTable((*VM).fillMath)))
	vm.openEnvironment()
	vm.openHidden()
}

type nullMark struct{}

// A builtin is a function of the base library.
type builtin func(vm *VM, L *lua.LState) int

// A named is an entry of a table of the base library. The tables are lists, which
// are laid out when the program is built; maps would be filled at each start.
type named[F any] struct {
	name string
	is   F
}

func (vm *VM) register(t *lua.LTable, functions []named[builtin]) {
	for _, f := range functions {
		t.RawSetString(f.name, vm.builtin(f.is))
	}
}

func (vm *VM) builtin(f builtin) *lua.LFunction {
	return vm.state.NewFunction(func(L *lua.LState) int { return f(vm, L) })
}

// Library returns a read-only table with the given members. Scripts can index
// and traverse it, in the order of its keys; a write raises an error.
func (vm *VM) Library(members map[string]lua.LValue) lua.LValue {
	data := vm.state.CreateTable(0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		data.RawSetString(name, members[name])
	}
	return vm.protectTable(data)
}

// protectTable returns a read-only proxy of data. The proxy is an empty table, so
// that no raw write finds anything to replace; functions of the library that
// read raw look through it with [VM.data].
func (vm *VM) protectTable(data *lua.LTable) *lua.LTable {
	meta := vm.state.CreateTable(0, 3)
	meta.RawSetString("__index", data)
	meta.RawSetString("__newindex", vm.denyWrite)
	meta.RawSetString("__metatable", lua.LFalse)
	return &lua.LTable{Metatable: meta}
}

// behind returns the table behind the proxy t; nil if t is none. Proxies alone have
// this function under __newindex, as no script can get hold of it. The VM keeps no
// list of them: a host may make libraries in every run.
func (vm *VM) behind(t *lua.LTable) *lua.LTable {
	meta, ok := t.Metatable.(*lua.LTable)
	if !ok || meta.RawGetString("__newindex") != lua.LValue(vm.denyWrite) {
		return nil
	}
	data, _ := meta.RawGetString("__index").(*lua.LTable)
	return data
}

// data returns what t holds: of a read-only table the table behind it.
func (vm *VM) data(t *lua.LTable) *lua.LTable {
	vm.settle(t)
	if t.Metatable == lua.LNil { // as most tables are, and no proxy
		return t
	}
	data := vm.behind(t)
	if data == nil {
		return t
	}
	vm.fill(data)
	return data
}

// lazyTable returns a table that gets its members when it is first used: most
// runs never look at most libraries, and a hook process pays for each VM.
func (vm *VM) lazyTable(fill func(vm *VM, lib *lua.LTable)) *lua.LTable {
	lib := &lua.LTable{Metatable: vm.lazyMeta}
	vm.unfilled[lib] = fill
	return lib
}

// fill gives a lazy table its members.
func (vm *VM) fill(lib *lua.LTable) {
	switch meta, _ := lib.Metatable.(*lua.LTable); meta {
	case nil:
	case vm.lazyMeta:
		fill := vm.unfilled[lib]
		delete(vm.unfilled, lib)
		lib.Metatable = lua.LNil
		fill(vm, lib)
	default:
		vm.show(lib, meta)
	}
}

func (vm *VM) openLazy() {
	vm.lazyMeta = vm.state.CreateTable(0, 1)
	vm.lazyMeta.RawSetString("__index", vm.builtin(func(vm *VM, L *lua.LState) int {
		lib := L.Get(1).(*lua.LTable)
		vm.fill(lib)
		L.Push(lib.RawGet(L.Get(2)))
		return 1
	}))
	vm.unfilled = map[*lua.LTable]func(*VM, *lua.LTable){}
}

// opaqueMeta returns the metatable of a value that only has a text.
func (vm *VM) opaqueMeta(text string) *lua.LTable {
	meta := vm.state.CreateTable(0, 2)
	meta.RawSetString("__tostring", vm.state.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LString(text))
		return 1
	}))
	meta.RawSetString("__metatable", lua.LFalse)
	return meta
}

// openErrors makes the metatable of Go errors that a script has caught.
func (vm *VM) openErrors() {
	L := vm.state
	text := func(v lua.LValue) string {
		if err := raisedBy(v); err != nil {
			return err.Error()
		}
		return plainText(v)
	}
	meta := L.CreateTable(0, 3)
	meta.RawSetString("__tostring", L.NewFunction(func(L *lua.LState) int {
		vm.pushString(L, text(L.Get(1)))
		return 1
	}))
	meta.RawSetString("__concat", L.NewFunction(func(L *lua.LState) int {
		vm.pushString(L, text(L.Get(1))+text(L.Get(2)))
		return 1
	}))
	meta.RawSetString("__metatable", lua.LFalse)
	vm.errorMeta = meta
}

// openEnvironment makes the metatable that all environments share: names that
// the environment lacks come from the library; any other name is an error.
func (vm *VM) openEnvironment() {
	L := vm.state
	if !vm.lenient {
		unknown := L.CreateTable(0, 1)
		unknown.RawSetString("__index", vm.builtin((*VM).unknownGlobal))
		vm.globals.Metatable = unknown
	}
	vm.envMeta = L.CreateTable(0, 2)
	vm.envMeta.RawSetString("__index", vm.globals)
	vm.envMeta.RawSetString("__metatable", lua.LFalse)
}

func (vm *VM) unknownGlobal(L *lua.LState) int {
	name := keyText(L.Get(2))
	if vm.known == nil {
		for k, _ := vm.globals.Next(lua.LNil); k != lua.LNil; k, _ = vm.globals.Next(k) {
			vm.known = append(vm.known, k.String())
		}
		slices.Sort(vm.known)
	}
	if advice, absent := absentNames[name]; absent {
		L.RaiseError("'%s' is not available in scripts (%s)", name, advice)
	}
	if near := nearest.Name(name, vm.known); near != "" {
		L.RaiseError("unknown global '%s' (did you mean '%s'?)", name, near)
	}
	L.RaiseError("unknown global '%s'", name)
	return 0
}

// openHidden makes the values that repaired code refers to.
func (vm *VM) openHidden() {
	functions := [hiddenCount]builtin{
		hiddenConcat: (*VM).concat,
		hiddenStore:  (*VM).storeField,
		hiddenKey:    (*VM).checkKey,
		hiddenAppend: (*VM).appendItems,
		hiddenPair:   (*VM).addPair,
		hiddenStep:   (*VM).checkStep,
		hiddenModulo: (*VM).modulus,
		hiddenOrder:  (*VM).chargeOrder,
		hiddenMark:   (*VM).markTable,
	}
	vm.hidden = make([]*lua.Upvalue, hiddenCount)
	for h, f := range functions {
		if f != nil {
			vm.hidden[h] = &lua.Upvalue{}
			vm.hidden[h].SetValue(vm.builtin(f))
		}
	}
	vm.enter = vm.trampoline(vm.onError)
	vm.protect = vm.trampoline(vm.onCaughtError)
}
