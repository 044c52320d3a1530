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
	marked := r.marked != "" && slices.ContainsFunc(e.Fields, func(field *ast.Field) bool {
		key, ok := field.Key.(*ast.StringExpr)
		return ok && key.Value == r.marked
	})
	repaired := r.constructor(e)
	if !marked {
		return repaired
	}
	return hiddenCall(hiddenMark, []ast.Expr{repaired, number(e.Line(), e)}, e)
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
	e.Fields = r.orderFields(e)
	items := 0
	for _, field := range e.Fields {
		if field.Key == nil {
			items++
		}
	}
	last := len(e.Fields) - 1
	if last < 0 || e.Fields[last].Key != nil || !multiple(e.Fields[last].Value) || items == 1 || items%flushSize != 1 {
		return e
	}
	open := e.Fields[last].Value
	e.Fields = e.Fields[:last]
	return hiddenCall(hiddenAppend, []ast.Expr{e, number(items-1, e), open}, e)
}

// key repairs a computed key and puts a check around it.
func (r *repairer) key(key ast.Expr) ast.Expr {
	key = single(r.expr(key))
	if harmlessKey(key) {
		return key
	}
	return hiddenCall(hiddenKey, []ast.Expr{key}, key)
}

// orderFields moves keyed fields that directly follow a full batch of list items
// to before the last of them.
func (r *repairer) orderFields(e *ast.TableExpr) []*ast.Field {
	items, keyed := 0, 0
	for _, field := range e.Fields {
		if field.Key == nil {
			items++
		} else {
			keyed++
		}
	}
	if items < flushSize || keyed == 0 {
		return e.Fields
	}
	out := make([]*ast.Field, 0, len(e.Fields))
	items = 0
	boundary := -1 // index in out of the item that filled a batch
	for _, field := range e.Fields {
		switch {
		case field.Key == nil:
			boundary = -1
			if items++; items%flushSize == 0 {
				boundary = len(out)
			}
			out = append(out, field)
		case boundary >= 0:
			item := out[boundary].Value
			if !inert(item) && !(inert(field.Key) && inert(field.Value)) {
				r.fail(field.Value, "put the named fields first", "named field after %d list items", items)
			}
			out = slices.Insert(out, boundary, field)
			boundary++
		default:
			out = append(out, field)
		}
	}
	return out
}

// inert reports whether e has no effect and depends on none, so that the time of
// its evaluation does not matter.
func inert(e ast.Expr) bool {
	switch e.(type) {
	case *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr, *ast.StringExpr, *ast.FunctionExpr:
		return true
	}
	return false
}
