package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// checkCalls holds calls against what is declared of their functions.
func (c *checker) checkCalls() {
	c.walk(func(n tree.Node) {
		call, ok := n.(*tree.Call)
		if !ok {
			return
		}
		if f, ok := c.moduleFunction(call); ok {
			c.checkArguments(call, f)
		}
		switch lib, name, _ := c.callee(call); {
		case lib == "dsh" && slices.Contains(c.tags(), tagOf(name)):
			c.checkConstructor(call, name)
		case lib == "dsh" && name == "log" && len(call.Args) == 1:
			if t := c.typeOf(call.Args[0]); t.sort == tableValue || t.sort == numberValue || t.sort == boolValue || t.sort == nilValue {
				c.add("wrong-argument", call.Args[0], "dsh.log takes one text, got "+sortNames[t.sort], "tostring makes one")
			}
		case lib == "" && (name == "pcall" || name == "xpcall") && len(call.Args) > 0 && c.typeOf(call.Args[0]).sort == nextFunc && c.typeOf(call.Args[0]).point.MaxNext() == 1:
			c.add("caught-next", call, "a fault behind next cannot be caught: the run fails whatever this handler answers", "call next()")
		}
	})
}

// literalSorts say which sorts fit a declared type.
var literalSorts = []struct {
	want string
	fits []sort
}{
	{"string", []sort{stringValue, data}},
	{"boolean", []sort{boolValue, data}},
	{"number", []sort{numberValue, data}},
	{"integer", []sort{numberValue, data}},
	{"table", []sort{tableValue, answer, data, classList, class}},
	{"function", []sort{funcValue, function, nextFunc}},
}

func (c *checker) checkArguments(call *tree.Call, f stdlib.Function) {
	open := len(f.Params) > 0 && f.Params[len(f.Params)-1].Name == "..."
	spread := len(call.Args) > 0 && multiple(call.Args[len(call.Args)-1])
	if len(call.Args) > len(f.Params) && !open {
		c.add("wrong-argument", call.Args[len(f.Params)], fmt.Sprintf("%s takes %d arguments, got %d", f.Name, len(f.Params), len(call.Args)), signature(f))
		return
	}
	for i, p := range f.Params {
		name, optional := strings.CutSuffix(p.Name, "?")
		switch {
		case p.Name == "...":
			return
		case i >= len(call.Args):
			if !optional && !spread {
				c.add("wrong-argument", call, f.Name+": the argument "+name+" is missing", signature(f))
				return
			}
		default:
			c.checkArgument(call.Args[i], f, p, optional)
		}
	}
}

func (c *checker) checkArgument(arg tree.Expr, f stdlib.Function, p stdlib.Field, optional bool) {
	t := c.typeOf(arg)
	if t.sort == unknown || t.sort == nilValue && optional || t.sort == data {
		return
	}
	for _, l := range literalSorts {
		if l.want == p.Type && !slices.Contains(l.fits, t.sort) && int(t.sort) < len(sortNames) && sortNames[t.sort] != "" {
			c.add("wrong-argument", arg, f.Name+": "+strings.TrimSuffix(p.Name, "?")+" is a "+p.Type+", got "+sortNames[t.sort], signature(f))
		}
	}
}

func multiple(e tree.Expr) bool {
	switch e.(type) {
	case *tree.Call, *tree.Vararg:
		return true
	}
	return false
}

// signature shows how a function is called.
func signature(f stdlib.Function) string {
	var params []string
	for _, p := range f.Params {
		params = append(params, p.Name)
	}
	return f.Name + "(" + strings.Join(params, ", ") + ")"
}

// variants returns what answers of a kind look like, at all points.
func (c *checker) variants(tag string) (list []*schema.Type) {
	for _, p := range c.opts.Points {
		if !slices.Contains(p.Tags(), tag) {
			continue
		}
		if v, ok := p.Decision().Variant(tag); ok && !slices.Contains(list, v.Type()) {
			list = append(list, v.Type())
		}
	}
	return list
}

