package luavm

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// flushSize is how many list items the code generator collects before it
// stores them. It stores the same items again for each keyed field that follows
// directly, from registers that hold something else by then, and an open call
// that follows directly overwrites the list from its start.
const flushSize = 50

// table repairs a constructor, and marks it if it has the marked key.
func (r *repairer) table(e *ast.TableExpr) ast.Expr {
	if r.shared[e] {
		return r.sharedTable(e)
	}
	marked := r.marked != "" && slices.ContainsFunc(e.Fields, func(field *ast.Field) bool {
		key, ok := field.Key.(*ast.StringExpr)
		return ok && key.Value == r.marked
	})
	repaired := r.constructor(e)
	if !marked {
		return repaired
	}
	file := position(&ast.StringExpr{Value: r.file}, e)
	return hiddenCall(hiddenMark, []ast.Expr{repaired, file, number(e.Line(), e)}, e)
}

func (r *repairer) constructor(e *ast.TableExpr) ast.Expr {
	for i, field := range e.Fields {
		if field.Key != nil {
			field.Key = r.key(field.Key)
			field.Value = single(r.expr(field.Value))
			continue
		}
		field.Value = r.expr(field.Value)
		if i < len(e.Fields)-1 {
			field.Value = single(field.Value)
		}
	}
	head, tail := divide(e)
	e.Fields = head
	return r.extend(e, tail)
}

// key repairs a computed key and puts a check around it.
func (r *repairer) key(key ast.Expr) ast.Expr {
	key = single(r.expr(key))
	if harmlessKey(key) {
		return key
	}
	return hiddenCall(hiddenKey, []ast.Expr{key}, key)
}

// divide moves keyed fields that directly follow a full batch of list items to
// before the last of them. Where that would change the order of effects, the
// constructor ends, and what is left is the tail; so it does before an open call
// or ..., whose values are charged for as they are added.
func divide(e *ast.TableExpr) (head, tail []*ast.Field) {
	out := make([]*ast.Field, 0, len(e.Fields))
	items := 0
	boundary := -1 // index in out of the item that filled a batch
	for i, field := range e.Fields {
		switch {
		case field.Key == nil:
			if i == len(e.Fields)-1 && multiple(field.Value) {
				return out, e.Fields[i:]
			}
			boundary = -1
			if items++; items%flushSize == 0 {
				boundary = len(out)
			}
			out = append(out, field)
		case boundary >= 0:
			if !inert(out[boundary].Value) && (!inert(field.Key) || !inert(field.Value)) {
				return out, e.Fields[i:]
			}
			out = slices.Insert(out, boundary, field)
			boundary++
		default:
			out = append(out, field)
		}
	}
	return out, nil
}

const (
	appendArgs  = 40 // each needs a register
	maxSegments = 60 // likewise
)

// extend returns an expression for e with the fields of tail added by calls.
func (r *repairer) extend(e *ast.TableExpr, tail []*ast.Field) ast.Expr {
	items := 0
	for _, field := range e.Fields {
		if field.Key == nil {
			items++
		}
	}
	var result ast.Expr = e
	for segments := 0; len(tail) > 0; segments++ {
		if segments == maxSegments {
			r.fail(e, "put the named fields first", "named fields after %d list items", items)
			return e
		}
		if key := tail[0].Key; key != nil {
			result = hiddenCall(hiddenPair, []ast.Expr{result, key, tail[0].Value}, e)
			tail = tail[1:]
			continue
		}
		args := []ast.Expr{result, number(items, e)}
		for len(tail) > 0 && tail[0].Key == nil && len(args) < appendArgs {
			args = append(args, tail[0].Value)
			items++
			tail = tail[1:]
		}
		result = hiddenCall(hiddenAppend, args, e)
	}
	return result
}

// inert reports whether e has no effect and depends on none, so that the time of
// its evaluation does not matter.
func inert(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		callee, ok := e.Func.(*ast.IdentExpr)
		return ok && callee.Value == hiddenNames[hiddenKey] && inert(e.Args[0])
	case *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr, *ast.StringExpr, *ast.FunctionExpr:
		return true
	}
	return false
}
