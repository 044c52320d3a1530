package lint

import (
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// policyGlobals are the globals that policies have beyond Lua's own.
var policyGlobals = []string{"dsh", "require"}

// checkGlobals reports names that nothing defines.
func (c *checker) checkGlobals() {
	known := slices.Concat(luavm.GlobalNames(), policyGlobals, c.opts.Globals)
	for _, n := range c.file.Globals {
		if n.Written {
			known = append(known, n.Text)
		}
	}
	for _, n := range c.file.Globals {
		if slices.Contains(known, n.Text) {
			continue
		}
		if advice := luavm.AbsentGlobal(n.Text); advice != "" {
			c.add("unknown-global", n, "'"+n.Text+"' is not available in scripts", advice)
			continue
		}
		c.add("unknown-global", n, "unknown global '"+n.Text+"'", c.globalHint(n, known))
	}
}

func (c *checker) globalHint(n *tree.Name, known []string) string {
	if call, ok := c.parents[n].(*tree.Call); ok && len(call.Args) == 1 && call.Args[0].Pos() == n.To {
		if _, text := literal(call.Args[0]); text && len(n.Text) <= 2 {
			return "texts have no prefixes; join values with .. or string.format"
		}
	}
	if stdlib.Has(n.Text) {
		return "write local " + n.Text + " = require " + quote(n.Text)
	}
	names := slices.Clone(known)
	for _, l := range c.file.Locals {
		if l.Pos() < n.Pos() {
			names = append(names, l.Name)
		}
	}
	if len(names) > maxNames {
		names = names[:maxNames]
	}
	return strings.ReplaceAll(schema.Hint(n.Text, names), `"`, "'")
}

// maxNames bounds the search for the name that a misspelt one means.
const maxNames = 2000

// checkMembers reports members that their object does not have.
func (c *checker) checkMembers() {
	c.walk(func(n tree.Node) {
		switch n := n.(type) {
		case *tree.Index:
			if key, ok := literal(n.Key); ok {
				c.checkMember(n, key)
			}
		case *tree.Call:
			if n.Method != nil {
				c.checkMethod(n)
			} else if name, ok := c.required(n); ok {
				c.checkRequire(n, name)
			}
		}
	})
}

func (c *checker) checkMember(n *tree.Index, key *tree.String) {
	t := c.typeOf(n.Object)
	switch t.sort {
	case data:
		c.checkField(n, key, t)
	case library:
		c.checkLibrary(key, t.name)
	case module:
		c.checkModule(key, t.name)
	case class:
		declared := c.classOf(t)
		if _, ok := findField(declared.Fields, key.Value); ok {
			return
		}
		if _, ok := findFunction(declared.Methods, key.Value); ok {
			return
		}
		c.add("unknown-member", key, t.name+" has no "+quote(key.Value), schema.Hint(key.Value, classNames(declared)))
	case stringValue:
		c.checkTextField(key)
	case liveHandle:
		c.checkLiveDot(n, key)
	case numberValue, boolValue:
		if !n.Dot {
			return
		}
		hint := ""
		if loop := c.indexLoop(n.Object); loop != nil {
			hint = "ipairs gives the index first: for _, " + c.file.Text(n.Object) + " in ipairs(…)"
		}
		c.add("unknown-field", key, sortNames[t.sort]+" has no fields", hint)
	default:
	}
}

// indexLoop returns the loop whose first variable an expression is.
func (c *checker) indexLoop(e tree.Expr) *tree.ForIn {
	n, ok := tree.Bare(e).(*tree.Name)
	if !ok || n.Local == nil {
		return nil
	}
	loop, _ := n.Local.Decl.(*tree.ForIn)
	return loop
}

// checkField reports members that a payload or an answer does not have.
func (c *checker) checkField(n *tree.Index, key *tree.String, t typ) {
	if t.isText() {
		c.checkTextField(key)
		return
	}
	switch t.data.Kind() {
	case schema.Object, schema.Union:
	case schema.List:
		c.add("unknown-field", key, "no field "+quote(key.Value)+" in "+t.data.Name()+", which is a list", "go through it with ipairs")
		return
	case schema.JSON:
		c.checkClientArgument(n, key, t)
		return
	default:
		return
	}
	if c.fieldType(t, key.Value).sort != unknown {
		return
	}
	if fieldOf(t.data, key.Value) {
		c.add("other-kind", key, "the "+t.field+" of these calls never has "+quote(key.Value), "the filter lets through kinds that have "+names(fieldNames(t.data, t.kinds)))
		return
	}
	hint := schema.Hint(key.Value, append(fieldNames(t.data, t.kinds), liveNames(t)...))
	if hint == "" {
		hint = c.elsewhere(t, key.Value)
	}
	if hint == "" {
		hint = "it has " + names(fieldNames(t.data, t.kinds))
	}
	c.add("unknown-field", key, "no field "+quote(key.Value)+" in "+t.data.Name(), hint)
}

// checkTextField reports fields of texts: there are only the functions of strings.
func (c *checker) checkTextField(key *tree.String) {
	if !slices.Contains(c.members["string"], key.Value) {
		c.add("unknown-field", key, "a text has no field "+quote(key.Value), stringHabit(key.Value))
	}
}

func liveNames(t typ) []string {
	if t.point != nil && t.data.Kind() == schema.Object {
		return []string{live}
	}
	return nil
}

// fieldOf reports whether a type, or any of its variants, has a member.
func fieldOf(t *schema.Type, name string) bool {
	if _, ok := t.Field(name); ok {
		return true
	}
	return slices.ContainsFunc(t.Variants(), func(v schema.Variant) bool {
		_, ok := v.Type().Field(name)
		return ok
	})
}

// fieldNames lists the members of a type, of a union those of the given kinds.
func fieldNames(t *schema.Type, kinds string) []string {
	var list []string
	for _, f := range t.Fields() {
		list = append(list, f.Name())
	}
	for _, v := range t.Variants() {
		if kinds == "" || slices.Contains(fields(kinds), v.Tag()) {
			list = append(list, schema.TagField)
			list = append(list, fieldNames(v.Type(), "")...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// elsewhere looks for a name one or two levels down, and in the variable of the
// handler's payload: the field that a newcomer means is often in the action.
func (c *checker) elsewhere(t typ, name string) string {
	for _, f := range t.data.Fields() {
		if fieldOf(f.Type(), name) && name != schema.TagField {
			return "did you mean " + f.Name() + "." + name + "?"
		}
		for _, inner := range f.Type().Fields() {
			if fieldOf(inner.Type(), name) && name != schema.TagField {
				return "did you mean " + f.Name() + "." + inner.Name() + "." + name + "?"
			}
		}
	}
	return ""
}

// checkClientArgument tells of arguments that the action has in terms that fit
// every client.
func (c *checker) checkClientArgument(n *tree.Index, key *tree.String, t typ) {
	object, _, ok := member(n.Object)
	if !ok {
		return
	}
	payload := c.typeOf(object)
	if payload.sort != data || t.owner != payload.data.Name() || c.answersWith(payload.point, t.field) {
		return
	}
	for _, f := range payload.data.Fields() {
		if f.Type().Kind() != schema.Union {
			continue
		}
		if fieldOf(f.Type(), key.Value) && key.Value != schema.TagField {
			c.add("client-argument", n, t.field+"."+key.Value+" is a name of one client's tool", f.Name()+"."+key.Value+" is there for every client")
		}
	}
}

// answersWith reports whether answers of a point have a field of that name: its
// handlers change it.
func (c *checker) answersWith(p point.Point, name string) bool {
	if p == nil || p.Decision() == nil {
		return false
	}
	return fieldOf(p.Decision(), name)
}

func (c *checker) checkLibrary(key *tree.String, name string) {
	members := c.members[name]
	if slices.Contains(members, key.Value) {
		return
	}
	hint := schema.Hint(key.Value, members)
	if habit := stringHabit(key.Value); name != "dsh" && habit != "" {
		hint = habit
	}
	c.add("unknown-member", key, name+" has no "+quote(key.Value), hint)
}

func (c *checker) checkModule(key *tree.String, name string) {
	members := moduleNames(c.module(name))
	if !slices.Contains(members, key.Value) {
		hint := schema.Hint(key.Value, members)
		if hint == "" {
			hint = "it has " + names(members)
		}
		c.add("unknown-member", key, name+" has no "+quote(key.Value), hint)
	}
}

func moduleNames(m stdlib.Module) []string {
	var list []string
	for _, f := range m.Fields {
		list = append(list, f.Name)
	}
	for _, f := range m.Functions {
		list = append(list, f.Name)
	}
	return list
}

func classNames(declared stdlib.Class) []string {
	return moduleNames(stdlib.Module{Fields: declared.Fields, Functions: declared.Methods})
}

func (c *checker) checkRequire(call *tree.Call, name string) {
	if c.functionOf(call) != c.file.Main {
		c.add("late-registration", call, "require is for file level; call it before the handlers run", "")
	}
	if stdlib.Has(name) {
		return
	}
	siblings := c.siblings()
	if !slices.Contains(siblings, name) {
		c.add("unknown-module", call.Args[0], "no module "+quote(name), schema.Hint(name, append(stdlib.Names(), siblings...)))
	}
}
