package luavm

import (
	"github.com/yuin/gopher-lua/ast"
)

// The code generator shortens jumps to jumps after it has placed them. Where a
// jump leads backwards to another jump it takes that one's distance, which is
// already in place, for the number of a label, and jumps anywhere. So no jump may
// stand where a backward jump leads: at the start of a loop or behind a label. A
// statement that might begin with one gets an instruction in front.

// padded returns body such that its first instruction is no jump.
func padded(body []ast.Stmt, like ast.PositionHolder) []ast.Stmt {
	if own := uncounted(body); len(own) > 0 && beginsWell(own[0]) {
		return body
	}
	return append([]ast.Stmt{pad(like)}, body...)
}

func pad(like ast.PositionHolder) ast.Stmt {
	nothing := let([]string{"@pad"}, []ast.Expr{position(&ast.NilExpr{}, like)}, like)
	return position(&ast.DoBlockStmt{Stmts: []ast.Stmt{nothing}}, like)
}

// padLabels puts the instruction behind labels that others than labels follow.
func padLabels(stmts []ast.Stmt) []ast.Stmt {
	for i, s := range stmts {
		label, ok := s.(*ast.LabelStmt)
		if !ok || onlyLabels(stmts[i:]) || beginsWell(uncounted(stmts[i+1:])[0]) {
			continue
		}
		out := append([]ast.Stmt{}, stmts[:i+1]...)
		out = append(out, pad(label))
		return append(out, padLabels(stmts[i+1:])...)
	}
	return stmts
}

// beginsWell reports whether the code of s is sure to begin with another
// instruction than a jump.
func beginsWell(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.LocalAssignStmt:
		return len(s.Exprs) == 0 || evaluates(s.Exprs[0])
	case *ast.AssignStmt:
		if t, ok := s.Lhs[0].(*ast.AttrGetExpr); ok && (!evaluates(t.Object) || !evaluates(t.Key)) {
			return false
		}
		return len(s.Rhs) > 0 && evaluates(s.Rhs[0])
	case *ast.FuncCallStmt:
		return evaluates(s.Expr)
	case *ast.DoBlockStmt:
		own := uncounted(s.Stmts)
		return len(own) > 0 && beginsWell(own[0])
	case *ast.NumberForStmt:
		return evaluates(s.Init)
	case *ast.GenericForStmt:
		return evaluates(s.Exprs[0])
	case *ast.FuncDefStmt:
		return true
	case *ast.IfStmt:
		return decides(s.Condition)
	}
	return false
}

// evaluates reports whether the code for the value of e, or what of it the
// generator folds into a later instruction, begins with no jump.
func evaluates(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.LogicalOpExpr:
		return decides(e.Lhs)
	case *ast.RelationalOpExpr:
		return evaluates(e.Lhs) && evaluates(e.Rhs)
	case *ast.ArithmeticOpExpr:
		return evaluates(e.Lhs) && evaluates(e.Rhs)
	case *ast.AttrGetExpr:
		return evaluates(e.Object) && evaluates(e.Key)
	case *ast.FuncCallExpr:
		if e.Func != nil {
			return evaluates(e.Func)
		}
		return evaluates(e.Receiver)
	case *ast.UnaryNotOpExpr:
		return evaluates(e.Expr)
	case *ast.UnaryMinusOpExpr:
		return evaluates(e.Expr)
	case *ast.UnaryLenOpExpr:
		return evaluates(e.Expr)
	}
	return true
}

// decides is evaluates for an expression of which only the truth is used.
func decides(e ast.Expr) bool {
	if _, known := truth(e); known {
		return false
	}
	if not, ok := e.(*ast.UnaryNotOpExpr); ok {
		return decides(not.Expr)
	}
	return evaluates(e)
}

// truth returns the truth of a constant.
func truth(e ast.Expr) (value, known bool) {
	switch e.(type) {
	case *ast.FalseExpr, *ast.NilExpr:
		return false, true
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr:
		return true, true
	}
	return false, false
}

// logical decides what constants decide, so that no jump is left of it: code
// for the left operand always evaluates something.
func logical(e *ast.LogicalOpExpr) ast.Expr {
	left, known := truth(e.Lhs)
	switch {
	case !known:
		return e
	case left == (e.Operator == "and"):
		return single(e.Rhs)
	}
	return e.Lhs
}

func negation(e *ast.UnaryNotOpExpr) ast.Expr {
	v, known := truth(e.Expr)
	switch {
	case !known:
		return e
	case v:
		return position(&ast.FalseExpr{}, e)
	}
	return position(&ast.TrueExpr{}, e)
}
