package luavm

import (
	"context"
	"sync"

	lua "github.com/yuin/gopher-lua"
)

// Options say how a [VM] runs scripts. The zero Options are the strict defaults.
type Options struct {
	Limits Limits
	// Lenient makes unknown globals read as nil instead of raising an error.
	Lenient bool
}

// A VM is one sandboxed Lua state. It may be used by one goroutine at a time,
// and lets programs of any number be run in it one after the other or nested.
type VM struct {
	state   *lua.LState
	budget  budget
	limits  Limits
	lenient bool
	running bool
	runs    uint64 // begun so far
	broken  bool

	globals   *lua.LTable                            // the base library and what Define added
	known     []string                               // names of globals; nil until needed
	unfilled  map[*lua.LTable]func(*VM, *lua.LTable) // of tables with lazyMeta
	lazyMeta  *lua.LTable
	envMeta   *lua.LTable
	viewMeta  *lua.LTable
	counted   *[counts]lua.LValue // made by [VM.count]
	errorMeta *lua.LTable
	listMeta  *lua.LTable

	pending     []pending // of the run under way
	pendingMeta *lua.LTable

	null      *lua.LUserData
	denyWrite *lua.LFunction
	unpack    *lua.LFunction
	nextItem  *lua.LFunction // the iterator of ipairs
	hidden    []*lua.Upvalue // what compiled programs refer to by names no script can spell
	enter     *lua.LFunction // the trampoline of Call
	protect   *lua.LFunction // the trampoline of pcall

	programs   map[string]*Program // that ran here, by name: for messages
	shared     map[*Program]*lua.Upvalue
	quoted     bool // the error under way was raised by a script, with its own words
	depth      int  // of Exec and Call
	matching   matcher
	trace      []Frame
	stopError  error // of the run under way, once it was stopped
	stopTraced bool  // the trace is that of the stop
	views      viewState
	results    []lua.LValue
}

var lowerArrayIndex sync.Once

// New returns a VM. It costs some tens of microseconds; pool VMs where runs are frequent.
func New(opts Options) *VM {
	lowerArrayIndex.Do(func() { lua.MaxArrayIndex = maxArrayIndex })
	limits := opts.Limits.withDefaults()
	L := lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: limits.CallDepth,
		RegistrySize: 256, RegistryMaxSize: limits.Registry, RegistryGrowStep: 1024,
		IncludeGoStackTrace: true,
	})
	vm := &VM{state: L, limits: limits, lenient: opts.Lenient}
	vm.budget = budget{vm: vm, limits: &vm.limits}
	vm.openLibrary()
	L.SetContext(&vm.budget)
	return vm
}

// Close frees the VM, which must not be used afterwards.
func (vm *VM) Close() { vm.state.Close() }

// State returns the underlying Lua state, for host functions and facades that
// build values. Its context, its protected calls and its libraries belong to
// the VM and must be left alone.
func (vm *VM) State() *lua.LState { return vm.state }

// Broken reports whether an internal error damaged the VM. Its owner then
// discards it; Begin refuses to use it again.
func (vm *VM) Broken() bool { return vm.broken }

func vmOf(L *lua.LState) *VM {
	if b, ok := L.Context().(*budget); ok {
		return b.vm
	}
	return nil
}

