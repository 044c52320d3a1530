package luavm

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// facts are what the first walk over a syntax tree finds out. The walk changes
// nothing but numerals; [repair] acts on what it found.
type facts struct {
	file, source string
	fault        *Error // the first one

	refs   map[*ast.IdentExpr]*variable // absent: a global
	decls  map[any][]*variable          // by the declaring node, in order
	isFunc map[*ast.LocalAssignStmt]bool
	breaks map[*ast.BreakStmt]ast.Stmt // breaks that leave variables open → their loop
	reads  map[string]int              // globals → line of the first read
	writes map[string]bool

	localNames map[string]bool // of all local variables

	reusable bool
	callees  map[int][]string
	indexed  map[indexKey][]string

	function  *function
	loops     []loop
	depth     int
	functions int
	work      int
	locals    []bool // for each "local" of the source in order: is it "local function"?
	mutators  map[string]bool
	stores    []*variable // into tables that must turn out to be fresh
	marked    string      // the key of constructors whose line is remembered
	quiet     bool        // what is read now is accounted for

	onlyRead     *ast.IdentExpr // the operand at hand, if it is only read from
	constantVars []*variable    // that are declared as tables of constants
	shared       map[*ast.TableExpr]bool
}

// A variable is one local variable or parameter.
type variable struct {
	name     string
	function *function
	captured bool // by an inner function
	assigned bool // other than by its declaration
	fresh    bool // only ever holds tables that its function has just made
	mutator  bool // holds a function such as table.insert

	constant *ast.TableExpr // what it is declared as, if that holds constants alone
	leaks    bool           // used other than to be read from
}

// boxed variables live in a one-element table. gopher-lua closes captured
// variables too early after an error or a goto, so that a closure and its
// surroundings would see different values from then on.
func (v *variable) boxed() bool { return v.captured && v.assigned }

type function struct {
	outer     *function
	vararg    bool
	block     *block
	constants map[string]bool
	gotos     int
	labels    int
	pending   []pendingGoto
}

type block struct {
	outer  *block
	vars   []*variable
	labels map[string]labelMark
	loop   bool // the body of a loop
}

type labelMark struct {
	line, vars int
	last       bool // nothing but labels follows in its block
}

type pendingGoto struct {
	name  string
	line  int
	block *block
	vars  int // of the block when the goto was met
}

type loop struct {
	stmt  ast.Stmt
	block *block // the body, once entered
}

const (
	maxNestedCode = 1000
	maxFunctions  = 2000
	maxJumps      = 250  // gotos, and labels, in one function
	maxOperands   = 5000 // of one chain of ..
	maxWork       = 40_000_000
	nameScanCost  = 1
)

func analyse(file, source string, parsed tree, opts CompileOptions) (*facts, *Error) {
	f := &facts{
		file: file, source: source, reusable: true,
		refs: map[*ast.IdentExpr]*variable{}, decls: map[any][]*variable{},
		isFunc: map[*ast.LocalAssignStmt]bool{}, breaks: map[*ast.BreakStmt]ast.Stmt{},
		reads: map[string]int{}, writes: map[string]bool{}, localNames: map[string]bool{},
		callees: map[int][]string{}, indexed: map[indexKey][]string{},
		locals: parsed.locals, mutators: mutatorNames(opts), marked: opts.Marked,
		shared: map[*ast.TableExpr]bool{},
	}
	f.enterFunction(nil, true)
	f.stmts(parsed.chunk)
	f.leaveFunction()
	f.judgeStores()
	f.judgeConstants()
	return f, f.fault
}

func (f *facts) fail(at ast.PositionHolder, hint, format string, args ...any) {
	if f.fault == nil {
		f.fault = &Error{File: f.file, Line: max(at.Line(), 1), Msg: fmt.Sprintf(format, args...), Hint: hint}
	}
}

// toil adds up what the code generator will have to do: much of it is linear
// searches, so that a small source could keep it busy for a quarter of a minute.
func (f *facts) toil(at ast.PositionHolder, n int) {
	f.work += n
	if f.work > maxWork {
		f.fail(at, "split the file", "the code is too complex to compile")
	}
}

// enter goes one level deeper and reports whether to go on.
func (f *facts) enter(at ast.PositionHolder) bool {
	f.depth++
	if f.depth > maxNestedCode {
		f.fail(at, "", "code is nested deeper than %d levels", maxNestedCode)
	}
	return f.fault == nil
}

func (f *facts) leave() { f.depth-- }

func (f *facts) enterFunction(at ast.PositionHolder, vararg bool) {
	f.functions++
	if f.functions > maxFunctions {
		f.fail(at, "split the file", "more than %d functions in one file", maxFunctions)
	}
	f.function = &function{outer: f.function, vararg: vararg, constants: map[string]bool{}}
	f.openBlock(false)
}

func (f *facts) leaveFunction() {
	f.closeBlock()
	for _, g := range f.function.pending {
		if f.fault == nil {
			f.fault = &Error{File: f.file, Line: g.line, Msg: fmt.Sprintf("no visible label '%s' for goto", g.name)}
		}
	}
	f.function = f.function.outer
}

func (f *facts) openBlock(loop bool) {
	f.function.block = &block{outer: f.function.block, loop: loop}
}

func (f *facts) closeBlock() {
	b := f.function.block
	f.resolveGotos(b)
	f.function.block = b.outer
}

func (f *facts) declare(node any, names ...string) []*variable {
	vars := make([]*variable, len(names))
	for i, name := range names {
		vars[i] = &variable{name: name, function: f.function}
		f.localNames[name] = true
	}
	f.function.block.vars = append(f.function.block.vars, vars...)
	f.decls[node] = append(f.decls[node], vars...)
	return vars
}

// lookup finds the variable that name refers to, nil for a global.
func (f *facts) lookup(at ast.PositionHolder, name string) *variable {
	steps := 0
	defer func() { f.toil(at, steps*nameScanCost) }()
	for fn := f.function; fn != nil; fn = fn.outer {
		for b := fn.block; b != nil; b = b.outer {
			steps += 1 + len(b.vars)
			for i := len(b.vars) - 1; i >= 0; i-- {
				if v := b.vars[i]; v.name == name {
					v.captured = v.captured || fn != f.function
					return v
				}
			}
		}
	}
	return nil
}

// constant accounts for one use of a constant in the current function.
func (f *facts) constant(at ast.PositionHolder, key string) {
	c := f.function.constants
	if !c[key] {
		if len(c) == maxConstants {
			f.fail(at, "split the function", "more than %d constants in one function", maxConstants)
			return
		}
		c[key] = true
	}
	f.toil(at, len(c))
}
