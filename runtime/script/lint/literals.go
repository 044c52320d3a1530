package lint

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// luaTypes are what type returns.
var luaTypes = []string{"nil", "boolean", "number", "string", "table", "function", "userdata"}

// checkLiterals looks at comparisons with a text that the other side never is.
func (c *checker) checkLiterals() {
	c.walk(func(n tree.Node) {
		b, ok := n.(*tree.Binary)
		if !ok || b.Op != "==" && b.Op != "~=" {
			return
		}
		for _, sides := range [][2]tree.Expr{{b.Left, b.Right}, {b.Right, b.Left}} {
			if s, ok := literal(sides[1]); ok {
				c.checkLiteral(sides[0], s)
			} else if t := c.typeOf(sides[1]); t.sort == numberValue || t.sort == boolValue {
				c.checkSorts(sides[0], sides[1], t)
			}
		}
	})
}

func (c *checker) checkLiteral(e tree.Expr, s *tree.String) {
	if call, ok := tree.Bare(e).(*tree.Call); ok && call.Method == nil && global(call.Fun, "type") {
		if !slices.Contains(luaTypes, s.Value) {
			c.add("unknown-value", s, "type never returns "+quote(s.Value), schema.Hint(s.Value, luaTypes))
		}
		return
	}
	if u, ok := tree.Bare(e).(*tree.Unary); ok && u.Op == "not" {
		return // reported as a slip of precedence
	}
	t := c.typeOf(e)
	switch {
	case t.isTag():
		c.checkTag(t, s)
	case t.sort != data:
		if t.sort == numberValue || t.sort == boolValue {
			c.add("never-equal", s, sortNames[t.sort]+" is never equal to a text", "")
		}
	case t.data.Values() != nil:
		if !slices.Contains(t.data.Values(), s.Value) {
			c.add("unknown-value", s, t.field+" is never "+quote(s.Value), hintOr(schema.Hint(s.Value, t.data.Values()), "it is one of "+names(t.data.Values())))
		}
	case t.field == string(point.FilterTool):
		c.checkTool(s)
	case t.owner == clientOwner && t.field == clientField:
		c.checkClient(s)
	case t.data.Kind() == schema.Number || t.data.Kind() == schema.Integer || t.data.Kind() == schema.Bool:
		c.add("never-equal", s, t.field+" is "+t.data.Describe()+", never equal to a text", "")
	case t.data.TakesText():
	case t.data.Kind() == schema.List || t.data.Kind() == schema.Object || t.data.Kind() == schema.Union:
		c.add("never-equal", s, t.field+" is a table, never equal to a text", "")
	}
}

// Where a payload says which client it comes from.
const (
	clientOwner = "session.Ref"
	clientField = "client"
)

func (c *checker) checkClient(s *tree.String) {
	var list []string
	for _, h := range c.opts.Hosts {
		list = append(list, h.Name)
	}
	if len(list) > 0 && !slices.Contains(list, s.Value) {
		c.add("unknown-value", s, "no client is called "+quote(s.Value), hintOr(schema.Hint(s.Value, list), "it is one of "+names(list)))
	}
}

func hintOr(hint, otherwise string) string {
	if hint == "" {
		return otherwise
	}
	return hint
}

// checkTag holds a kind against those that a union has, and that the filter lets
// through.
func (c *checker) checkTag(t typ, s *tree.String) {
	var tags []string
	for _, v := range t.data.Variants() {
		tags = append(tags, v.Tag())
	}
	switch {
	case !slices.Contains(tags, s.Value):
		c.add("unknown-value", s, "no "+t.data.Name()+" is of kind "+quote(s.Value), hintOr(schema.Hint(s.Value, tags), "it is one of "+names(tags)))
	case t.kinds != "" && !slices.Contains(fields(t.kinds), s.Value):
		c.add("other-kind", s, "the filter lets nothing of kind "+quote(s.Value)+" through", "")
	}
}

func (c *checker) checkSorts(e, other tree.Expr, t typ) {
	left := c.typeOf(e)
	text := left.isText() && (left.sort != data || left.isTag() || left.data.Kind() == schema.String)
	if text && left.sort != stringValue {
		c.add("never-equal", other, left.field+" is a text, never equal to "+sortNames[t.sort], "")
	}
}

// checkTables looks at table constructors.
func (c *checker) checkTables() {
	c.walk(func(n tree.Node) {
		t, ok := n.(*tree.Table)
		if !ok {
			return
		}
		seen := map[string]bool{}
		for _, i := range t.Items {
			if i.Key == nil {
				continue
			}
			key, ok := literal(i.Key)
			if !ok {
				continue
			}
			if seen[key.Value] {
				c.add("duplicate-key", key, "the table has "+quote(key.Value)+" already; the last one counts", "")
			}
			seen[key.Value] = true
		}
	})
}