// checkConstructor holds dsh.deny and its like against the answers of all points.
func (c *checker) checkConstructor(call *tree.Call, name string) {
	variants := c.variants(tagOf(name))
	if len(call.Args) > 1 {
		c.add("wrong-argument", call.Args[1], "dsh."+name+" takes one argument, a text or a table", "")
		return
	}
	if len(call.Args) == 0 {
		c.checkRequired(call, variants, func(string) bool { return false }, "dsh."+name)
		return
	}
	switch t := c.typeOf(call.Args[0]); {
	case t.sort == numberValue || t.sort == boolValue || t.sort == funcValue:
		c.add("wrong-argument", call.Args[0], "dsh."+name+" takes a text or a table, got "+sortNames[t.sort], "")
	case t.isText() && !slices.ContainsFunc(variants, takesText):
		c.add("wrong-argument", call.Args[0], "dsh."+name+" takes a table, not a text", "")
	}
	if table := c.tableIs(call.Args[0]); table != nil {
		c.checkFields(table, variants, "dsh."+name)
	}
}

func takesText(t *schema.Type) bool { return len(t.Fields()) > 0 && t.Fields()[0].Type().TakesText() }

// checkFields holds the fields of an answer against its possible types.
func (c *checker) checkFields(table *tree.Table, variants []*schema.Type, what string) {
	var known []string
	for _, v := range variants {
		known = append(known, fieldNames(v, "")...)
	}
	given := map[string]bool{}
	before := len(c.found)
	open := false
	for _, i := range table.Items {
		if i.Key == nil {
			c.add("answer-field", i.Value, what+" has named fields only", "it has "+names(known))
			continue
		}
		key, ok := literal(i.Key)
		open = open || !ok
		if !ok || key.Value == schema.TagField {
			continue
		}
		given[key.Value] = true
		c.checkAnswerField(i, key, variants, known, what)
	}
	if !open && len(c.found) == before { // a misspelt field is not missing as well
		c.checkRequired(table, variants, func(name string) bool { return given[name] }, what)
	}
}

func (c *checker) checkAnswerField(i tree.Item, key *tree.String, variants []*schema.Type, known []string, what string) {
	var declared *schema.Type
	for _, v := range variants {
		if f, ok := v.Field(key.Value); ok {
			declared = f.Type()
		}
	}
	if declared == nil {
		hint := schema.Hint(key.Value, known)
		if hint == "" {
			hint = "it has " + names(known)
		}
		c.add("answer-field", key, what+"."+key.Value+": no such field", hint)
		return
	}
	t := c.typeOf(i.Value)
	if want, ok := mismatch(declared, t); !ok {
		c.add("answer-field", i.Value, what+"."+key.Value+" is "+want+", got "+sortNames[t.sort], "")
	}
	if s, ok := literal(i.Value); ok && declared.Values() != nil && !slices.Contains(declared.Values(), s.Value) {
		c.add("answer-field", i.Value, what+"."+key.Value+" is none of its values", schema.Hint(s.Value, declared.Values()))
	}
	if key.Value == "preapproved" && isConst(i.Value, "true") {
		c.add("needs-grant", key, "preapproved counts only with the grant preapprove, which policies of a project never have", "")
	}
}

// scalars say which sort a value of a schema has.
var scalars = []struct {
	kind schema.Kind
	sort sort
	name string
}{
	{schema.String, stringValue, "a string"},
	{schema.Bool, boolValue, "a boolean"},
	{schema.Number, numberValue, "a number"},
	{schema.Integer, numberValue, "a number"},
}

// mismatch reports whether a value of type t is none of the declared type.
func mismatch(declared *schema.Type, t typ) (want string, ok bool) {
	if int(t.sort) >= len(sortNames) || sortNames[t.sort] == "" || t.sort == nilValue {
		return "", true
	}
	for _, s := range scalars {
		if s.kind == declared.Kind() {
			return s.name, s.sort == t.sort
		}
	}
	switch declared.Kind() {
	case schema.List, schema.Object:
		return "a table", t.sort == tableValue || t.sort == stringValue && declared.TakesText()
	default:
		return "", true
	}
}

// checkRequired reports fields that an answer must have and has not.
func (c *checker) checkRequired(at tree.Node, variants []*schema.Type, given func(string) bool, what string) {
	if len(variants) == 0 {
		return
	}
	for _, f := range variants[0].Fields() {
		everywhere := !slices.ContainsFunc(variants, func(v *schema.Type) bool {
			field, ok := v.Field(f.Name())
			return !ok || field.Optional()
		})
		if everywhere && !given(f.Name()) && f.Type().Kind() != schema.Bool {
			c.add("answer-field", at, what+" needs "+f.Name(), "")
			return
		}
	}
}