// Begin starts a run with a fresh budget. Cancelling ctx stops the run with the
// context's cause. Every successful Begin needs an [VM.End].
func (vm *VM) Begin(ctx context.Context) error {
	switch {
	case vm.broken:
		return ErrBroken
	case vm.running:
		return ErrBusy
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	vm.running, vm.stopError, vm.stopTraced = true, nil, false
	vm.runs++
	vm.budget.begin(ctx)
	vm.views.reset()
	vm.forgetPending()
	vm.trace = vm.trace[:0]
	return nil
}

// End ends the run and returns the number of instructions it used.
func (vm *VM) End() (used int64) {
	used = vm.budget.spent()
	vm.running = false
	vm.budget.ctx = nil
	vm.matching.forget()
	return used
}

// Used returns the number of instructions that the run, or the last one, has used so far.
func (vm *VM) Used() int64 { return vm.budget.spent() }

// Context returns the context that was given to Begin.
func (vm *VM) Context() context.Context {
	if vm.budget.ctx == nil {
		return context.Background()
	}
	return vm.budget.ctx
}

// Outside calls f, typically the rest of a waterfall or another service of the
// host, while the run's clock and heap watch stand still: a slow or hungry f is
// not the script's fault. It charges a fixed number of instructions, so that a
// script cannot loop over f for ever. It must be called from within a host
// function; if the budget is used up it does not return.
func (vm *VM) Outside(f func()) {
	vm.spend(vm.state, hostCallCost)
	defer vm.budget.pause()()
	f()
}

// Charge takes n instructions for work of a host function. It must be called
// from within one; if the budget is used up it does not return.
func (vm *VM) Charge(n int) { vm.spend(vm.state, n) }

func (vm *VM) spend(L *lua.LState, n int) {
	if !vm.budget.spend(int64(n)) {
		vm.halt(L)
	}
}

// built charges for n bytes of a new string or table. It raises when over a limit.
func (vm *VM) built(L *lua.LState, n int) {
	if !vm.budget.build(int64(n)) {
		vm.halt(L)
	}
}

func (vm *VM) pushString(L *lua.LState, s string) {
	vm.checkLength(L, len(s))
	vm.built(L, len(s))
	L.Push(lua.LString(s))
}

// checkLength is asked before a string of n bytes is made.
func (vm *VM) checkLength(L *lua.LState, n int) {
	if n > vm.limits.StringBytes {
		vm.Stop(L, ErrString)
	}
	vm.budget.heavier(n, lightBytes, bytesWeight)
}

// passed charges for n values that are handed over at once.
func (vm *VM) passed(L *lua.LState, n int) {
	vm.spend(L, n>>2)
	vm.budget.heavier(n, lightValues, valueWeight)
}

// Stop ends the run from within a host function running on L: no pcall catches
// it, and it comes out of [VM.Call] as an [*Error] that unwraps to err. Stop
// does not return.
func (vm *VM) Stop(L *lua.LState, err error) {
	vm.budget.stop(err)
	vm.halt(L)
}

// halt unwinds a run that has been stopped.
func (vm *VM) halt(L *lua.LState) {
	L.Error(lua.LString(vm.budget.cause.Error()), 1)
}

// Exec runs the main chunk of p with env as its globals and returns its
// results; the slice is valid until the next Exec or Call. It never panics.
func (vm *VM) Exec(p *Program, env *lua.LTable, args ...lua.LValue) ([]lua.LValue, error) {
	vm.remember(p)
	vm.budget.heavier(p.longest, lightBytes, bytesWeight)
	return vm.Call(vm.instantiate(p, env), args...)
}

// remember keeps p for messages, in place of an earlier program of its name.
func (vm *VM) remember(p *Program) {
	before := vm.programs[p.name]
	switch {
	case before == p:
		return
	case vm.programs == nil:
		vm.programs = map[string]*Program{}
	}
	delete(vm.shared, before)
	vm.programs[p.name] = p
}

// instantiate makes the main function of p. The values that repaired code
// refers to are its upvalues; scripts cannot spell their names, so they never change.
func (vm *VM) instantiate(p *Program, env *lua.LTable) *lua.LFunction {
	ups := make([]*lua.Upvalue, len(p.hidden))
	for i, h := range p.hidden {
		switch h {
		case hiddenEnv:
			ups[i] = &lua.Upvalue{}
			ups[i].SetValue(env)
		case hiddenCover:
			ups[i] = &lua.Upvalue{}
			ups[i].SetValue(vm.counter(p.covered))
		case hiddenShared:
			ups[i] = vm.sharedBy(p)
		default:
			ups[i] = vm.hidden[h]
		}
	}
	return &lua.LFunction{Env: env, Proto: p.main, Upvalues: ups}
}

// Call calls fn, a function or a value with __call, and returns its results;
// the slice is valid until the next Exec or Call. Errors are an [*Error]. It
// never panics. A host function that ends its goroutine breaks the VM.
func (vm *VM) Call(fn lua.LValue, args ...lua.LValue) (results []lua.LValue, err error) {
	switch {
	case vm.broken:
		return nil, ErrBroken
	case !vm.running:
		return nil, ErrNoRun
	}
	vm.depth++
	ended := false
	defer func() {
		vm.depth--
		switch r := recover(); {
		case r != nil: // gopher-lua can panic inside its own recovery
			results, err = nil, vm.breakDown(r)
		case !ended: // nobody has cleared the stack
			vm.broken = true
		}
	}()
	results, err = vm.call(fn, args)
	ended = true
	return results, err
}

func (vm *VM) call(fn lua.LValue, args []lua.LValue) ([]lua.LValue, error) {
	L := vm.state
	base := L.GetTop()
	vm.quoted = false
	L.Push(vm.enter)
	L.Push(fn)
	for _, a := range args {
		L.Push(a)
	}
	if err := L.PCall(len(args)+1, lua.MultRet, nil); err != nil {
		return nil, vm.failure(err)
	}
	if vm.budget.cause != nil { // stopped in a host function that did not raise it
		L.SetTop(base)
		return nil, vm.stoppedError()
	}
	n := L.GetTop() - base
	results := vm.takeResults(n)
	for i := range results {
		results[i] = L.Get(base + 1 + i)
	}
	L.SetTop(base)
	return results, nil
}

// takeResults returns room for n results. Nested calls get their own, because
// the outer one's arguments may still be in use.
func (vm *VM) takeResults(n int) []lua.LValue {
	if vm.depth > 1 {
		return make([]lua.LValue, n)
	}
	if cap(vm.results) < n {
		vm.results = make([]lua.LValue, n)
	}
	return vm.results[:n]
}

// Define adds a global that every environment of this VM sees. Scripts can
// shadow it in their own environment but not change it.
func (vm *VM) Define(name string, v lua.LValue) {
	vm.globals.RawSetString(name, v)
	vm.known = nil
}

// Env returns the fresh global environment of one instance. Assignments to
// globals stay in it; the library shows through.
func (vm *VM) Env() *lua.LTable {
	return &lua.LTable{Metatable: vm.envMeta}
}

// Null returns the value that stands for JSON null where a script makes JSON.
func (vm *VM) Null() lua.LValue { return vm.null }

// MarkList makes t a list for conversion to JSON even while it is empty.
func (vm *VM) MarkList(t *lua.LTable) { t.Metatable = vm.listMeta }
