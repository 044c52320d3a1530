package luavm

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

func (f *facts) stmts(chunk []ast.Stmt) {
	for i, s := range chunk {
		if f.fault != nil {
			return
		}
		if label, ok := s.(*ast.LabelStmt); ok {
			f.label(label, onlyLabels(chunk[i:]))
			continue
		}
		f.stmt(s)
	}
}

func onlyLabels(chunk []ast.Stmt) bool {
	for _, s := range chunk {
		if _, ok := s.(*ast.LabelStmt); !ok {
			return false
		}
	}
	return true
}

func (f *facts) blockOf(chunk []ast.Stmt) {
	f.openBlock(false)
	f.stmts(chunk)
	f.closeBlock()
}

// loopBody walks the body of a loop; declare adds the loop's variables to it and
// after sees its scope.
func (f *facts) loopBody(s ast.Stmt, chunk []ast.Stmt, declare, after func()) {
	f.openBlock(true)
	f.loops = append(f.loops, loop{s, f.function.block})
	if declare != nil {
		declare()
	}
	f.stmts(chunk)
	if after != nil {
		after()
	}
	f.loops = f.loops[:len(f.loops)-1]
	f.closeBlock()
}

func (f *facts) stmt(s ast.Stmt) {
	if !f.enter(s) {
		return
	}
	defer f.leave()
	switch s := s.(type) {
	case *ast.AssignStmt:
		f.assign(s)
	case *ast.LocalAssignStmt:
		f.local(s)
	case *ast.FuncCallStmt:
		f.expr(s.Expr)
	case *ast.DoBlockStmt:
		f.blockOf(s.Stmts)
	case *ast.WhileStmt:
		f.expr(s.Condition)
		f.loopBody(s, s.Stmts, nil, nil)
	case *ast.RepeatStmt:
		f.loopBody(s, s.Stmts, nil, func() { f.expr(s.Condition) })
	case *ast.IfStmt:
		f.expr(s.Condition)
		f.blockOf(s.Then)
		f.blockOf(s.Else)
	case *ast.NumberForStmt:
		f.numberFor(s)
	case *ast.GenericForStmt:
		f.exprs(s.Exprs)
		f.loopBody(s, s.Stmts, func() { f.declare(s, s.Names...) }, nil)
	case *ast.FuncDefStmt:
		f.functionStmt(s)
	case *ast.ReturnStmt:
		f.exprs(s.Exprs)
	case *ast.BreakStmt:
		f.breakStmt(s)
	case *ast.GotoStmt:
		f.gotoStmt(s)
	}
}

func (f *facts) assign(s *ast.AssignStmt) {
	for i, target := range s.Lhs { // in the order of the source, see localForms
		var value ast.Expr
		if i < len(s.Rhs) {
			value = s.Rhs[i]
		}
		f.target(target, value)
	}
	f.exprs(s.Rhs)
}

// target walks an expression that is assigned to; value may be nil if unknown.
func (f *facts) target(target, value ast.Expr) {
	switch t := target.(type) {
	case *ast.IdentExpr:
		v := f.lookup(t, t.Value)
		if v == nil {
			f.constant(t, "s"+t.Value)
			f.globalWrite(t)
			return
		}
		f.refs[t] = v
		v.assigned = true
		f.noteAssignment(v, value)
	case *ast.AttrGetExpr:
		f.attribute(t)
		f.noteStore(t.Object)
		f.noteIndexStore(t.Object)
	}
}

func (f *facts) globalWrite(t *ast.IdentExpr) {
	if t.Value == "arg" && f.function.vararg {
		f.fail(t, "choose another name", "'arg' cannot be a global in a function with ...")
	}
	f.writes[t.Value] = true
	f.noteGlobalWrite()
}

func (f *facts) local(s *ast.LocalAssignStmt) {
	isFunction := len(f.locals) > 0 && f.locals[0]
	if len(f.locals) > 0 {
		f.locals = f.locals[1:]
	}
	f.isFunc[s] = isFunction
	if isFunction {
		f.declare(s, s.Names...)
		f.exprs(s.Exprs)
		return
	}
	for _, e := range s.Exprs {
		f.quietly(f.mutates(e), func() { f.expr(e) })
	}
	for i, v := range f.declare(s, s.Names...) {
		f.noteDeclaration(v, s.Exprs, i)
		if i < len(s.Exprs) {
			f.noteConstant(v, s.Exprs[i])
		}
	}
}

func (f *facts) numberFor(s *ast.NumberForStmt) {
	f.expr(s.Init)
	f.expr(s.Limit)
	if s.Step != nil {
		f.expr(s.Step)
		if n, ok := s.Step.(*ast.NumberExpr); ok && n.Value == "0" {
			f.fail(s, "", "the step of a for loop is zero")
		}
	}
	f.loopBody(s, s.Stmts, func() { f.declare(s, s.Name) }, nil)
}

func (f *facts) functionStmt(s *ast.FuncDefStmt) {
	if s.Name.Func != nil {
		f.target(s.Name.Func, s.Func)
		f.functionExpr(s.Func, false)
		return
	}
	f.expr(s.Name.Receiver)
	f.constant(s.Name.Receiver, "s"+s.Name.Method)
	f.noteStore(s.Name.Receiver)
	f.functionExpr(s.Func, true)
}

func (f *facts) functionExpr(e *ast.FunctionExpr, method bool) {
	f.enterFunction(e, e.ParList.HasVargs)
	loops := f.loops
	f.loops = nil
	names := e.ParList.Names
	if method {
		names = append([]string{"self"}, names...)
	}
	f.declare(e, names...)
	f.stmts(e.Stmts)
	f.loops = loops
	f.leaveFunction()
}

