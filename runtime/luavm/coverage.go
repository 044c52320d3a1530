package luavm

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// A Coverage counts which parts of programs run. Programs that are compiled with
// it say so at every block; what that takes is given back to the budget, so a run
// counts the instructions that it counts without. It may be shared by goroutines.
type Coverage struct {
	mu       sync.Mutex
	programs map[string]*Covered
}

// Programs returns what was compiled with c, sorted by name.
func (c *Coverage) Programs() []*Covered {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]*Covered, 0, len(c.programs))
	for _, name := range slices.Sorted(maps.Keys(c.programs)) {
		list = append(list, c.programs[name])
	}
	return list
}

// A Covered is one program whose blocks are counted.
type Covered struct {
	// Name is that of the program.
	Name string
	// Source is its text.
	Source string
	// Blocks are runs of statements that are entered at their top, in the order of
	// the text.
	Blocks []Block
	// Branches are the conditions of if and elseif.
	Branches []Branch

	hits []atomic.Int64
}

// A Block is a run of statements.
type Block struct {
	// Lines are the lines that it has code on, ascending.
	Lines []int
	// Function tells apart whose code it is: 0 is the program itself, others are its
	// functions, also where several share a line.
	Function int
}

// A Branch is one condition.
type Branch struct {
	// Line is that of the if.
	Line int
	// Asked and True are the blocks that end in the condition and that follow where
	// it holds; True is -1 if nothing follows.
	Asked, True int
}

// Hits returns how often block i was entered.
func (c *Covered) Hits(i int) int64 { return c.hits[i].Load() }

// LineHits returns how often each line with code ran: of a line that several
// functions have code on, as often as the one of them that ran least. To register a
// handler is not to run it.
func (c *Covered) LineHits() map[int]int64 {
	type place struct{ line, function int }
	ran := map[place]int64{}
	for i, b := range c.Blocks {
		for _, line := range b.Lines {
			at := place{line, b.Function}
			ran[at] = max(ran[at], c.Hits(i))
		}
	}
	lines := map[int]int64{}
	for at, hits := range ran {
		if least, known := lines[at.line]; !known || hits < least {
			lines[at.line] = hits
		}
	}
	return lines
}

// Taken returns how often the condition of a branch held and how often not. A
// condition that raises an error counts as one that did not hold.
func (c *Covered) Taken(b Branch) (yes, no int64) {
	asked := c.Hits(b.Asked)
	if b.True != noBlock {
		yes = c.Hits(b.True)
	}
	return yes, max(0, asked-yes)
}

// enroll returns what counts for a program; the same for the same source.
func (c *Coverage) enroll(name, source string, blocks []Block, branches []Branch) *Covered {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.programs[name]; known != nil && known.Source == source {
		return known
	}
	if c.programs == nil {
		c.programs = map[string]*Covered{}
	}
	p := &Covered{Name: name, Source: source, Blocks: blocks, Branches: branches, hits: make([]atomic.Int64, len(blocks))}
	c.programs[name] = p
	return p
}

// coverCost is how many instructions it takes to count a block: the function and
// the number are loaded, and the one is called with the other.
const coverCost = 3

// counter is the hidden function that counts the blocks of p.
func (vm *VM) counter(p *Covered) lua.LValue {
	return vm.state.NewFunction(func(L *lua.LState) int {
		vm.budget.slice += coverCost * vm.budget.weight
		if i, ok := L.Get(1).(lua.LNumber); ok {
			p.hits[int(i)].Add(1)
		}
		return 0
	})
}

// A coverer puts the counting into a syntax tree, while it is repaired.
type coverer struct {
	blocks    []Block
	branches  []Branch
	functions int // so far
	function  int // under way
}

// enter begins the code of a function; what it returns ends it.
func (c *coverer) enter() (leave func()) {
	if c == nil {
		return func() {}
	}
	outer := c.function
	c.functions++
	c.function = c.functions
	return func() { c.function = outer }
}

// begins reports whether a block begins at stmts[i]: at the start of a list, behind
// what may go on elsewhere, and at a condition, so that its outcomes can be told.
func begins(stmts []ast.Stmt, i int) bool {
	switch stmts[i].(type) {
	case *ast.LabelStmt:
		return false
	case *ast.IfStmt:
		return true
	case *ast.BreakStmt, *ast.GotoStmt:
		// The code generator joins a jump with the one before it; nothing may come
		// between them.
		return i == 0
	}
	if i == 0 {
		return true
	}
	switch stmts[i-1].(type) {
	case *ast.IfStmt, *ast.WhileStmt, *ast.RepeatStmt, *ast.NumberForStmt, *ast.GenericForStmt, *ast.DoBlockStmt, *ast.LabelStmt:
		return true
	}
	return false
}

