package luavm

import (
	"github.com/yuin/gopher-lua/ast"
)

// The code generator of gopher-lua is wrong in a dozen places. repair rewrites
// the syntax tree so that none of them is reached:
//
//   - parallel assignment reads its sources after it has overwritten them, and a
//     logical expression or a call in parentheses stored into an existing local
//     may yield another value: such values go through fresh locals
//   - captured variables that are assigned to are closed too early by errors and
//     gotos: they live in a table of one element
//   - a break out of a block with captured variables leaves them open: it
//     becomes a goto
//   - "local f = function" sees itself like "local function f"
//   - a backward jump to a jump goes anywhere, see padded
//   - a generic for leaves missing or surplus control values stale: its
//     expressions are hoisted
//   - a call in the last keyed field of a constructor spreads over the list, and
//     lists of exactly fifty items before a keyed field or an open call lose some
//   - the remainder has the wrong sign of zero, and rounds otherwise for fractions:
//     it becomes a call
//   - number literals: see treeNumber
//
// and so that the budget sees what it otherwise would not: concatenation,
// comparison by order, and stores with computed keys, become calls of hidden
// functions. Hidden names
// start with "@", which no source can spell.
//
// Tables that instances share are left out of the code, and returned.
func repair(chunk []ast.Stmt, f *facts, cover *coverer) (repaired []ast.Stmt, shared []*ast.TableExpr) {
	r := &repairer{facts: f, cover: cover}
	main := &ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true}, Stmts: r.block(chunk)}
	if len(chunk) > 0 {
		main.SetLastLine(chunk[len(chunk)-1].LastLine())
	}
	var names []string
	var values []ast.Expr
	for _, name := range hiddenNames {
		names = append(names, name)
		values = append(values, &ast.NilExpr{})
	}
	return []ast.Stmt{
		&ast.LocalAssignStmt{Names: names, Exprs: values},
		&ast.ReturnStmt{Exprs: []ast.Expr{main}},
	}, r.sharedTables
}

// A hidden is one of the values that repaired code refers to.
type hidden int

const (
	hiddenConcat hidden = iota // (...) the .. operator
	hiddenStore                // (t, k, v) t[k] = v
	hiddenKey                  // (k) checks a computed key of a constructor
	hiddenAppend               // (t, n, ...) stores from n+1 on, returns t
	hiddenPair                 // (t, k, v) t[k] = v, returns t
	hiddenStep                 // (x) checks the step of a for loop
	hiddenModulo               // (a, b) the % operator
	hiddenOrder                // (x) charges for the first operand of a comparison by order
	hiddenMark                 // (t, file, line) remembers where t was built, returns t
	hiddenCover                // (n) counts block n
	hiddenEnv                  // the environment: what _G is
	hiddenShared               // a list of tables of constants
	hiddenCount
)

var hiddenNames = [hiddenCount]string{"@concat", "@store", "@key", "@append", "@pair", "@step", "@modulo", "@order", "@mark", "@cover", "@env", "@shared"}

type repairer struct {
	*facts
	labels     int                 // made so far
	breakLabel map[ast.Stmt]string // loops that need a label behind them
	cover      *coverer            // nil if nothing is counted

	sharedTables []*ast.TableExpr // that the repaired code refers to
}

func name(n string, like ast.PositionHolder) *ast.IdentExpr {
	return position(&ast.IdentExpr{Value: n}, like)
}

func number(n int, like ast.PositionHolder) *ast.NumberExpr {
	return position(&ast.NumberExpr{Value: itoa(n)}, like)
}

func let(names []string, exprs []ast.Expr, like ast.PositionHolder) ast.Stmt {
	return position(&ast.LocalAssignStmt{Names: names, Exprs: exprs}, like)
}

func hiddenCall(h hidden, args []ast.Expr, like ast.PositionHolder) *ast.FuncCallExpr {
	return position(&ast.FuncCallExpr{Func: name(hiddenNames[h], like), Args: args, AdjustRet: true}, like)
}

func (r *repairer) block(stmts []ast.Stmt) []ast.Stmt {
	out := make([]ast.Stmt, 0, len(stmts))
	in := noBlock
	for i, s := range stmts {
		out, in = r.cover.before(out, stmts, i, in)
		out = r.stmt(out, s)
	}
	return padLabels(out)
}

