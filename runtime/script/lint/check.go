package lint

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// A Host is a program that runs policies.
type Host struct {
	// Name is how messages show it.
	Name string
	// Fires lists the names of the points that it ever fires; nil means all.
	Fires []string
	// Tools lists the tools that it is known to have; nil means that nobody knows.
	Tools []string
}

// Options say what a file may refer to.
type Options struct {
	// Points are the points that there are.
	Points []point.Point
	// Hosts are the programs that the file is meant for. Without any, nothing is
	// said about what hosts do.
	Hosts []Host
	// Actions lists the kinds of actions.
	Actions []string
	// Folder is where the files lie that it requires; nil means that there are
	// none.
	Folder fs.FS
	// Module reports whether other files require this one, so that it need not
	// register anything; it is asked only if the file does not. Nil means that
	// none do.
	Module func() bool
	// Globals are names that the file has beyond those of every policy. A file
	// that has some is no policy: it need not register anything, and is not
	// loaded.
	Globals []string
	// Libraries are those of the Globals of which all members are known.
	Libraries []stdlib.Module
	// Disable lists kinds that are not looked for.
	Disable []string
}

// Check returns what is wrong with a file, in the order of its lines. The name is
// that of the file, as findings show it. It never fails: what cannot be read is a
// finding.
func Check(ctx context.Context, name, source string, opts Options) []Finding {
	c := newChecker(name, source, opts)
	if c.parse() {
		for _, pass := range passes() {
			pass(c)
		}
		c.load(ctx)
	}
	c.ignore()
	return c.findings()
}

// checker is one check of one file.
type checker struct {
	opts    Options
	name    string
	source  string
	file    *tree.File // nil if the file cannot be read
	found   []Finding
	points  map[string]point.Point
	program *luavm.Program
	nodes   []tree.Node // all of the file, in the order of the source
	parents map[tree.Node]tree.Node
	regs    []*registration
	params  map[*tree.Local]typ
	calls   map[*tree.Local][]*tree.Call
	types   map[tree.Expr]typ
	asking  map[*tree.Local]bool // types of parameters that are being inferred
	kinds   map[string]Kind
	globals map[string]*tree.Function // functions that are the only value of a global
	modules map[string]stdlib.Module
	answers []string            // the kinds of answers of all points
	members map[string][]string // of libraries
}

func newChecker(name, source string, opts Options) *checker {
	c := &checker{
		opts: opts, name: name, source: source, points: map[string]point.Point{},
		parents: map[tree.Node]tree.Node{}, params: map[*tree.Local]typ{}, calls: map[*tree.Local][]*tree.Call{},
		types: map[tree.Expr]typ{}, asking: map[*tree.Local]bool{}, kinds: map[string]Kind{}, modules: map[string]stdlib.Module{},
	}
	for _, p := range opts.Points {
		c.points[p.Name()] = p
		c.answers = append(c.answers, p.Tags()...)
	}
	c.members = map[string][]string{"dsh": script.Members(c.answers)}
	for _, name := range []string{"string", "table", "math"} {
		c.members[name] = luavm.LibraryNames(name)
	}
	slices.Sort(c.answers)
	c.answers = slices.Compact(c.answers)
	for _, m := range opts.Libraries {
		c.modules[m.Name] = m
	}
	for _, k := range Kinds() {
		c.kinds[k.ID] = k
	}
	return c
}

// passes are what looks for findings, once the file is read.
func passes() []func(*checker) {
	return []func(*checker){
		(*checker).readRegistrations, (*checker).checkGlobals, (*checker).checkRegistrations, (*checker).checkMembers,
		(*checker).checkCalls, (*checker).checkAnswers, (*checker).checkHandlers, (*checker).checkFlow,
		(*checker).checkConditions, (*checker).checkLiterals, (*checker).checkUnused, (*checker).checkWrites,
		(*checker).checkPatterns, (*checker).checkTextRules, (*checker).checkLoops, (*checker).checkTables,
	}
}

// bytesPerNode is how much of a source a node of its tree takes, about.
const bytesPerNode = 8

