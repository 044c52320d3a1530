package luavm

import (
	"github.com/yuin/gopher-lua/ast"
)

func (r *repairer) assign(s *ast.AssignStmt) ast.Stmt {
	r.exprs(s.Rhs)
	for i, t := range s.Lhs {
		s.Lhs[i] = r.expr(t) // targets are names and fields, whose repaired form is a name or field
	}
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		return r.assignOne(s)
	}
	return r.assignMany(s)
}

// assignOne assigns one value to one target.
func (r *repairer) assignOne(s *ast.AssignStmt) ast.Stmt {
	switch t := s.Lhs[0].(type) {
	case *ast.IdentExpr:
		if r.refs[t] == nil || straight(s.Rhs[0]) {
			return s
		}
		temp := []string{"@v"}
		return position(&ast.DoBlockStmt{Stmts: []ast.Stmt{
			let(temp, s.Rhs, s),
			position(&ast.AssignStmt{Lhs: s.Lhs, Rhs: []ast.Expr{name(temp[0], s)}}, s),
		}}, s)
	case *ast.AttrGetExpr:
		return store(t, single(s.Rhs[0]), s)
	}
	return s
}

// store assigns to a field: by a plain instruction where the key is known to be
// harmless, else by a call that charges for the growth of the table.
func store(t *ast.AttrGetExpr, value ast.Expr, like ast.PositionHolder) ast.Stmt {
	if harmlessKey(t.Key) {
		return position(&ast.AssignStmt{Lhs: []ast.Expr{t}, Rhs: []ast.Expr{value}}, like)
	}
	call := hiddenCall(hiddenStore, []ast.Expr{t.Object, t.Key, value}, like)
	call.AdjustRet = false
	return position(&ast.FuncCallStmt{Expr: call}, like)
}

// smallIndex is the largest constant index that is stored to without a check.
const smallIndex = 64

// harmlessKey reports whether a store with this key allocates next to nothing.
func harmlessKey(key ast.Expr) bool {
	switch k := key.(type) {
	case *ast.StringExpr:
		return true
	case *ast.NumberExpr:
		n, ok := parseNumeral(k.Value)
		return ok && n <= smallIndex
	}
	return false
}

// straight reports whether the code generator stores e into an existing local
// correctly.
func straight(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr, *ast.StringExpr, *ast.IdentExpr, *ast.FunctionExpr:
		return true
	case *ast.FuncCallExpr:
		return !e.AdjustRet
	case *ast.ArithmeticOpExpr:
		return straight(e.Lhs) && straight(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		return straight(e.Expr)
	case *ast.UnaryLenOpExpr:
		return straight(e.Expr)
	case *ast.AttrGetExpr:
		return straight(e.Object) && straight(e.Key)
	}
	return false
}

// assignMany evaluates all parts of a parallel assignment into fresh locals, in
// order, and then stores from the right as reference Lua does.
func (r *repairer) assignMany(s *ast.AssignStmt) ast.Stmt {
	var out []ast.Stmt
	targets := make([]ast.Expr, len(s.Lhs))
	for i, t := range s.Lhs {
		targets[i] = t
		field, ok := t.(*ast.AttrGetExpr)
		if !ok {
			continue
		}
		object := "@o" + itoa(i)
		out = append(out, let([]string{object}, []ast.Expr{single(field.Object)}, s))
		copied := position(&ast.AttrGetExpr{Object: name(object, s), Key: field.Key}, s)
		if !harmlessKey(field.Key) {
			key := "@k" + itoa(i)
			out = append(out, let([]string{key}, []ast.Expr{single(field.Key)}, s))
			copied.Key = name(key, s)
		}
		targets[i] = copied
	}
	values := make([]string, len(s.Lhs))
	for i := range values {
		values[i] = "@v" + itoa(i)
	}
	out = append(out, let(values, s.Rhs, s))
	for i := len(targets) - 1; i >= 0; i-- {
		value := name(values[i], s)
		if field, ok := targets[i].(*ast.AttrGetExpr); ok {
			out = append(out, store(field, value, s))
		} else {
			out = append(out, position(&ast.AssignStmt{Lhs: targets[i : i+1], Rhs: []ast.Expr{value}}, s))
		}
	}
	return position(&ast.DoBlockStmt{Stmts: out}, s)
}

// local repairs a local declaration; it may become several statements.
func (r *repairer) local(out []ast.Stmt, s *ast.LocalAssignStmt) []ast.Stmt {
	r.exprs(s.Exprs)
	boxes := r.boxes(s)
	if r.isFunc[s] {
		return r.localFunction(out, s, len(boxes) > 0)
	}
	if len(s.Names) == 1 && len(s.Exprs) == 1 {
		if _, ok := s.Exprs[0].(*ast.FunctionExpr); ok { // keep it apart from "local function"
			s.Exprs = append(s.Exprs, position(&ast.NilExpr{}, s))
		}
	}
	return append(append(out, s), boxes...)
}

// localFunction declares a function that sees itself.
func (r *repairer) localFunction(out []ast.Stmt, s *ast.LocalAssignStmt, boxed bool) []ast.Stmt {
	if !boxed {
		return append(out, s)
	}
	empty := position(&ast.TableExpr{}, s)
	self := unboxed(name(s.Names[0], s)).(*ast.AttrGetExpr)
	return append(out, let(s.Names, []ast.Expr{empty}, s), store(self, s.Exprs[0], s))
}

func (r *repairer) functionStmt(s *ast.FuncDefStmt) ast.Stmt {
	r.function(s.Func)
	if s.Name.Func != nil {
		s.Name.Func = r.expr(s.Name.Func)
	} else {
		s.Name.Receiver = r.expr(s.Name.Receiver)
	}
	return s
}
