package lint

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// checkAnswers looks at what handlers return, and at answers that nobody returns.
func (c *checker) checkAnswers() {
	seen := map[*tree.Function][]string{}
	for _, r := range c.regs {
		if r.handler != nil && r.point != nil {
			c.checkReturns(r.handler, r.point, seen)
		}
	}
	c.walk(func(n tree.Node) {
		s, ok := n.(*tree.CallStmt)
		if !ok {
			return
		}
		lib, name, _ := c.callee(s.Call)
		if lib != "dsh" || name != "with" && !slices.Contains(c.tags(), tagOf(name)) {
			return
		}
		var fix []Edit
		if block, ok := c.parents[s].(*tree.Block); ok && block.Stmts[len(block.Stmts)-1] == tree.Stmt(s) && c.functionOf(s) != c.file.Main {
			fix = []Edit{insert(s.Pos(), "return ")}
		}
		c.add("unused-answer", s, "the answer is built and dropped: it decides nothing", "write return "+c.file.Text(s.Call.Fun)+" …", fix...)
	})
}

// checkReturns looks at the returns of a function whose result is the answer of a
// handler at p.
func (c *checker) checkReturns(f *tree.Function, p point.Point, seen map[*tree.Function][]string) {
	if slices.Contains(seen[f], p.Name()) {
		return
	}
	seen[f] = append(seen[f], p.Name())
	for _, r := range returns(f) {
		if len(r.Values) == 0 {
			continue
		}
		if call, ok := r.Values[0].(*tree.Call); ok && len(r.Values) == 1 {
			if helper := c.functionIs(call.Fun); helper != nil && call.Method == nil {
				c.checkReturns(helper, p, seen)
				continue
			}
		}
		c.checkReturn(r, p)
	}
}

// returns lists the returns of a function, without those of functions in it.
func returns(f *tree.Function) (list []*tree.Return) {
	tree.Walk(f.Body, func(n tree.Node) bool {
		if r, ok := n.(*tree.Return); ok {
			list = append(list, r)
		}
		_, inner := n.(*tree.Function)
		return !inner
	})
	return list
}

func (c *checker) checkReturn(r *tree.Return, p point.Point) {
	value := r.Values[0]
	t := c.typeOf(value)
	switch {
	case p.Kind() == point.NotificationKind:
		if !isConst(value, "nil") {
			c.add("invalid-answer", r, "a handler of a notification returns nothing", p.Name()+" asks nobody; act through live or the state")
		}
		return
	case len(r.Values) > 1:
		c.add("invalid-answer", r, "the handler returns several values; an answer is one table", "")
		return
	case t.sort != nilValue && t.sort != tableValue && int(t.sort) < len(sortNames) && sortNames[t.sort] != "":
		c.add("invalid-answer", value, "an answer is a table, got "+sortNames[t.sort], "return nothing to have no opinion")
		return
	case t.sort == data && t.point == p && t.data == p.Payload() && t.owner == "":
		c.add("invalid-answer", value, "the payload is no answer", "return nothing to have no opinion")
		return
	}
	c.checkBoolAnd(value)
	c.checkKind(value, t, p)
}

// checkBoolAnd finds return a == b and dsh.deny(…), which is false where it should
// be nothing.
func (c *checker) checkBoolAnd(value tree.Expr) {
	b, ok := tree.Bare(value).(*tree.Binary)
	if !ok || b.Op != "and" || c.typeOf(b.Left).sort != boolValue {
		return
	}
	c.add("false-answer", value, "this is false where the condition is, and false is no answer", "write … or nil", insert(value.End(), " or nil"))
}

// checkKind holds the kind of an answer against those of the point.
func (c *checker) checkKind(value tree.Expr, t typ, p point.Point) {
	table, literalTable := tree.Bare(value).(*tree.Table)
	if literalTable && t.sort == tableValue {
		if kind := item(table, schema.TagField); kind == nil {
			c.add("unknown-kind", table, "an answer needs its kind", "it is one of "+names(p.Tags())+"; dsh."+constructorOf(p.Tags()[0])+" makes one")
		}
		return
	}
	if t.sort != answer {
		return
	}
	if !slices.Contains(p.Tags(), t.name) {
		hint := schema.Hint(t.name, p.Tags())
		if hint == "" {
			hint = "it has " + names(p.Tags())
		}
		c.add("unknown-kind", value, "no answer of "+p.Name()+" is of kind "+quote(t.name), hint)
		return
	}
	if literalTable {
		if v, ok := p.Decision().Variant(t.name); ok {
			c.checkFields(table, []*schema.Type{v.Type()}, "answer")
		}
	}
}
