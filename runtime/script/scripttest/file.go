package scripttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
)

// Suffix is how the names of files of tests end.
const Suffix = "_test.lua"

// maxTests bounds a file of tests, in bytes.
const maxTests = 256 << 10

// testLimits bound one test and the main chunk of a file. Policies have their own.
var testLimits = luavm.Limits{Instructions: 50_000_000, Wall: time.Minute, AllocBytes: 512 << 20}

// A fileRun is one file of tests while it runs, on one goroutine.
type fileRun struct {
	suite *suite
	ctx   context.Context //nolint:containedctx // that of the run, for what Lua calls
	path  string
	out   File

	vm      *luavm.VM
	env     *stdlib.Env
	globals *lua.LTable
	modules map[string]lua.LValue
	class   stdlib.Class // of expectations

	policies  []string
	grants    []point.Grant
	loaded    *Loaded
	rules     map[ruleKey]int
	snapshots snapshots

	witness *witness
	world   *world
	group   *group // that is declared
	tests   []*testCase
	test    *testCase // under way
}

// A ruleKey identifies a rule among several policies.
type ruleKey struct{ extension, rule string }

// A group is what one describe declares.
type group struct {
	name          string
	outer         *group
	before, after []lua.LValue
	names         map[string]bool // of what is in it
}

// A testCase is one test.
type testCase struct {
	path    []string
	at      string
	group   *group
	body    func() error
	failure *Failure
	log     []string

	said     int // expectations
	begun    *expectation
	outcomes []*outcome
	cleanup  []func()
}

// Name is the full name of a test, which --run is held against.
func (t Test) Name() string { return strings.Join(t.Path, separator) }

// separator stands between the names of groups and of a test.
const separator = " > "

// file runs one file.
func (s *suite) file(ctx context.Context, path string) File {
	start := time.Now()
	f := &fileRun{suite: s, ctx: ctx, path: path, world: newWorld(), witness: new(witness), modules: map[string]lua.LValue{}, rules: map[ruleKey]int{}}
	f.out.Path = path
	f.group = &group{names: map[string]bool{}}
	f.vm = luavm.New(luavm.Options{Limits: testLimits})
	defer f.vm.Close()
	if err := f.run(); err != nil {
		f.out.Fault = f.failureOf(err)
	}
	if f.loaded != nil && f.loaded.Close != nil {
		f.loaded.Close()
	}
	f.out.Took = time.Since(start)
	s.done(f.out)
	return f.out
}

var errNoTests = errors.New("the file has no tests; test.it declares one")

