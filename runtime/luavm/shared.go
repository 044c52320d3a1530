package luavm

import (
	"strconv"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// Each instance runs the main chunk anew, each call a function, and the tables of
// the machine are slow to fill. This file finds those that need be made only once in
// a VM, since nothing can tell: they hold constants alone, stand in a local, and nothing is done
// with that but to index it for reading, to take its length, and to assign it. So no
// reference leaves the local, and nothing can change the table, whatever the names
// of the library have come to mean.

// noteConstant looks at the declaration of v as e.
func (f *facts) noteConstant(v *variable, e ast.Expr) {
	if table, ok := e.(*ast.TableExpr); ok && f.constantTable(table) {
		v.constant = table
		f.constantVars = append(f.constantVars, v)
	}
}

// constantTable reports whether e holds nothing but constants, under names or in
// order.
func (f *facts) constantTable(e *ast.TableExpr) bool {
	for _, field := range e.Fields {
		key, named := field.Key.(*ast.StringExpr)
		switch {
		case field.Key != nil && !named:
			return false
		case named && f.marked != "" && key.Value == f.marked:
			return false
		case constantOf(field.Value) == nil:
			return false
		}
	}
	return len(e.Fields) > 0
}

// constantOf returns the value of e if that is a constant, else nil.
func constantOf(e ast.Expr) lua.LValue {
	switch e := e.(type) {
	case *ast.StringExpr:
		return lua.LString(e.Value)
	case *ast.TrueExpr:
		return lua.LTrue
	case *ast.FalseExpr:
		return lua.LFalse
	case *ast.NumberExpr:
		if n, err := strconv.ParseFloat(e.Value, 64); err == nil {
			return lua.LNumber(n)
		}
	}
	return nil
}

// read walks an operand that is only read from.
func (f *facts) read(e ast.Expr) {
	f.onlyRead, _ = e.(*ast.IdentExpr)
	f.expr(e)
}

// noteUse looks at a use of v.
func (f *facts) noteUse(v *variable, e *ast.IdentExpr) {
	if e != f.onlyRead {
		v.leaks = true
	}
}

// noteIndexStore looks at a store into a field of object.
func (f *facts) noteIndexStore(object ast.Expr) {
	if ident, ok := object.(*ast.IdentExpr); ok && f.refs[ident] != nil {
		f.refs[ident].leaks = true
	}
}

// judgeConstants decides, when all uses are known.
func (f *facts) judgeConstants() {
	for _, v := range f.constantVars {
		if !v.leaks {
			f.shared[v.constant] = true
		}
	}
}

// sharedTable returns the expression for a table that instances share.
func (r *repairer) sharedTable(e *ast.TableExpr) ast.Expr {
	r.sharedTables = append(r.sharedTables, e)
	object := name(hiddenNames[hiddenShared], e)
	return position(&ast.AttrGetExpr{Object: object, Key: number(len(r.sharedTables), e)}, e)
}

// longestShared returns the length of the longest string in tables.
func longestShared(tables []*ast.TableExpr) (longest int) {
	for _, table := range tables {
		for _, field := range table.Fields {
			for _, e := range []ast.Expr{field.Key, field.Value} {
				if s, ok := e.(*ast.StringExpr); ok {
					longest = max(longest, len(s.Value))
				}
			}
		}
	}
	return longest
}

// sharedBy returns the tables that the instances of p in this VM share, as a list
// in an upvalue. They are made before the first instance runs: to make one when it
// is asked for would take a call then, which near the limit of calls the first
// instance had to do without.
func (vm *VM) sharedBy(p *Program) *lua.Upvalue {
	up := vm.shared[p]
	if up == nil {
		up = new(lua.Upvalue)
		up.SetValue(vm.constants(p.shared))
		if vm.shared == nil {
			vm.shared = map[*Program]*lua.Upvalue{}
		}
		vm.shared[p] = up
	}
	return up
}

func (vm *VM) constants(tables []*ast.TableExpr) *lua.LTable {
	list := vm.state.CreateTable(len(tables), 0)
	for i, e := range tables {
		t := vm.state.CreateTable(0, len(e.Fields))
		items := 0
		for _, field := range e.Fields {
			if key, named := field.Key.(*ast.StringExpr); named {
				t.RawSetString(key.Value, constantOf(field.Value))
				continue
			}
			items++
			t.RawSetInt(items, constantOf(field.Value))
		}
		list.RawSetInt(i+1, t)
	}
	return list
}