// breakStmt finds out whether a break leaves a block within the loop whose
// variables were captured: gopher-lua's own break would leave them open.
func (f *facts) breakStmt(s *ast.BreakStmt) {
	if len(f.loops) == 0 {
		f.fail(s, "", "break outside of a loop")
		return
	}
	innermost := f.loops[len(f.loops)-1]
	for b := f.function.block; b != innermost.block; b = b.outer {
		if len(b.vars) > 0 {
			f.breaks[s] = innermost.stmt
			return
		}
	}
}

func (f *facts) exprs(list []ast.Expr) {
	for _, e := range list {
		f.expr(e)
	}
}

func (f *facts) expr(e ast.Expr) {
	if e == nil || !f.enter(e) {
		return
	}
	defer f.leave()
	switch e := e.(type) {
	case *ast.NumberExpr:
		f.numeral(e)
	case *ast.StringExpr:
		f.constant(e, "s"+e.Value)
	case *ast.Comma3Expr:
		if !f.function.vararg {
			f.fail(e, "", "cannot use ... outside of a function with ...")
		}
	case *ast.IdentExpr:
		f.identifier(e)
	case *ast.AttrGetExpr:
		f.attribute(e)
	case *ast.TableExpr:
		f.table(e)
	case *ast.FuncCallExpr:
		f.call(e)
	case *ast.LogicalOpExpr:
		f.pair(e.Lhs, e.Rhs)
	case *ast.RelationalOpExpr:
		f.pair(e.Lhs, e.Rhs)
	case *ast.ArithmeticOpExpr:
		f.pair(e.Lhs, e.Rhs)
	case *ast.StringConcatOpExpr:
		f.concatenation(e)
	case *ast.UnaryMinusOpExpr:
		f.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		f.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		f.read(e.Expr)
	case *ast.FunctionExpr:
		f.functionExpr(e, false)
	}
}

func (f *facts) pair(a, b ast.Expr) {
	f.expr(a)
	f.expr(b)
}

// concatenation walks a chain of .. without going deeper for each operand.
func (f *facts) concatenation(e *ast.StringConcatOpExpr) {
	for operands := 2; ; operands++ {
		if operands > maxOperands {
			f.fail(e, "use table.concat", "more than %d operands in one concatenation", maxOperands)
			return
		}
		f.expr(e.Lhs)
		next, ok := e.Rhs.(*ast.StringConcatOpExpr)
		if !ok {
			f.expr(e.Rhs)
			return
		}
		e = next
	}
}

// numeral gives a number the spelling that the code generator reads right.
func (f *facts) numeral(e *ast.NumberExpr) {
	n, ok := parseNumeral(e.Value)
	if !ok {
		f.fail(e, "", "malformed number '%s'", shorten(e.Value))
		return
	}
	e.Value = treeNumber(n)
	f.constant(e, "n"+e.Value)
}

func (f *facts) identifier(e *ast.IdentExpr) {
	if v := f.lookup(e, e.Value); v != nil {
		f.refs[e] = v
		f.noteUse(v, e)
		if v.mutator && !f.quiet {
			f.notReusable()
		}
		return
	}
	if e.Value == "arg" && f.function.vararg { // the code generator would make it a table
		f.fail(e, absentNames["arg"], "'arg' is not available in scripts")
	}
	f.constant(e, "s"+e.Value)
	if _, ok := f.reads[e.Value]; !ok {
		f.reads[e.Value] = e.Line()
	}
	f.noteGlobalRead(e.Value)
}

func (f *facts) attribute(e *ast.AttrGetExpr) {
	if !f.noteLibrary(e) {
		f.read(e.Object)
	}
	f.expr(e.Key)
	if key, ok := e.Key.(*ast.StringExpr); ok {
		note(f.indexed, indexKey{e.Line(), key.Value}, spell(e.Object))
	}
}

func (f *facts) table(e *ast.TableExpr) {
	items := 0
	for _, field := range e.Fields {
		if field.Key == nil {
			items++
		}
		f.expr(field.Key)
		f.expr(field.Value)
	}
	if items > maxListItems {
		f.fail(e, "split the list", "more than %d items in one table constructor", maxListItems)
	}
}

func (f *facts) call(e *ast.FuncCallExpr) {
	text := ""
	if e.Func != nil {
		text = spell(e.Func)
		if !f.noteCall(e) {
			f.expr(e.Func)
		}
	} else {
		f.expr(e.Receiver)
		f.constant(e, "s"+e.Method)
		if f.mutators[e.Method] && !f.inMain() {
			f.notReusable()
		}
		if text = spell(e.Receiver); text != "" {
			note(f.indexed, indexKey{e.Line(), e.Method}, text)
			text += ":" + e.Method
		}
	}
	note(f.callees, e.Line(), text)
	f.exprs(e.Args)
}

// maxNoted is how many spellings are kept for one place; of more, no message
// could say which is meant.
const maxNoted = 8

// note keeps how the source spells something, for messages.
func note[K comparable](notes map[K][]string, at K, text string) {
	if known := notes[at]; text != "" && len(known) < maxNoted && !slices.Contains(known, text) {
		notes[at] = append(known, text)
	}
}

const maxSpelt = 8 // parts of a name in messages

// spell returns how the source names e, or "" if that is not a plain path.
func spell(e ast.Expr) string { return spellPart(e, maxSpelt) }

func spellPart(e ast.Expr, parts int) string {
	if parts == 0 {
		return ""
	}
	switch e := e.(type) {
	case *ast.IdentExpr:
		return e.Value
	case *ast.AttrGetExpr:
		key, ok := e.Key.(*ast.StringExpr)
		if object := spellPart(e.Object, parts-1); ok && object != "" {
			return object + "." + key.Value
		}
	}
	return ""
}