func (f *fileRun) run() error {
	if err := f.declare(); err != nil {
		return err
	}
	if len(f.tests) == 0 {
		return errNoTests
	}
	if err := f.load(); err != nil {
		return err
	}
	if err := f.snapshots.read(f.path); err != nil {
		return err
	}
	f.runAll(f.selected())
	for _, t := range f.tests {
		f.out.Left += oneIf(t.body != nil)
	}
	f.tellRules()
	return f.snapshots.write(f)
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// declare runs the main chunk, which declares the tests.
func (f *fileRun) declare() error {
	source, err := readCapped(f.path, maxTests)
	if err != nil {
		return err
	}
	program, err := luavm.Compile(f.path, string(source), luavm.CompileOptions{Globals: []string{"test", "require"}})
	if err != nil {
		return err
	}
	f.env = stdlib.NewEnv(f.vm)
	f.env.Begin(stdlib.Run{Services: f.services(), Script: f.path})
	f.class = expectationClass(f)
	f.vm.Define("test", f.env.Open(library(f)))
	f.vm.Define("require", f.vm.Func("require", f.require))
	f.globals = f.vm.Env()
	if err := f.vm.Begin(f.ctx); err != nil {
		return err
	}
	defer f.vm.End()
	_, err = f.vm.Exec(program, f.globals)
	return err
}

// require returns a module of the standard library, or runs a file beside the
// test.
func (f *fileRun) require(L *lua.LState) int {
	name, _ := L.Get(1).(lua.LString)
	v, err := f.module(string(name))
	if err != nil {
		luavm.Raise(L, err)
	}
	L.Push(v)
	return 1
}

func (f *fileRun) module(name string) (lua.LValue, error) {
	if v := f.env.Require(name); v != nil {
		return v, nil
	}
	if v := f.modules[name]; v != nil {
		return v, nil
	}
	if name == "" || strings.ContainsAny(name, `/\.`) {
		return nil, errors.New("require takes the name of a module or of a file beside this one, without folder and without .lua")
	}
	path := filepath.Join(filepath.Dir(f.path), name+".lua")
	source, err := readCapped(path, maxTests)
	if err != nil {
		return nil, fmt.Errorf("no module %q%s", name, luavm.Hint(name, stdlib.Names()))
	}
	program, err := luavm.Compile(path, string(source), luavm.CompileOptions{Globals: []string{"test", "require"}})
	if err != nil {
		return nil, err
	}
	rets, err := f.vm.Exec(program, f.globals)
	if err != nil {
		return nil, err
	}
	f.modules[name] = lua.LTrue
	if len(rets) > 0 && rets[0] != lua.LNil {
		f.modules[name] = rets[0]
	}
	return f.modules[name], nil
}

// load loads the policies: those that the file names, or the one beside it.
func (f *fileRun) load() error {
	if f.policies == nil {
		beside := strings.TrimSuffix(f.path, Suffix) + ".lua"
		if _, err := os.Stat(beside); err != nil {
			return fmt.Errorf("there is no %s; name the policy with test.policy", beside)
		}
		f.policies = []string{beside}
	}
	loaded, err := f.suite.Load(f.ctx, f.policies, Loading{
		Services: f.services(), Grants: f.grants, Coverage: f.suite.Coverage, First: f.witness, Log: f.log,
	})
	if loaded != nil {
		f.loaded = loaded
		f.out.Warnings = append(f.out.Warnings, loaded.Warnings...)
	}
	if err != nil {
		return fmt.Errorf("a policy cannot be used: %w", err)
	}
	return nil
}

// log keeps what a policy prints with the test that made it.
func (f *fileRun) log(at, text string) {
	if f.test != nil {
		f.test.log = append(f.test.log, at+": "+text)
	}
}

// selected returns the tests to run, in their order.
func (f *fileRun) selected() []*testCase {
	var list []*testCase
	for _, t := range f.tests {
		if f.suite.Run == nil || f.suite.Run.MatchString(strings.Join(t.path, separator)) {
			list = append(list, t)
		}
	}
	if f.suite.Shuffle {
		f.suite.random(f.path).Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	}
	return list
}

func (f *fileRun) runAll(list []*testCase) {
	for _, t := range list {
		if f.suite.stop.Load() || f.ctx.Err() != nil {
			break
		}
		start := time.Now()
		f.runOne(t)
		t.body = nil
		f.out.Tests = append(f.out.Tests, Test{Path: t.path, At: t.at, Failure: t.failure, Log: t.log, Took: time.Since(start)})
		if t.failure != nil && f.suite.FailFast {
			f.suite.stop.Store(true)
		}
	}
	if f.suite.Shuffle {
		slices.SortStableFunc(f.out.Tests, func(a, b Test) int { return f.indexOf(a) - f.indexOf(b) })
	}
}

func (f *fileRun) indexOf(t Test) int {
	return slices.IndexFunc(f.tests, func(c *testCase) bool { return slices.Equal(c.path, t.Path) })
}

var errNothingExpected = errors.New("the test expects nothing; test.expect says what should be")

// runOne runs a test in a world of its own, with what its groups do before and
// after it.
func (f *fileRun) runOne(t *testCase) {
	f.world, f.test = newWorld(), t
	defer func() { f.test = nil }()
	if err := f.vm.Begin(f.ctx); err != nil {
		t.fail(f.failureOf(err))
		return
	}
	err := f.hooks(t.group, func(g *group) []lua.LValue { return g.before }, true)
	if err == nil {
		err = t.body()
	}
	err = errors.Join(err, f.hooks(t.group, func(g *group) []lua.LValue { return g.after }, false))
	f.vm.End()
	for _, undo := range slices.Backward(t.cleanup) {
		undo()
	}
	switch {
	case err != nil:
		t.fail(f.failureOf(err))
	case t.failure != nil: // the test caught its own failure
	case t.begun != nil:
		t.fail(&Failure{At: t.begun.at, Text: "test.expect is followed by no expectation"})
	case t.unexcused() != nil:
		o := t.unexcused()
		t.fail(&Failure{At: t.at, Text: "a policy is at fault, and no expectation spoke of it", Notes: []string{o.fault.Error()}})
	case t.said == 0:
		t.fail(&Failure{At: t.at, Text: errNothingExpected.Error()})
	}
}

// fail keeps the first failure.
func (t *testCase) fail(failure *Failure) {
	if t.failure == nil {
		t.failure = failure
	} else if failure.Text != t.failure.Text {
		t.failure.Notes = append(t.failure.Notes, failure.Notes...)
	}
}

// unexcused returns a fault that no expectation spoke of.
func (t *testCase) unexcused() *outcome {
	for _, o := range t.outcomes {
		if o.fault != nil && !o.excused {
			return o
		}
	}
	return nil
}

// hooks calls what the groups around a test do before it, from the outermost, or
// after it, from the innermost.
func (f *fileRun) hooks(g *group, of func(*group) []lua.LValue, outward bool) error {
	var all []lua.LValue
	for ; g != nil; g = g.outer {
		if outward {
			all = append(slices.Clone(of(g)), all...)
		} else {
			all = append(all, of(g)...)
		}
	}
	for _, hook := range all {
		if _, err := f.vm.Call(hook); err != nil {
			return err
		}
	}
	return nil
}

// failureOf makes a failure of an error.
func (f *fileRun) failureOf(err error) *Failure {
	failed := &Failure{Text: err.Error()}
	var at *luavm.Error
	if errors.As(err, &at) {
		own := at.Msg
		if at.Hint != "" {
			own += " (" + at.Hint + ")"
		}
		failed.Text = strings.Replace(failed.Text, at.Error(), own, 1) // the place is told by itself
		if at.File != "" {
			failed.At = at.File
			if at.Line > 0 {
				failed.At = fmt.Sprintf("%s:%d", at.File, at.Line)
			}
			if at.Line > 0 && at.Column > 0 {
				failed.At += fmt.Sprintf(":%d", at.Column)
			}
		}
		failed.Notes = framesOf(at)
	}
	return failed
}

// framesOf lists from where the line of an error was called.
func framesOf(e *luavm.Error) (notes []string) {
	for i, frame := range e.Trace {
		if place := fmt.Sprintf("%s:%d", frame.File, frame.Line); frame.Line > 0 && (i > 0 || place != fmt.Sprintf("%s:%d", e.File, e.Line)) {
			notes = append(notes, "called from "+place)
		}
	}
	return notes
}

// tellRules reports the rules of the policies, and how often each had something
// to say.
func (f *fileRun) tellRules() {
	for _, s := range f.loaded.Scripts {
		for _, reg := range s.Registrations() {
			name := s.RuleName(reg)
			f.out.Rules = append(f.out.Rules, Rule{
				Name: name, At: fmt.Sprintf("%s:%d", s.Name(), reg.Line), Spoke: f.rules[ruleKey{s.Name(), name}],
			})
		}
	}
}

func (f *fileRun) count(handled []point.Handled) {
	for _, h := range handled {
		if spoke(h) {
			f.rules[ruleKey{h.Extension, h.Rule}]++
		}
	}
}