// stmt appends the repaired form of s to out.
func (r *repairer) stmt(out []ast.Stmt, s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return append(out, r.assign(s))
	case *ast.LocalAssignStmt:
		return r.local(out, s)
	case *ast.FuncDefStmt:
		return append(out, r.functionStmt(s))
	case *ast.FuncCallStmt:
		s.Expr = r.expr(s.Expr)
	case *ast.DoBlockStmt:
		s.Stmts = r.block(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = r.expr(s.Condition)
		s.Stmts = padded(r.block(s.Stmts), s)
		return append(out, r.loop(s))
	case *ast.RepeatStmt:
		s.Stmts = padded(r.block(s.Stmts), s)
		s.Condition = r.expr(s.Condition)
		return append(out, r.loop(s))
	case *ast.IfStmt:
		asked := r.cover.last()
		s.Condition = r.expr(s.Condition)
		r.cover.asks(s, asked)
		s.Then = r.block(s.Then)
		s.Else = r.block(s.Else)
	case *ast.NumberForStmt:
		return append(out, r.numberFor(s))
	case *ast.GenericForStmt:
		return append(out, r.genericFor(s))
	case *ast.ReturnStmt:
		r.exprs(s.Exprs)
	case *ast.BreakStmt:
		return append(out, r.breakStmt(s))
	}
	return append(out, s)
}

// loop puts the label for breaks that became gotos behind s.
func (r *repairer) loop(s ast.Stmt) ast.Stmt { return r.loopAs(s, s) }

// loopAs is loop for a statement that takes the place of the loop s.
func (r *repairer) loopAs(s, replacement ast.Stmt) ast.Stmt {
	label, ok := r.breakLabel[s]
	if !ok {
		return replacement
	}
	mark := position(&ast.LabelStmt{Name: label}, s)
	return position(&ast.DoBlockStmt{Stmts: []ast.Stmt{replacement, mark}}, s)
}

func (r *repairer) breakStmt(s *ast.BreakStmt) ast.Stmt {
	loop, ok := r.breaks[s]
	if !ok {
		return s
	}
	label, ok := r.breakLabel[loop]
	if !ok {
		r.labels++
		label = "@break" + itoa(r.labels)
		if r.breakLabel == nil {
			r.breakLabel = map[ast.Stmt]string{}
		}
		r.breakLabel[loop] = label
	}
	return position(&ast.GotoStmt{Label: label}, s)
}

// box returns the statement that moves the current value of v into its box.
func box(v *variable, like ast.PositionHolder) ast.Stmt {
	value := position(&ast.TableExpr{Fields: []*ast.Field{{Value: name(v.name, like)}}}, like)
	return let([]string{v.name}, []ast.Expr{value}, like)
}

// boxes returns the statements that box those variables of node that need it.
func (r *repairer) boxes(node ast.PositionHolder) []ast.Stmt {
	var out []ast.Stmt
	for _, v := range r.decls[node] {
		if v.boxed() {
			out = append(out, box(v, node))
		}
	}
	return out
}

// unboxed returns the expression for the value of a boxed variable.
func unboxed(e *ast.IdentExpr) ast.Expr {
	return position(&ast.AttrGetExpr{Object: e, Key: number(1, e)}, e)
}

func (r *repairer) numberFor(s *ast.NumberForStmt) ast.Stmt {
	s.Init = r.expr(s.Init)
	s.Limit = r.expr(s.Limit)
	if s.Step != nil {
		s.Step = r.expr(s.Step)
		if !constantNumber(s.Step) {
			s.Step = hiddenCall(hiddenStep, []ast.Expr{s.Step}, s.Step)
		}
	}
	s.Stmts = append(r.boxes(s), r.block(s.Stmts)...)
	return r.loop(s)
}

func constantNumber(e ast.Expr) bool {
	if minus, ok := e.(*ast.UnaryMinusOpExpr); ok {
		e = minus.Expr
	}
	_, ok := e.(*ast.NumberExpr)
	return ok
}

var controlNames = []string{"@f", "@s", "@c"}

