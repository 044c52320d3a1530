package lint

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// checkLoops looks at loops, and at what is costly in them.
func (c *checker) checkLoops() {
	c.walk(func(n tree.Node) {
		switch n := n.(type) {
		case *tree.While:
			if isConst(n.Cond, "true") {
				c.checkEndless(n, n.Body)
			}
		case *tree.Repeat:
			if isConst(n.Cond, "false") {
				c.checkEndless(n, n.Body)
			}
		case *tree.For:
			c.checkFirst(n)
		case *tree.ForIn:
			c.checkIterator(n)
			c.checkNested(n)
		case *tree.Assign:
			c.checkGrowth(n)
		case *tree.Index:
			if key, ok := n.Key.(*tree.Number); ok && key.Text == "0" && c.listLike(n.Object) {
				c.add("zero-index", key, "lists begin at 1", "the first item is "+c.file.Text(n.Object)+"[1]")
			}
		}
	})
}

// listLike reports whether an expression is a list, as far as is known.
func (c *checker) listLike(e tree.Expr) bool {
	t := c.typeOf(e)
	if table := c.tableIs(e); table != nil {
		return len(table.Items) == 0 || table.Items[0].Key == nil
	}
	return t.sort == classList || t.sort == data && t.data.Kind() == schema.List
}

func (c *checker) checkEndless(loop tree.Node, body *tree.Block) {
	ends := leaves(body)
	tree.Walk(body, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Return:
			ends = true
		case *tree.Call:
			ends = ends || n.Method == nil && global(n.Fun, "error")
		case *tree.Function:
			return false
		}
		return true
	})
	if !ends {
		at := tree.Span{From: loop.Pos(), To: loop.Pos() + len("while")}
		c.add("endless-loop", at, "this loop never ends: the run is stopped by its limit, which is a fault", "leave it with break or return")
	}
}

// checkFirst finds loops that count from 0 over a list.
func (c *checker) checkFirst(n *tree.For) {
	first, ok := n.First.(*tree.Number)
	if !ok || first.Text != "0" {
		return
	}
	counts := false
	tree.Walk(n.Last, func(inner tree.Node) bool {
		u, ok := inner.(*tree.Unary)
		counts = counts || ok && u.Op == "#"
		return true
	})
	indexed := slices.ContainsFunc(n.Var.Uses, func(use *tree.Name) bool {
		index, ok := c.parents[use].(*tree.Index)
		return ok && index.Key == tree.Expr(use)
	})
	if counts && indexed {
		c.add("zero-index", first, "lists begin at 1", "write for "+n.Var.Name+" = 1, #list do")
	}
}

// checkIterator finds loops over a table without pairs or ipairs.
func (c *checker) checkIterator(n *tree.ForIn) {
	if len(n.Exprs) != 1 {
		return
	}
	e := n.Exprs[0]
	t := c.typeOf(e)
	table := t.sort == tableValue || t.sort == classList || t.sort == data
	if _, call := tree.Bare(e).(*tree.Call); call || !table {
		return
	}
	how := "ipairs"
	if t.sort == data && t.data.Kind() != schema.List {
		how = "pairs"
	}
	c.add("bad-iterator", e, "a table is no iterator", "write in "+how+"("+c.file.Text(e)+")", insert(e.Pos(), how+"("), insert(e.End(), ")"))
}

// scanning are the functions that go through a text again and again.
var scanning = []string{"gmatch", "gsub", "find", "match"}

// checkNested finds a scan of a payload's text within one of another.
func (c *checker) checkNested(outer *tree.ForIn) {
	if !c.scansPayload(outer.Exprs[0]) {
		return
	}
	tree.Walk(outer.Body, func(n tree.Node) bool {
		if inner, ok := n.(*tree.ForIn); ok && c.scansPayload(inner.Exprs[0]) {
			c.add("nested-scan", inner.Exprs[0], "a text of the payload is scanned for every find in a text of the payload", "collect the first finds, or look for both at once")
		}
		return true
	})
}

// scansPayload reports whether an expression goes through a text that comes from a
// payload as it is.
func (c *checker) scansPayload(e tree.Expr) bool {
	call, ok := tree.Bare(e).(*tree.Call)
	if !ok {
		return false
	}
	lib, name, receiver := c.callee(call)
	return lib == "string" && slices.Contains(scanning, name) && receiver != nil && c.typeOf(receiver).sort == data
}

// checkGrowth finds texts that grow in a loop.
func (c *checker) checkGrowth(n *tree.Assign) {
	if len(n.Targets) != 1 || len(n.Values) != 1 {
		return
	}
	target, ok := n.Targets[0].(*tree.Name)
	b, concat := tree.Bare(n.Values[0]).(*tree.Binary)
	if !ok || !concat || b.Op != ".." || !c.same(b.Left, target) {
		return
	}
	loop := c.loopAround(n)
	if loop == nil || target.Local != nil && within(target.Local, loop) {
		return
	}
	c.add("growing-text", n, "every round copies the whole text", "collect the parts in a list and use table.concat")
}

// loopAround returns the loop over data of unknown length that a node is in.
func (c *checker) loopAround(n tree.Node) tree.Node {
	for at := c.parents[n]; at != nil; at = c.parents[at] {
		switch at.(type) {
		case *tree.While, *tree.Repeat, *tree.For, *tree.ForIn:
			return at
		case *tree.Function:
			return nil
		}
	}
	return nil
}
