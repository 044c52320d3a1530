package lint

import (
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// checkUnused reports locals that nobody reads and results that nobody takes.
func (c *checker) checkUnused() {
	for _, l := range c.file.Locals {
		if l.Kind == tree.Variable && !strings.HasPrefix(l.Name, "_") && !c.read(l) {
			c.reportUnused(l)
		}
	}
	c.walk(func(n tree.Node) {
		if s, ok := n.(*tree.CallStmt); ok {
			c.checkResult(s)
		}
	})
}

// read reports whether a local, or one declared behind it in the same statement,
// has a use that is no assignment.
func (c *checker) read(l *tree.Local) bool {
	list := []*tree.Local{l}
	if s, ok := l.Decl.(*tree.LocalStmt); ok {
		list = s.Names[slices.Index(s.Names, l):]
	}
	return slices.ContainsFunc(list, func(l *tree.Local) bool {
		return slices.ContainsFunc(l.Uses, func(use *tree.Name) bool { return !use.Written && !c.ownUse(l, use) })
	})
}

// ownUse reports whether a use of a function's name is in that function.
func (c *checker) ownUse(l *tree.Local, use *tree.Name) bool {
	f, ok := l.Init.(*tree.Function)
	return ok && l.Writes == 0 && within(use, f)
}

func (c *checker) reportUnused(l *tree.Local) {
	what := "local '" + l.Name + "' is never read"
	if len(l.Uses) > 0 && l.Writes > 0 {
		what = "local '" + l.Name + "' is assigned and never read"
	}
	var fix []Edit
	if s, single := l.Decl.(*tree.LocalStmt); l.Writes == 0 && len(l.Uses) == 0 && single && len(s.Names) == 1 && c.harmless(s.Values) {
		if edit, ok := c.removeLines(s); ok {
			fix = []Edit{edit}
		}
	}
	c.add("unused-local", l, what, "remove it, or begin its name with _", fix...)
}

// harmless reports whether values can be left out: they are written out, or are
// modules.
func (c *checker) harmless(values []tree.Expr) bool {
	return !slices.ContainsFunc(values, func(v tree.Expr) bool {
		switch v := tree.Bare(v).(type) {
		case *tree.Const, *tree.Number, *tree.String, *tree.Function, *tree.Name:
			return false
		case *tree.Table:
			return len(v.Items) > 0
		case *tree.Call:
			return c.typeOf(v).sort != module
		}
		return true
	})
}

// pure are the functions of the language that do nothing but return a value.
var pure = []string{"tostring", "tonumber", "type", "select", "rawget", "rawequal", "rawlen", "ipairs", "pairs", "next", "unpack"}

// lasting are the modules whose functions do something.
var lasting = []string{"state", "rules"}

func (c *checker) checkResult(s *tree.CallStmt) {
	lib, name, _ := c.callee(s.Call)
	f, declared := c.moduleFunction(s.Call)
	switch {
	case declared:
		from := c.moduleOf(s.Call)
		if len(f.Returns) > 0 && !slices.Contains(lasting, from) && !c.isLibrary(from) {
			c.reportResult(s)
		}
	case lib == "string" && name == "gsub" && len(textArgs(s.Call)) > 1 && c.typeOf(textArgs(s.Call)[1]).sort == funcValue:
	case lib == "string" || lib == "math" || lib == "" && slices.Contains(pure, name) || lib == "table" && (name == "concat" || name == "pack"):
		if s.Call.Method == nil || c.typeOf(s.Call.Fun).sort != unknown {
			c.reportResult(s)
		}
	}
}

func (c *checker) reportResult(s *tree.CallStmt) {
	c.add("unused-result", s, "the result of this call is dropped, and the call does nothing else", "texts and payloads are never changed in place")
}
