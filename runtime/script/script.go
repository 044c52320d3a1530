// Package script runs sandboxed Lua scripts as extensions.
//
// The package knows no extension point by name. It is given the points to offer;
// whatever those describe is what dsh.on accepts, what a handler receives as a
// frozen table, which constructors there are (dsh.deny and its like), and what
// an answer is checked against.
//
// # How a script runs
//
// A file's main chunk calls dsh.on once for every handler. Each run of a handler
// has an instance of its own: a Lua state, a fresh environment, the main chunk
// run anew. So handlers share nothing and remember nothing, and a counter at
// file level cannot make a test differ from production. Where the compiler
// proves that no run can leave a trace, the instance is used again.
//
// A handler that returns nothing has no opinion. Otherwise it returns a Decision:
// built by a constructor, a table with kind, or what next said. At points that
// join answers, a yes never hides the no of another handler; a handler attached
// with raw = true decides alone what becomes of the answers behind it.
package script

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
)

// Options say what a script may use. The zero value offers no points.
type Options struct {
	// Points are the points that dsh.on accepts.
	Points []point.Point
	// Fires lists the names of the points that the host ever fires; nil means
	// all. A handler on another one is a [Warning].
	Fires []string
	// Tools lists the tool names that the host knows; nil means that it cannot
	// tell. Another name in a filter is a Warning.
	Tools []string
	// Actions lists the kinds of actions. Another one in a filter is an error.
	Actions []string
	// Grants lists the grants that there are; nil means that the host cannot tell.
	// To ask for another one that the script does not have is an error.
	Grants []point.Grant
	// Folder is where require finds sibling files, as NAME.lua at its top level;
	// nil means that there are none.
	Folder fs.FS
	// Services are what the modules of the standard library reach of the world.
	Services stdlib.Services
	// Limits bound each run.
	Limits luavm.Limits
	// Pool lends Lua states; nil means one of the script's own.
	Pool *Pool
	// Lazy puts off compiling until a handler runs, if the file can be read
	// without it; see [Scan]. A file that then turns out to register something
	// else fails its runs.
	Lazy bool
	// Program is the source if somebody compiled it already, as [Compile] does;
	// nil means that nobody did.
	Program *luavm.Program
	// Coverage counts which parts of the script and of the files that it requires
	// run; nil counts nothing.
	Coverage *luavm.Coverage
	// Log is given the lines that a script writes with dsh.log; nil drops them.
	Log func(at, text string)
}

// A Script is one loaded Lua file. It is an [point.Extension] that may be
// installed in many registries and run by many goroutines.
type Script struct {
	name     string
	source   string
	opts     Options
	pool     *Pool
	handlers []Registration
	rules    []string // the names of those, in the same order
	warnings []Warning

	compiling sync.Once
	program   *luavm.Program
	unfit     error // why it does not compile

	live int // runs under way; guarded by the pool

	mu      sync.Mutex
	modules map[string]*luavm.Program
	answers map[string][]*schema.Type // by kind, over all points
}

var _ point.Extension = (*Script)(nil)

// A Warning is something about a script that its author should know although it
// can run.
type Warning struct {
	At   string // "file:line"
	Text string
}

// String returns the warning as one line.
func (w Warning) String() string { return w.At + ": " + w.Text }

// An Error is a mistake in a script, at a place in it.
type Error struct {
	At  string // "file:line", or the file alone
	Err error
}

func (e *Error) Error() string { return e.At + ": " + e.Err.Error() }

// Unwrap returns the mistake.
func (e *Error) Unwrap() error { return e.Err }

// Load reads the script in source. The name is that of the file, as messages
// show it, and of the extension. A file that is not Lua, does not run, registers
// nothing, or registers what cannot be is an error with its place.
func Load(ctx context.Context, name, source string, opts Options) (*Script, error) {
	s := &Script{name: name, source: source, opts: opts, pool: opts.Pool}
	if s.pool == nil {
		s.pool = new(Pool)
	}
	index := Index{}
	if opts.Lazy {
		index = Scan(source)
	}
	if len(index.Registrations) > 0 && index.Known { // a file without any is not worth putting off
		s.handlers = index.Registrations
	} else if err := s.discover(ctx); err != nil {
		return nil, err
	}
	for _, reg := range s.handlers {
		s.rules = append(s.rules, s.RuleName(reg))
	}
	return s, s.check()
}

// Compile compiles the source of a script. A lenient one may name globals that
// nothing defines. Errors are a [*luavm.Error].
func Compile(name, source string, lenient bool) (*luavm.Program, error) {
	return luavm.Compile(name, source, luavm.CompileOptions{Globals: globals, Marked: schema.TagField, Lenient: lenient})
}

// compile compiles the script itself, when it is first needed.
func (s *Script) compile() (*luavm.Program, error) {
	s.compiling.Do(func() {
		if s.program = s.opts.Program; s.program != nil {
			return
		}
		s.unfit = errors.New("it could not be compiled") // should the compiler panic
		s.program, s.unfit = s.compiled(s.name, s.source)
	})
	return s.program, s.unfit
}

// compiled compiles a file of the script.
func (s *Script) compiled(name, source string) (*luavm.Program, error) {
	return luavm.Compile(name, source, luavm.CompileOptions{
		Globals: globals, Marked: schema.TagField, Coverage: s.opts.Coverage,
	})
}

// globals are the names that a script has beyond Lua's own.
var globals = []string{"dsh", "require"}

// discover runs the main chunk to see what it registers.
func (s *Script) discover(ctx context.Context) error {
	m, err := s.pool.take(s)
	if err != nil {
		return err
	}
	defer s.pool.put(s, m)
	inst, err := m.instantiate(ctx, s)
	if err != nil {
		return err
	}
	s.handlers = inst.registered
	return nil
}

// Name implements [point.Extension].
func (s *Script) Name() string { return s.name }

// Warnings returns what the author should know, in the order of the file.
func (s *Script) Warnings() []Warning { return slices.Clone(s.warnings) }

// Registrations returns what the script attaches, in order.
func (s *Script) Registrations() []Registration { return slices.Clone(s.handlers) }

// Compile reports whether the whole file compiles, where [Options.Lazy] put that
// off.
func (s *Script) Compile() error {
	_, err := s.compile()
	return err
}

// Install implements [point.Extension].
func (s *Script) Install(in *point.Installer) error {
	for i, reg := range s.handlers {
		at := point.Attach{Filter: reg.Filter, Rule: s.rules[i], Raw: reg.Raw}
		s.point(reg.Point).HandleValue(in, s.handler(i), at)
	}
	return nil
}

// point returns the point with the given name, or nil.
func (s *Script) point(name string) point.Point {
	for _, p := range s.opts.Points {
		if p.Name() == name {
			return p
		}
	}
	return nil
}

// RuleName returns the name of the rule that reg is: its own, else the base name
// of the file.
func (s *Script) RuleName(reg Registration) string {
	if reg.Rule != "" {
		return reg.Rule
	}
	return strings.TrimSuffix(path.Base(s.name), ".lua")
}

func (s *Script) at(line int) string { return place{s.name, line}.String() }
