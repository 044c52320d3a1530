package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
)

// A Pool lends Lua states to scripts. It never waits, so runs that nest through
// next cannot block each other; beyond [MaxLive] runs of one script at once a run
// fails. Its zero value is ready. Scripts may share one: each has its own
// environment in whatever state it runs.
type Pool struct {
	mu   sync.Mutex
	idle []*machine
}

// MaxLive is how many states one script may use at once.
const MaxLive = 64

// ErrTooManyRuns is returned when a script already uses [MaxLive] states.
var ErrTooManyRuns = errors.New("too many runs of one script at once")

// take lends a machine for a run of s, one that has an instance of s if possible.
func (p *Pool) take(s *Script) (*machine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.live >= MaxLive {
		return nil, fmt.Errorf("%w: more than %d", ErrTooManyRuns, MaxLive)
	}
	s.live++
	if i := p.choose(s); i >= 0 {
		m := p.idle[i]
		p.idle = slices.Delete(p.idle, i, i+1)
		return m, nil
	}
	return newMachine(s.opts.Limits), nil
}

// choose returns the index of the idle machine that suits s best, or -1.
func (p *Pool) choose(s *Script) int {
	fits := -1
	for i, m := range p.idle {
		if m.limits != s.opts.Limits {
			continue
		}
		if m.instanceOf(s) != nil {
			return i
		}
		fits = i
	}
	return fits
}

// put takes a machine back after a run of s. A damaged one is thrown away.
func (p *Pool) put(s *Script, m *machine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.live--
	if m.vm.Broken() {
		m.vm.Close()
		return
	}
	m.reset()
	p.idle = append(p.idle, m)
}

// Close frees the idle states. No run may be under way.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.idle {
		m.vm.Close()
	}
	p.idle = nil
}

// A machine is one Lua state with the library of this package.
type machine struct {
	vm     *luavm.VM
	limits luavm.Limits
	kept   []*instance // usable again, the oldest first

	// during a run
	script  *Script
	loading *instance // while the main chunk runs
	module  string    // the required file that runs, if any
	running *instance
	built   []built        // answers from constructors
	live    *lua.LUserData // the live handle, once it was read
	rule    string         // of the handler that runs
	grants  []point.Grant  // of the script, as it is installed where it runs
	outside outside
	answer  answer
	filter  *luavm.Reader
	payload payloadShape
	last    struct { // the place that was spelt last
		place place
		text  string
	}

	liveMeta *lua.LTable
	modules  *stdlib.Env // of the standard library
}

// An instance is one script's environment and handlers in one machine.
type instance struct {
	script     *Script
	env        *lua.LTable
	registered []Registration // while the file is read for the first time
	handlers   []*lua.LFunction
	differs    error // the first registration that is not as it was then
	modules    map[string]lua.LValue
	built      []built // answers that the main chunk built
	reusable   bool
}

func newMachine(limits luavm.Limits) *machine {
	m := &machine{vm: luavm.New(luavm.Options{Limits: limits}), limits: limits}
	m.modules = stdlib.NewEnv(m.vm)
	m.vm.Define("dsh", m.library())
	m.vm.Define("require", m.vm.Func("require", m.require))
	return m
}

func (m *machine) reset() {
	m.script, m.loading, m.running, m.module, m.live, m.rule, m.grants = nil, nil, nil, "", nil, "", nil
	m.outside = outside{}
	m.modules.Begin(stdlib.Run{})
	if clear(m.built); cap(m.built) > maxKept {
		m.built = nil
	}
	m.built, m.payload = m.built[:0], payloadShape{}
}

// maxKept is how many instances a machine keeps.
const maxKept = 64

func (m *machine) instanceOf(s *Script) *instance {
	for _, inst := range m.kept {
		if inst.script == s {
			return inst
		}
	}
	return nil
}

func (m *machine) keep(inst *instance) {
	if len(m.kept) == maxKept {
		m.kept = slices.Delete(m.kept, 0, 1)
	}
	m.kept = append(m.kept, inst)
}

// instance returns the instance for a run of s: the kept one, or a new one.
func (m *machine) instance(ctx context.Context, s *Script) (*instance, error) {
	m.script = s
	if inst := m.instanceOf(s); inst != nil {
		return inst, nil
	}
	inst, err := m.instantiate(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := s.same(inst); err != nil {
		return nil, err
	}
	if inst.reusable {
		m.keep(inst)
	}
	return inst, nil
}

// instantiate runs the main chunk of s in a fresh environment, on a budget of
// its own.
func (m *machine) instantiate(ctx context.Context, s *Script) (*instance, error) {
	program, err := s.compile()
	if err != nil {
		return nil, err
	}
	inst := &instance{script: s, env: m.vm.Env(), reusable: program.Reusable(), handlers: make([]*lua.LFunction, 0, len(s.handlers))}
	m.script, m.loading = s, inst
	m.modules.Begin(stdlib.Run{Services: s.opts.Services, Script: s.name})
	defer func() { m.loading = nil }()
	if err := m.vm.Begin(ctx); err != nil {
		return nil, err
	}
	defer m.vm.End()
	if _, err := m.vm.Exec(program, inst.env); err != nil {
		return nil, err
	}
	if len(m.built) > 0 {
		inst.built, m.built = m.built, nil
	}
	return inst, nil
}

// same holds an instance against what the script attached: the k-th registration
// is handler k in every instance.
func (s *Script) same(inst *instance) error {
	if n := len(inst.handlers); n != len(s.handlers) {
		return &Error{s.name, fmt.Errorf("the file registered %d handlers when it was read and %d when it ran", len(s.handlers), n)}
	}
	return inst.differs
}
