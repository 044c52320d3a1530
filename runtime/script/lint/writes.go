package lint

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// checkWrites looks at assignments.
func (c *checker) checkWrites() {
	c.checkGlobalWrites()
	c.walk(func(n tree.Node) {
		switch n := n.(type) {
		case *tree.Assign:
			for _, target := range n.Targets {
				c.checkTarget(target, n)
			}
		case *tree.FuncStmt:
			c.checkTarget(n.Target, n)
		case *tree.Call:
			c.checkMutator(n)
		}
	})
}

// checkGlobalWrites reports globals that the file assigns.
func (c *checker) checkGlobalWrites() {
	writes, used := map[string]int{}, map[string]bool{}
	for _, n := range c.file.Globals {
		if n.Written {
			writes[n.Text]++
		}
	}
	reported := map[string]bool{}
	for _, n := range c.file.Globals {
		if n.Written && !reported[n.Text] {
			reported[n.Text] = true
			c.reportGlobal(n, writes[n.Text] == 1 && !used[n.Text])
		}
		used[n.Text] = true
	}
}

// reportGlobal reports the first assignment of a global. It is only if nothing
// before it uses the name that it can be made a local.
func (c *checker) reportGlobal(n *tree.Name, only bool) {
	if slices.Contains(luavm.GlobalNames(), n.Text) || slices.Contains(policyGlobals, n.Text) {
		c.add("global-assignment", n, "this replaces "+n.Text+" in the rest of the file", "use another name")
		return
	}
	var fix []Edit
	if s, ok := c.parents[n].(tree.Stmt); ok && only && c.parents[s] == tree.Node(c.file.Body) && single(s) {
		fix = []Edit{insert(s.Pos(), "local ")}
	}
	c.add("global-assignment", n, "'"+n.Text+"' is assigned without local", "no other run sees it: write local "+n.Text, fix...)
}

// single reports whether a statement assigns one variable that may become local:
// a function that calls itself keeps its name then.
func single(s tree.Stmt) bool {
	switch s := s.(type) {
	case *tree.Assign:
		return len(s.Targets) == 1
	case *tree.FuncStmt:
		return true
	}
	return false
}

// frozenSorts are what cannot be assigned to.
var frozenSorts = []struct {
	sort sort
	name string
}{
	{data, "a payload is frozen"},
	{library, "a library is read-only"},
	{module, "a module is read-only"},
	{class, "it is frozen"},
	{classList, "it is frozen"},
	{liveHandle, "a live handle cannot be changed"},
	{stringValue, "a string has no fields"},
}

func (c *checker) checkTarget(target tree.Expr, s tree.Node) {
	switch target := target.(type) {
	case *tree.Index:
		t := c.typeOf(target.Object)
		for _, f := range frozenSorts {
			if f.sort == t.sort && (t.sort != class || !c.plainClass(t)) {
				hint := "keep what you compute in a local"
				if t.sort == data && t.point != nil && t.owner == "" && t.data.Kind() == schema.Union {
					hint = "dsh.with(answer, { … }) makes a changed one"
				}
				c.add("frozen", target, f.name+", so this is a fault", hint)
			}
		}
		c.checkRemembered(target)
	case *tree.Name:
		c.checkCounter(target, s)
	}
}

// plainClass reports whether objects of a class are plain tables that a script may
// change: those without methods are, unless the module says that they are frozen.
func (c *checker) plainClass(t typ) bool { return len(c.classOf(t).Methods) == 0 }

// mutators are the functions that change their first argument.
var mutators = []struct{ lib, name string }{
	{"table", "insert"}, {"table", "remove"}, {"table", "sort"}, {"", "rawset"}, {"", "setmetatable"},
}

func (c *checker) checkMutator(call *tree.Call) {
	lib, name, _ := c.callee(call)
	for _, m := range mutators {
		if m.lib == lib && m.name == name && call.Method == nil && len(call.Args) > 0 && c.typeOf(call.Args[0]).sort == data {
			c.add("frozen", call.Args[0], "a payload is frozen, so this is a fault", "copy it first")
		}
	}
}

// handlerOf returns the registration whose handler's own code has a node.
func (c *checker) handlerOf(n tree.Node) *registration {
	f := c.functionOf(n)
	for _, r := range c.regs {
		if r.handler != nil && r.handler == f {
			return r
		}
	}
	return nil
}

const rememberHint = "each run has the file to itself: keep it in the module state"

// checkCounter finds a variable of the file that a handler counts with.
func (c *checker) checkCounter(n *tree.Name, s tree.Node) {
	assign, ok := s.(*tree.Assign)
	if !ok || n.Local == nil || n.Local.Owner != c.file.Main || c.handlerOf(n) == nil {
		return
	}
	for _, value := range assign.Values {
		tree.Walk(value, func(inner tree.Node) bool {
			if use, ok := inner.(*tree.Name); ok && use.Local == n.Local {
				c.add("forgotten", n, "the next run does not see what is assigned to '"+n.Text+"' here", rememberHint)
				return false
			}
			return true
		})
	}
}

// checkRemembered finds a table of the file that a handler fills.
func (c *checker) checkRemembered(target *tree.Index) {
	n, ok := tree.Bare(target.Object).(*tree.Name)
	if !ok || n.Local == nil || n.Local.Owner != c.file.Main || c.handlerOf(target) == nil {
		return
	}
	if table, ok := n.Local.Init.(*tree.Table); ok && len(table.Items) == 0 {
		c.add("forgotten", target, "the next run does not see what is stored in '"+n.Text+"' here", rememberHint)
	}
}
