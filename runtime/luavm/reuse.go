package luavm

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// This file proves that an instance may be reused. The main chunk runs once per
// instance and may do what it likes; a function within it is called run after
// run, so it must not assign a variable of an outer function or a global, nor
// store into a table that it has not itself just created. Whatever is not
// understood counts as a change.

// baseMutators change the table given as first argument.
var baseMutators = []string{"rawset", "setmetatable", "table.insert", "table.remove", "table.sort"}

// mutatorNames holds base mutators by their full name and those of the host by
// their last part, because a module may go by any name in a script.
func mutatorNames(opts CompileOptions) map[string]bool {
	names := map[string]bool{}
	for _, name := range baseMutators {
		names[name] = true
	}
	for _, name := range opts.Mutators {
		names[name[strings.LastIndexAny(name, ".:")+1:]] = true
	}
	return names
}

func (f *facts) inMain() bool { return f.function.outer == nil }

func (f *facts) notReusable() { f.reusable = false }

// quietly runs walk; with quiet set, what it reads is accounted for elsewhere.
func (f *facts) quietly(quiet bool, walk func()) {
	before := f.quiet
	f.quiet = quiet
	walk()
	f.quiet = before
}

func (f *facts) noteGlobalWrite() {
	if !f.inMain() {
		f.notReusable()
	}
}

// noteGlobalRead looks at the use of a global as a plain value: from then on a
// mutator, or all of them, could be called under another name.
func (f *facts) noteGlobalRead(name string) {
	if !f.quiet && (name == "_G" || name == "table" || f.mutators[name]) {
		f.notReusable()
	}
}

func (f *facts) noteDeclaration(v *variable, exprs []ast.Expr, i int) {
	switch {
	case i < len(exprs):
		_, v.fresh = exprs[i].(*ast.TableExpr)
		v.mutator = f.mutates(exprs[i])
	case len(exprs) > 0 && multiple(exprs[len(exprs)-1]):
	default:
		v.fresh = true // nil: nothing to store into
	}
}

func (f *facts) noteAssignment(v *variable, value ast.Expr) {
	if v.function != f.function {
		f.notReusable()
	}
	if _, table := value.(*ast.TableExpr); !table {
		v.fresh = false
	}
	if v.mutator { // it may hold something else from now on: nothing is known of its calls
		f.notReusable()
	}
}

// noteStore looks at a store into object.
func (f *facts) noteStore(object ast.Expr) {
	if f.inMain() {
		return
	}
	ident, _ := object.(*ast.IdentExpr)
	v := f.refs[ident]
	if v == nil || v.function != f.function {
		f.notReusable()
		return
	}
	f.stores = append(f.stores, v)
}

// judgeStores decides, when all assignments are known.
func (f *facts) judgeStores() {
	for _, v := range f.stores {
		if !v.fresh {
			f.notReusable()
		}
	}
}

// mutates reports whether e names a function that changes its first argument.
func (f *facts) mutates(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.IdentExpr:
		v := f.lookup(e, e.Value)
		if v != nil {
			return v.mutator
		}
		return f.mutators[e.Value]
	case *ast.AttrGetExpr:
		key, ok := e.Key.(*ast.StringExpr)
		return ok && (f.mutators[spell(e)] || f.mutators[key.Value])
	}
	return false
}

// noteLibrary walks the object of a field access, if the field is one of the
// table library's or a mutator. A mutator that is not called on the spot, or
// kept in a local of its own, could be called with anything.
func (f *facts) noteLibrary(e *ast.AttrGetExpr) bool {
	root, ok := e.Object.(*ast.IdentExpr)
	mutates := f.mutates(e)
	if mutates && !f.quiet {
		f.notReusable()
	}
	if !ok || root.Value != "table" {
		return false
	}
	if _, constant := e.Key.(*ast.StringExpr); !constant {
		return false
	}
	f.quietly(true, func() { f.expr(root) })
	return true
}

// noteCall walks the callee of a call of a mutator.
func (f *facts) noteCall(e *ast.FuncCallExpr) bool {
	if !f.mutates(e.Func) {
		return false
	}
	f.quietly(true, func() { f.expr(e.Func) })
	if f.inMain() {
		return true
	}
	if spell(e.Func) == "setmetatable" || len(e.Args) == 0 {
		f.notReusable()
		return true
	}
	if ident, ok := e.Args[0].(*ast.IdentExpr); ok {
		f.expr(ident) // resolves it; the walk over the arguments does so again, to no harm
		f.noteStore(ident)
	} else {
		f.notReusable()
	}
	return true
}
