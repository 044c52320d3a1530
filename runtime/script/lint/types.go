package lint

import (
	"strings"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// A typ is what is known of an expression's value. The zero typ means unknown.
type typ struct {
	sort  sort
	name  string       // of a library, a module, a class or a function of one
	of    string       // the module that a class or function belongs to
	point point.Point  // of a payload, of an answer, of next
	data  *schema.Type // of data
	kinds string       // the variants of a union that are possible, each between blanks; empty for all
	owner string       // of a member of a payload: the type that has it
	field string       // and its name
}

// A sort is the coarse kind of a type.
type sort uint8

const (
	unknown     sort = iota
	data             // a part of a payload or answer, of a schema
	library          // dsh, string, table, math
	module           // what require returns
	class            // an object of a module
	classList        // a list of them
	function         // a function of a library or module
	liveHandle       // call.live
	nextFunc         // the parameter next
	answer           // an answer that the file built; name is its kind
	stringValue      // a string
	numberValue
	boolValue
	nilValue
	tableValue
	funcValue
)

// sortNames name the sorts that literals can have, for messages.
var sortNames = [...]string{
	stringValue: "a string", numberValue: "a number", boolValue: "a boolean", nilValue: "nil", tableValue: "a table", funcValue: "a function",
}

// typeOf infers the type of an expression.
func (c *checker) typeOf(e tree.Expr) typ {
	e = tree.Bare(e)
	if t, ok := c.types[e]; ok {
		return t
	}
	c.types[e] = typ{} // while it is being inferred
	t := c.infer(e)
	c.types[e] = t
	return t
}

func (c *checker) infer(e tree.Expr) typ {
	switch e := e.(type) {
	case *tree.Name:
		return c.typeOfName(e)
	case *tree.Index:
		return c.typeOfIndex(e)
	case *tree.Call:
		return c.typeOfCall(e)
	case *tree.Binary:
		return c.typeOfBinary(e)
	case *tree.Unary:
		if e.Op == "not" {
			return typ{sort: boolValue}
		}
		return typ{sort: numberValue}
	case *tree.String:
		return typ{sort: stringValue}
	case *tree.Number:
		return typ{sort: numberValue}
	case *tree.Table:
		if kind := item(e, schema.TagField); kind != nil {
			if s, ok := literal(kind); ok {
				return typ{sort: answer, name: s.Value}
			}
		}
		return typ{sort: tableValue}
	case *tree.Function:
		return typ{sort: funcValue}
	case *tree.Const:
		if e.Text == "nil" {
			return typ{sort: nilValue}
		}
		return typ{sort: boolValue}
	}
	return typ{}
}

func (c *checker) typeOfBinary(e *tree.Binary) typ {
	switch e.Op {
	case "..":
		return typ{sort: stringValue}
	case "==", "~=", "<", ">", "<=", ">=":
		return typ{sort: boolValue}
	case "and":
		return typ{}
	case "+":
		for _, side := range []tree.Expr{e.Left, e.Right} {
			if s, ok := literal(side); ok && !numeric(s.Value) {
				return typ{} // a slip, reported as such
			}
		}
	case "or":
		left, right := c.typeOf(e.Left), c.typeOf(e.Right)
		if right.sort == unknown || right.sort == left.sort || left.sort == data && right.sort != nilValue {
			return left
		}
		return typ{}
	}
	return typ{sort: numberValue}
}

func (c *checker) typeOfName(n *tree.Name) typ {
	if n.Local != nil {
		return c.typeOfLocal(n.Local)
	}
	if n.Text == "dsh" || c.members[n.Text] != nil {
		return typ{sort: library, name: n.Text}
	}
	if c.isLibrary(n.Text) {
		return typ{sort: module, name: n.Text}
	}
	return typ{}
}

func (c *checker) typeOfLocal(l *tree.Local) typ {
	switch {
	case l.Writes > 0:
		return typ{}
	case l.Kind == tree.Parameter:
		return c.typeOfParam(l)
	case l.Kind == tree.Loop:
		return c.typeOfLoopVar(l)
	case l.Init != nil:
		return c.typeOf(l.Init)
	}
	return typ{}
}

// typeOfParam is the type that a handler's parameter has by its point, or that
// all calls of a local function give it.
func (c *checker) typeOfParam(l *tree.Local) typ {
	if t, ok := c.params[l]; ok {
		return t
	}
	f := l.Owner
	owner := c.localOf(f)
	if owner == nil || c.asking[l] || f.Method || len(c.calls[owner]) != len(owner.Uses) || len(owner.Uses) == 0 {
		return typ{}
	}
	c.asking[l] = true
	defer delete(c.asking, l)
	at := paramIndex(l)
	var t typ
	for i, call := range c.calls[owner] {
		if at >= len(call.Args) {
			return typ{}
		}
		given := c.typeOf(call.Args[at])
		if i == 0 {
			t = given
		}
		if t = merge(t, given); t.sort == unknown {
			return t
		}
	}
	return t
}

func paramIndex(l *tree.Local) int {
	for i, p := range l.Owner.Params {
		if p == l {
			return i
		}
	}
	return -1
}

// localOf returns the local whose only value is the function f.
func (c *checker) localOf(f *tree.Function) *tree.Local {
	var l *tree.Local
	switch parent := c.parents[f].(type) {
	case *tree.LocalFunc:
		l = parent.Name
	case *tree.LocalStmt:
		for _, name := range parent.Names {
			if name.Init == tree.Expr(f) {
				l = name
			}
		}
	}
	if l == nil || l.Writes > 0 {
		return nil
	}
	return l
}

// functionIs returns the function that an expression is for certain.
func (c *checker) functionIs(e tree.Expr) *tree.Function {
	switch e := tree.Bare(e).(type) {
	case *tree.Function:
		return e
	case *tree.Name:
		if e.Local == nil {
			return c.globals[e.Text]
		}
		if e.Local.Writes == 0 && e.Local.Init != nil {
			f, _ := e.Local.Init.(*tree.Function)
			return f
		}
	}
	return nil
}

// merge is the type of a value that has the one or the other type.
func merge(a, b typ) typ {
	if a == b {
		return a
	}
	if a.sort != b.sort {
		return typ{}
	}
	if a.sort == data && a.data.Name() == b.data.Name() && a.data.Kind() == b.data.Kind() {
		a.kinds = mergeKinds(a.kinds, b.kinds)
		if a.owner != b.owner || a.field != b.field {
			a.owner, a.field = "", ""
		}
		if a.point != b.point && a.point != nil && b.point != nil && a.point.Payload().Name() != b.point.Payload().Name() {
			return typ{}
		}
		return a
	}
	if a.sort == stringValue {
		return typ{sort: stringValue}
	}
	return typ{}
}

func mergeKinds(a, b string) string {
	if a == "" || b == "" {
		return ""
	}
	return a + b
}

// typeOfLoopVar is the type of what iterating gives.
func (c *checker) typeOfLoopVar(l *tree.Local) typ {
	loop, ok := l.Decl.(*tree.ForIn)
	if !ok {
		return typ{sort: numberValue}
	}
	call, ok := tree.Bare(loop.Exprs[0]).(*tree.Call)
	if !ok || len(call.Args) == 0 || call.Method != nil {
		return typ{}
	}
	list := global(call.Fun, "ipairs") || global(call.Fun, "pairs")
	if !list {
		return typ{}
	}
	over := c.typeOf(call.Args[0])
	switch {
	case l == loop.Vars[0] && global(call.Fun, "ipairs"):
		return typ{sort: numberValue}
	case len(loop.Vars) > 1 && l == loop.Vars[1]:
		return element(over)
	}
	return typ{}
}

// element is the type of an item of a list.
func element(list typ) typ {
	switch {
	case list.sort == data && list.data.Kind() == schema.List:
		t := typ{sort: data, data: list.data.Elem(), owner: list.owner, field: list.field}
		return t
	case list.sort == classList:
		return typ{sort: class, name: list.name, of: list.of}
	}
	return typ{}
}

func (c *checker) typeOfIndex(e *tree.Index) typ {
	object := c.typeOf(e.Object)
	key, ok := literal(e.Key)
	if !ok {
		if c.typeOf(e.Key).sort == numberValue {
			return element(object)
		}
		return typ{}
	}
	switch object.sort {
	case data:
		return c.fieldType(object, key.Value)
	case library:
		return typ{sort: function, name: key.Value, of: object.name}
	case module:
		return c.moduleMember(object.name, key.Value)
	case class:
		if f, ok := findField(c.classOf(object).Fields, key.Value); ok {
			return c.declared(f.Type, object.of)
		}
	default:
	}
	return typ{}
}

const live = "live"

// fieldType is the type of a member of a payload or an answer.
func (c *checker) fieldType(object typ, name string) typ {
	if object.point != nil && object.data.Kind() == schema.Object && name == live {
		return typ{sort: liveHandle}
	}
	if f, ok := object.data.Field(name); ok {
		t := typ{sort: data, data: f.Type(), owner: object.data.Name(), field: name}
		t.kinds = narrowed(f.Type(), object.kinds)
		return t
	}
	if object.data.Kind() != schema.Union {
		return typ{}
	}
	if name == schema.TagField {
		return typ{sort: data, data: object.data, kinds: object.kinds, field: schema.TagField, owner: tagOwner}
	}
	for _, v := range object.data.Variants() {
		if object.kinds != "" && !strings.Contains(object.kinds, " "+v.Tag()+" ") {
			continue
		}
		if f, ok := v.Type().Field(name); ok {
			return typ{sort: data, data: f.Type(), owner: v.Type().Name(), field: name}
		}
	}
	return typ{}
}

// tagOwner marks the type of the tag of a union: its data is the union.
const tagOwner = "*"

func (t typ) isTag() bool { return t.sort == data && t.owner == tagOwner }

// isText reports whether a value of the type is a string.
func (t typ) isText() bool {
	return t.sort == stringValue || t.isTag() || t.sort == data && t.data.Kind() == schema.String
}

// narrowed returns kinds if they are variants of t, so that a filter by them says
// which of them a value is. It is kept on the way to a member.
func narrowed(t *schema.Type, kinds string) string {
	if kinds == "" || t.Kind() == schema.Object {
		return kinds
	}
	if t.Kind() != schema.Union {
		return ""
	}
	for _, kind := range strings.Fields(kinds) {
		if _, ok := t.Variant(kind); !ok {
			return ""
		}
	}
	return kinds
}

// moduleMember is the type of a member of a module.
func (c *checker) moduleMember(name, member string) typ {
	if f, ok := findField(c.module(name).Fields, member); ok {
		return c.declared(f.Type, name)
	}
	return typ{sort: function, name: member, of: name}
}

func findField(fields []stdlib.Field, name string) (stdlib.Field, bool) {
	for _, f := range fields {
		if strings.TrimSuffix(f.Name, "?") == name {
			return f, true
		}
	}
	return stdlib.Field{}, false
}

func findFunction(functions []stdlib.Function, name string) (stdlib.Function, bool) {
	for _, f := range functions {
		if f.Name == name {
			return f, true
		}
	}
	return stdlib.Function{}, false
}

// basics are the types of declarations that say what a value is.
var basics = []struct {
	name string
	sort sort
}{
	{"string", stringValue}, {"number", numberValue}, {"integer", numberValue}, {"boolean", boolValue},
}

// declared is the type that a module declares in LuaCATS, if it is a plain one.
func (c *checker) declared(text, of string) typ {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "?"), "|nil")
	for _, b := range basics {
		if b.name == text {
			return typ{sort: b.sort}
		}
	}
	t := typ{sort: class, name: text, of: of}
	if inner, list := strings.CutSuffix(text, "[]"); list {
		t = typ{sort: classList, name: inner, of: of}
	}
	if c.classOf(t).Name == "" {
		return typ{}
	}
	return t
}

func (c *checker) classOf(t typ) stdlib.Class {
	for _, declared := range c.module(t.of).Classes {
		if declared.Name == t.name {
			return declared
		}
	}
	return stdlib.Class{}
}
