package lint

import (
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// results are the types of what functions of the language return first.
var results = []struct {
	library, name string
	sort          sort
}{
	{"", "tostring", stringValue},
	{"", "type", stringValue},
	{"", "tonumber", numberValue},
	{"", "rawequal", boolValue},
	{"string", "format", stringValue},
	{"string", "gsub", stringValue},
	{"string", "rep", stringValue},
	{"string", "reverse", stringValue},
	{"string", "char", stringValue},
	{"string", "len", numberValue},
	{"table", "concat", stringValue},
}

// keeping are the functions of strings whose result is, for our purposes, still
// the text that they are given.
var keeping = []string{"lower", "upper", "sub"}

func (c *checker) typeOfCall(call *tree.Call) typ {
	if name, ok := c.required(call); ok {
		if stdlib.Has(name) {
			return typ{sort: module, name: name}
		}
		return typ{}
	}
	lib, name, receiver := c.callee(call)
	switch {
	case lib == "dsh":
		return c.typeOfAnswer(call, name)
	case lib == "string" && slices.Contains(keeping, name) && receiver != nil:
		if t := c.typeOf(receiver); t.isText() {
			return t
		}
		return typ{sort: stringValue}
	}
	for _, r := range results {
		if r.library == lib && r.name == name {
			return typ{sort: r.sort}
		}
	}
	if f, ok := c.moduleFunction(call); ok && len(f.Returns) > 0 {
		return c.declared(f.Returns[0].Type, c.moduleOf(call))
	}
	if fun := c.typeOf(call.Fun); fun.sort == nextFunc && call.Method == nil && fun.point.Decision() != nil {
		return typ{sort: data, data: fun.point.Decision(), point: fun.point}
	}
	return typ{}
}

func (c *checker) typeOfAnswer(call *tree.Call, name string) typ {
	switch {
	case name == "with" && len(call.Args) > 0:
		return c.typeOf(call.Args[0])
	case slices.Contains(c.tags(), tagOf(name)):
		return typ{sort: answer, name: tagOf(name)}
	}
	return typ{}
}

// tagOf returns the kind that a constructor makes.
func tagOf(constructor string) string { return strings.ReplaceAll(constructor, "_", "-") }

// tags lists the kinds of answers of all points.
func (c *checker) tags() []string { return c.answers }

// required returns the name in require "name".
func (c *checker) required(call *tree.Call) (string, bool) {
	if call.Method != nil || !global(call.Fun, "require") || len(call.Args) != 1 {
		return "", false
	}
	s, ok := literal(call.Args[0])
	if !ok {
		return "", false
	}
	return s.Value, true
}

// callee returns the function of the language or of dsh that is called: its
// library, empty for a global, and its name. Of a function of strings the receiver
// is the text that it is about.
func (c *checker) callee(call *tree.Call) (lib, name string, receiver tree.Expr) {
	if call.Method != nil {
		if t := c.typeOf(call.Fun); t.isText() || t.sort == unknown && slices.Contains(c.members["string"], call.Method.Value) {
			return "string", call.Method.Value, call.Fun
		}
		return "?", call.Method.Value, nil
	}
	if n, ok := tree.Bare(call.Fun).(*tree.Name); ok && n.Local == nil {
		return "", n.Text, nil
	}
	t := c.typeOf(call.Fun)
	if t.sort != function {
		return "?", "", nil
	}
	if t.of == "string" && len(call.Args) > 0 {
		receiver = call.Args[0]
	}
	return t.of, t.name, receiver
}

// textArgs returns the arguments of a call of a function of strings, without the
// text that it is about.
func textArgs(call *tree.Call) []tree.Expr {
	if call.Method != nil {
		return call.Args
	}
	if len(call.Args) == 0 {
		return nil
	}
	return call.Args[1:]
}

// moduleFunction returns the function of a module, or the method of one of its
// objects, that is called.
func (c *checker) moduleFunction(call *tree.Call) (stdlib.Function, bool) {
	if call.Method != nil {
		if t := c.typeOf(call.Fun); t.sort == class {
			return findFunction(c.classOf(t).Methods, call.Method.Value)
		}
		return stdlib.Function{}, false
	}
	t := c.typeOf(call.Fun)
	if t.sort != function {
		return stdlib.Function{}, false
	}
	return findFunction(c.module(t.of).Functions, t.name)
}

func (c *checker) moduleOf(call *tree.Call) string {
	if call.Method != nil {
		return c.typeOf(call.Fun).of
	}
	return c.typeOf(call.Fun).of
}
