package script

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/schema"
)

var (
	errRequireLate = errors.New("require is for file level; call it before the handlers run")
	errRequireName = errors.New("require takes the name of a module or of a file beside this one, without folder and without .lua")
	errCycle       = errors.New("the files require each other in a circle")
)

// require implements require(name): a standard module, or a file NAME.lua beside
// the script, run once in each instance.
func (m *machine) require(L *lua.LState) int {
	value, err := m.load(L)
	if err != nil {
		m.vm.Stop(L, err)
	}
	L.Push(value)
	return 1
}

func (m *machine) load(L *lua.LState) (lua.LValue, error) {
	inst := m.loading
	if inst == nil {
		return nil, errRequireLate
	}
	name, ok := L.Get(1).(lua.LString)
	if !ok || L.GetTop() != 1 || !isModuleName(string(name)) {
		return nil, errRequireName
	}
	if module := m.modules.Require(string(name)); module != nil {
		return module, nil
	}
	if value, ok := inst.modules[string(name)]; ok {
		if value == nil {
			return nil, errCycle
		}
		return value, nil
	}
	program, err := m.script.module(string(name))
	if err != nil {
		return nil, err
	}
	return m.runModule(inst, string(name), program)
}

func isModuleName(name string) bool {
	for _, r := range name {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z'
		digit := r >= '0' && r <= '9'
		if !letter && !digit && r != '_' && r != '-' {
			return false
		}
	}
	return name != ""
}

func (m *machine) runModule(inst *instance, name string, program *luavm.Program) (lua.LValue, error) {
	if inst.modules == nil {
		inst.modules = map[string]lua.LValue{}
	}
	inst.modules[name] = nil
	inst.reusable = inst.reusable && program.Reusable()
	outer := m.module
	m.module = program.Name()
	defer func() { m.module = outer }()
	rets, err := m.vm.Exec(program, inst.env)
	if err != nil {
		return nil, err
	}
	value := lua.LValue(lua.LTrue)
	if len(rets) > 0 && rets[0] != lua.LNil {
		value = rets[0]
	}
	inst.modules[name] = value
	return value, nil
}

// module returns the compiled file of a sibling. It is read once, so that all
// runs see the same.
func (s *Script) module(name string) (*luavm.Program, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.modules[name]; p != nil {
		return p, nil
	}
	if s.opts.Folder == nil {
		return nil, fmt.Errorf("no module %q, and this script has no folder%s", name, schema.Hint(name, stdlib.Names()))
	}
	source, err := s.sibling(name + ".lua")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no module %q%s", name, schema.Hint(name, s.siblings()))
	case err != nil:
		return nil, fmt.Errorf("no module %q: %w", name, err)
	}
	p, err := s.compiled(path.Join(path.Dir(s.name), name+".lua"), string(source))
	if err != nil {
		return nil, err
	}
	if s.modules == nil {
		s.modules = map[string]*luavm.Program{}
	}
	s.modules[name] = p
	return p, nil
}

// maxModule bounds a file that is required, in bytes.
const maxModule = 256 << 10

// sibling reads a file of the script's folder. Only what is a file is opened: a
// pipe would keep whoever opens it waiting.
func (s *Script) sibling(name string) ([]byte, error) {
	info, err := fs.Stat(s.opts.Folder, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", name)
	case info.Size() > maxModule:
		return nil, fmt.Errorf("%s is %d bytes long; a module may have %d", name, info.Size(), maxModule)
	}
	return fs.ReadFile(s.opts.Folder, name)
}

// Modules returns the names of the sibling files that the script has required so
// far, sorted.
func (s *Script) Modules() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.modules))
}

func (s *Script) siblings() []string {
	entries, err := fs.ReadDir(s.opts.Folder, ".")
	if err != nil {
		return nil
	}
	names := stdlib.Names()
	for _, e := range entries {
		if base, ok := strings.CutSuffix(e.Name(), ".lua"); ok {
			names = append(names, base)
		}
	}
	return names
}
