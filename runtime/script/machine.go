package script

import (
	"context"
	"errors"
	"fmt"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// A Pool lends Lua states to scripts. It never waits, so runs that nest through
// next cannot block each other; beyond [MaxLive] states in use at once a run
// fails. Its zero value is ready. Scripts may share one: each has its own
// environment in whatever state it runs.
type Pool struct {
	mu   sync.Mutex
	idle []*machine
	live int
}

// MaxLive is how many states of one pool may be in use at once.
const MaxLive = 64

// ErrTooManyRuns is returned when a pool has no state left to lend.
var ErrTooManyRuns = errors.New("too many runs of scripts at once")

// take lends a machine for a run of s, one that has an instance of s if possible.
func (p *Pool) take(s *Script) (*machine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live >= MaxLive {
		return nil, fmt.Errorf("%w: more than %d", ErrTooManyRuns, MaxLive)
	}
	p.live++
	for i := len(p.idle) - 1; i >= 0; i-- {
		m := p.idle[i]
		if m.limits == s.opts.Limits && (m.kept == nil || m.kept.script == s || i == 0) {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			return m, nil
		}
	}
	return newMachine(s.opts.Limits), nil
}

// put takes a machine back. A damaged one is thrown away.
func (p *Pool) put(m *machine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live--
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
	kept   *instance // usable again

	// during a run
	script  *Script
	loading *instance           // while the main chunk runs
	module  string              // the required file that runs, if any
	built   map[*lua.LTable]int // answers from constructors → line
}

// An instance is one script's environment and handlers in one machine.
type instance struct {
	script     *Script
	env        *lua.LTable
	registered []Registration
	handlers   []*lua.LFunction
	modules    map[string]lua.LValue
	reusable   bool
}

func newMachine(limits luavm.Limits) *machine {
	m := &machine{vm: luavm.New(luavm.Options{Limits: limits}), limits: limits}
	m.vm.Define("dsh", m.library())
	m.vm.Define("require", m.vm.Func("require", m.require))
	return m
}

func (m *machine) reset() {
	m.script, m.loading, m.module = nil, nil, ""
	clear(m.built)
}

// instance returns the instance for a run of s: the kept one, or a new one.
func (m *machine) instance(ctx context.Context, s *Script) (*instance, error) {
	m.script = s
	if m.kept != nil && m.kept.script == s {
		return m.kept, nil
	}
	inst, err := m.instantiate(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := s.same(inst.registered); err != nil {
		return nil, err
	}
	if m.kept = nil; inst.reusable {
		m.kept = inst
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
	inst := &instance{script: s, env: m.vm.Env(), reusable: program.Reusable()}
	m.script, m.loading = s, inst
	defer func() { m.loading = nil }()
	if err := m.vm.Begin(ctx); err != nil {
		return nil, err
	}
	defer m.vm.End()
	if _, err := m.vm.Exec(program, inst.env); err != nil {
		return nil, err
	}
	return inst, nil
}

// same holds an instance against what the script attached: the k-th registration
// is handler k in every instance.
func (s *Script) same(registered []Registration) error {
	if len(registered) != len(s.handlers) {
		return &Error{s.name, fmt.Errorf("the file registered %d handlers when it was read and %d when it ran", len(s.handlers), len(registered))}
	}
	for i, reg := range registered {
		if !reg.equal(s.handlers[i]) {
			return &Error{s.at(reg.Line), fmt.Errorf("handler %d is registered in another way than when the file was read", i+1)}
		}
	}
	return nil
}