func (r *repairer) genericFor(s *ast.GenericForStmt) ast.Stmt {
	r.exprs(s.Exprs)
	s.Stmts = padded(append(r.boxes(s), r.block(s.Stmts)...), s)
	if len(s.Exprs) == 1 && multiple(s.Exprs[0]) {
		return r.loop(s)
	}
	hoist := let(controlNames, s.Exprs, s)
	s.Exprs = nil
	for _, n := range controlNames {
		s.Exprs = append(s.Exprs, name(n, s))
	}
	return r.loopAs(s, position(&ast.DoBlockStmt{Stmts: []ast.Stmt{hoist, s}}, s))
}

func (r *repairer) function(e *ast.FunctionExpr) *ast.FunctionExpr {
	defer r.cover.enter()()
	e.Stmts = append(r.boxes(e), r.block(e.Stmts)...)
	return e
}

func (r *repairer) exprs(list []ast.Expr) {
	for i := range list {
		list[i] = r.expr(list[i])
	}
}

func (r *repairer) expr(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.IdentExpr:
		return r.identifier(e)
	case *ast.AttrGetExpr:
		e.Object = r.expr(e.Object)
		e.Key = r.expr(e.Key)
	case *ast.TableExpr:
		return r.table(e)
	case *ast.FuncCallExpr:
		if e.Func != nil {
			e.Func = r.expr(e.Func)
		} else {
			e.Receiver = r.expr(e.Receiver)
		}
		r.exprs(e.Args)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
		return logical(e)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
		if e.Operator != "==" && e.Operator != "~=" && !brief(e.Lhs) && !brief(e.Rhs) {
			e.Lhs = hiddenCall(hiddenOrder, []ast.Expr{single(e.Lhs)}, e)
		}
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
		if e.Operator == "%" {
			return hiddenCall(hiddenModulo, []ast.Expr{single(e.Lhs), single(e.Rhs)}, e)
		}
	case *ast.StringConcatOpExpr:
		return r.concatenation(e)
	case *ast.UnaryMinusOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = r.expr(e.Expr)
		return negation(e)
	case *ast.UnaryLenOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.FunctionExpr:
		return r.function(e)
	}
	return e
}

func (r *repairer) identifier(e *ast.IdentExpr) ast.Expr {
	v := r.refs[e]
	switch {
	case v == nil && e.Value == "_G":
		return name(hiddenNames[hiddenEnv], e)
	case v != nil && v.boxed():
		return unboxed(e)
	}
	return e
}

// concatArgs is how many operands one call takes: each needs a register.
const concatArgs = 40

// concatenation makes a chain of .. one call. The operator is right-associative,
// which shows only where an operand is no string, and there the hidden function
// keeps to it; a chain longer than concatArgs is folded from the right.
func (r *repairer) concatenation(e *ast.StringConcatOpExpr) ast.Expr {
	like := e
	var operands []ast.Expr
	for {
		operands = append(operands, single(r.expr(e.Lhs)))
		next, ok := e.Rhs.(*ast.StringConcatOpExpr)
		if !ok {
			operands = append(operands, single(r.expr(e.Rhs)))
			break
		}
		e = next
	}
	if len(operands) <= concatArgs {
		return hiddenCall(hiddenConcat, operands, like)
	}
	return r.longConcatenation(operands, like)
}

// longConcatenation folds from the left, so that the number of registers stays
// bounded whatever the length of the chain.
func (r *repairer) longConcatenation(operands []ast.Expr, like ast.PositionHolder) ast.Expr {
	head := hiddenCall(hiddenConcat, operands[:concatArgs:concatArgs], like)
	for rest := operands[concatArgs:]; len(rest) > 0; {
		n := min(len(rest), concatArgs-1)
		head = hiddenCall(hiddenConcat, append([]ast.Expr{head}, rest[:n]...), like)
		rest = rest[n:]
	}
	return head
}

// brief reports whether e cannot be a long string, so that comparing with it is
// quick.
func brief(e ast.Expr) bool {
	switch e.(type) {
	case *ast.NumberExpr, *ast.StringExpr, *ast.ArithmeticOpExpr, *ast.UnaryMinusOpExpr, *ast.UnaryLenOpExpr:
		return true
	}
	return false
}

// single makes a call or ... yield exactly one value.
func single(e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.FuncCallExpr:
		x.AdjustRet = true
	case *ast.Comma3Expr:
		x.AdjustRet = true
	}
	return e
}

// multiple reports whether e may yield any number of values.
func multiple(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.FuncCallExpr:
		return !x.AdjustRet
	case *ast.Comma3Expr:
		return !x.AdjustRet
	}
	return false
}