// parse reads the file; it reports whether there is something to look at.
func (c *checker) parse() bool {
	if !utf8.ValidString(c.source) {
		c.addFault(notText(c.source))
		return false
	}
	var err error
	c.program, err = script.Compile(c.name, c.source, true)
	var fault *luavm.Error
	if errors.As(err, &fault) {
		c.addFault(fault)
		return false
	}
	if c.file, err = tree.Parse(c.source); err != nil {
		c.addFault(&luavm.Error{Line: 1, Msg: err.Error()})
		return false
	}
	size := len(c.source) / bytesPerNode
	c.nodes, c.parents, c.types = make([]tree.Node, 0, size), make(map[tree.Node]tree.Node, size), make(map[tree.Expr]typ, size)
	c.connect(c.file.Body, nil)
	c.globals = c.globalFunctions()
	c.walk(func(n tree.Node) {
		if call, ok := n.(*tree.Call); ok && call.Method == nil {
			if name, ok := tree.Bare(call.Fun).(*tree.Name); ok && name.Local != nil {
				c.calls[name.Local] = append(c.calls[name.Local], call)
			}
		}
	})
	return true
}

// globalFunctions finds the functions that are the only value of a global.
func (c *checker) globalFunctions() map[string]*tree.Function {
	writes, functions := map[string]int{}, map[string]*tree.Function{}
	for _, n := range c.file.Globals {
		if !n.Written {
			continue
		}
		writes[n.Text]++
		if s, ok := c.parents[n].(*tree.FuncStmt); ok && writes[n.Text] == 1 {
			functions[n.Text] = s.Func
		} else {
			delete(functions, n.Text)
		}
	}
	return functions
}

// notText says where a source stops to be UTF-8.
func notText(source string) *luavm.Error {
	line, column := 1, 1
	for i, r := range source {
		if _, size := utf8.DecodeRuneInString(source[i:]); r == utf8.RuneError && size == 1 {
			break
		}
		if column += utf8.RuneLen(r); r == '\n' {
			line, column = line+1, 1
		}
	}
	return &luavm.Error{Line: line, Column: column, Msg: "is not UTF-8"}
}

// isModule reports whether the file is one that others require.
func (c *checker) isModule() bool { return c.opts.Module != nil && c.opts.Module() }

func (c *checker) connect(n, parent tree.Node) {
	c.parents[n] = parent
	c.nodes = append(c.nodes, n)
	for _, child := range tree.Children(n) {
		c.connect(child, n)
	}
}

func (c *checker) addFault(fault *luavm.Error) {
	f := Finding{
		ID: "syntax", Severity: Error, File: c.name, Line: max(fault.Line, 1), Column: fault.Column,
		Message: fault.Msg, Hint: fault.Hint,
	}
	if f.Column < 1 {
		f.Column = indent(c.source, f.Line) + 1
	}
	f.EndLine, f.EndColumn = f.Line, f.Column+1
	c.found = append(c.found, f)
}

// indent is how many bytes a line of source is indented by.
func indent(source string, line int) int {
	lines := strings.SplitN(source, "\n", line+1)
	if line > len(lines) {
		return 0
	}
	text := lines[line-1]
	return len(text) - len(strings.TrimLeft(text, " \t"))
}

// add reports a finding at a node. The hint is without a leading "; ".
func (c *checker) add(id string, at tree.Node, message, hint string, fix ...Edit) {
	f := Finding{
		ID: id, Severity: c.kinds[id].Severity, File: c.name, Message: message,
		Hint: strings.TrimPrefix(hint, "; "), from: at.Pos(), to: at.End(),
	}
	f.Line, f.Column = c.file.Position(f.from)
	f.EndLine, f.EndColumn = c.file.Position(f.to)
	if len(fix) > 0 {
		f.Fix = &Fix{Title: c.kinds[id].Fix, Edits: fix}
	}
	c.found = append(c.found, f)
}

func (c *checker) findings() []Finding {
	list := slices.DeleteFunc(c.found, func(f Finding) bool { return slices.Contains(c.opts.Disable, f.ID) })
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(list, func(a, b Finding) bool {
		return a.Line == b.Line && a.Column == b.Column && a.ID == b.ID && a.Message == b.Message
	})
}

// walk calls f for every node of the file.
func (c *checker) walk(f func(n tree.Node)) {
	for _, n := range c.nodes {
		f(n)
	}
}

// functionOf returns the function whose code has the node.
func (c *checker) functionOf(n tree.Node) *tree.Function {
	for at := c.parents[n]; at != nil; at = c.parents[at] {
		if f, ok := at.(*tree.Function); ok {
			return f
		}
	}
	return c.file.Main
}

// module returns a module of the standard library or of the options.
func (c *checker) module(name string) stdlib.Module {
	m, ok := c.modules[name]
	if !ok {
		m, _ = stdlib.Find(name)
		c.modules[name] = m
	}
	return m
}

// isLibrary reports whether a global is one of the libraries of the options.
func (c *checker) isLibrary(name string) bool {
	return slices.ContainsFunc(c.opts.Libraries, func(m stdlib.Module) bool { return m.Name == name })
}