// noBlock is the number of no block.
const noBlock = -1

// before appends the statement that counts, where a block begins at stmts[i], and
// takes note of the lines of the statement. The block that the statement before
// belongs to is in; before returns that of this one.
func (c *coverer) before(out, stmts []ast.Stmt, i, in int) (repaired []ast.Stmt, block int) {
	if c == nil {
		return out, in
	}
	if begins(stmts, i) {
		in = len(c.blocks)
		c.blocks = append(c.blocks, Block{Function: c.function})
		call := hiddenCall(hiddenCover, []ast.Expr{number(in, stmts[i])}, stmts[i])
		out = append(out, position(&ast.FuncCallStmt{Expr: call}, stmts[i]))
	}
	if _, label := stmts[i].(*ast.LabelStmt); !label && in != noBlock {
		c.blocks[in].Lines = linesOf(stmts[i], c.blocks[in].Lines)
	}
	return out, in
}

// last returns the block that began last.
func (c *coverer) last() int {
	if c == nil {
		return noBlock
	}
	return len(c.blocks) - 1
}

// asks takes note of the condition that ends the block asked. What follows where it
// holds gets the next number.
func (c *coverer) asks(s *ast.IfStmt, asked int) {
	if c == nil {
		return
	}
	b := Branch{Line: s.Line(), Asked: asked, True: noBlock}
	if len(s.Then) > 0 && !onlyLabels(s.Then) {
		b.True = len(c.blocks)
	}
	c.branches = append(c.branches, b)
}

// isCounting reports whether s was made by a coverer.
func isCounting(s ast.Stmt) bool {
	call, ok := s.(*ast.FuncCallStmt)
	if !ok {
		return false
	}
	f, ok := call.Expr.(*ast.FuncCallExpr)
	if !ok {
		return false
	}
	name, ok := f.Func.(*ast.IdentExpr)
	return ok && name.Value == hiddenNames[hiddenCover]
}

// uncounted is a list without the counting at its start.
func uncounted(stmts []ast.Stmt) []ast.Stmt {
	if len(stmts) > 0 && isCounting(stmts[0]) {
		return stmts[1:]
	}
	return stmts
}

// linesOf adds the lines of s itself, without those of the blocks within it.
func linesOf(s ast.Stmt, lines []int) []int {
	add := func(line int) {
		if at, found := slices.BinarySearch(lines, line); !found && line > 0 {
			lines = slices.Insert(lines, at, line)
		}
	}
	add(s.Line())
	for _, e := range ownExpressions(s) {
		eachLine(e, add)
	}
	return lines
}

func ownExpressions(s ast.Stmt) []ast.Expr {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return slices.Concat(s.Lhs, s.Rhs)
	case *ast.LocalAssignStmt:
		return s.Exprs
	case *ast.FuncCallStmt:
		return []ast.Expr{s.Expr}
	case *ast.WhileStmt:
		return []ast.Expr{s.Condition}
	case *ast.IfStmt:
		return []ast.Expr{s.Condition}
	case *ast.NumberForStmt:
		return []ast.Expr{s.Init, s.Limit}
	case *ast.GenericForStmt:
		return s.Exprs
	case *ast.ReturnStmt:
		return s.Exprs
	}
	return nil
}

// eachLine calls add with the lines of e, but not of the bodies of functions.
func eachLine(e ast.Expr, add func(int)) {
	if e == nil {
		return
	}
	add(e.Line())
	for _, inner := range operands(e) {
		eachLine(inner, add)
	}
}

func operands(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		return []ast.Expr{e.Object, e.Key}
	case *ast.TableExpr:
		var list []ast.Expr
		for _, f := range e.Fields {
			list = append(list, f.Key, f.Value)
		}
		return list
	case *ast.FuncCallExpr:
		return append([]ast.Expr{e.Func, e.Receiver}, e.Args...)
	case *ast.LogicalOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.RelationalOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.StringConcatOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.ArithmeticOpExpr:
		return []ast.Expr{e.Lhs, e.Rhs}
	case *ast.UnaryMinusOpExpr:
		return []ast.Expr{e.Expr}
	case *ast.UnaryNotOpExpr:
		return []ast.Expr{e.Expr}
	case *ast.UnaryLenOpExpr:
		return []ast.Expr{e.Expr}
	}
	return nil
}
