package lint

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// terminates reports whether what follows a statement in its block cannot run.
func terminates(s tree.Stmt) bool {
	switch s := s.(type) {
	case *tree.Return, *tree.Break, *tree.Goto:
		return true
	case *tree.CallStmt:
		return s.Call.Method == nil && global(s.Call.Fun, "error")
	case *tree.Do:
		return blockTerminates(s.Body)
	case *tree.If:
		return s.Arms[len(s.Arms)-1].Cond == nil &&
			!slices.ContainsFunc(s.Arms, func(arm tree.Arm) bool { return !blockTerminates(arm.Body) })
	case *tree.While:
		return isConst(s.Cond, "true") && !leaves(s.Body)
	case *tree.Repeat:
		return isConst(s.Cond, "false") && !leaves(s.Body)
	}
	return false
}

func blockTerminates(b *tree.Block) bool {
	return slices.ContainsFunc(b.Stmts, terminates)
}

// leaves reports whether a loop's body has a break of that loop, or a goto.
func leaves(body *tree.Block) bool {
	found := false
	tree.Walk(body, func(n tree.Node) bool {
		switch n.(type) {
		case *tree.Break, *tree.Goto:
			found = true
		case *tree.Function, *tree.While, *tree.Repeat, *tree.For, *tree.ForIn:
			return false
		}
		return true
	})
	return found
}

// checkFlow reports statements that never run.
func (c *checker) checkFlow() {
	c.walk(func(n tree.Node) {
		b, ok := n.(*tree.Block)
		if !ok {
			return
		}
		for i, s := range b.Stmts[:max(len(b.Stmts)-1, 0)] {
			next := b.Stmts[i+1]
			if _, label := next.(*tree.Label); !label && terminates(s) {
				line, _ := c.file.Position(s.Pos())
				c.add("unreachable", next, "this never runs", "the statement before it, on line "+itoa(line)+", always leaves")
				return
			}
		}
	})
}

// conditions are the expressions that decide where a node goes on.
func conditions(n tree.Node) []tree.Expr {
	switch n := n.(type) {
	case *tree.If:
		var list []tree.Expr
		for _, arm := range n.Arms {
			if arm.Cond != nil {
				list = append(list, arm.Cond)
			}
		}
		return list
	case *tree.While:
		return []tree.Expr{n.Cond}
	case *tree.Repeat:
		return []tree.Expr{n.Cond}
	}
	return nil
}

// checkConditions reports conditions that do not decide anything.
func (c *checker) checkConditions() {
	c.walk(func(n tree.Node) {
		conds := conditions(n)
		for i, cond := range conds {
			c.checkCondition(n, cond)
			if slices.ContainsFunc(conds[:i], func(before tree.Expr) bool { return c.same(before, cond) }) {
				c.add("constant-condition", cond, "the same condition was tested before, so this branch never runs", "")
			}
		}
		switch n := n.(type) {
		case *tree.Binary:
			c.checkComparison(n)
		case *tree.Assign:
			if len(n.Targets) == 1 && len(n.Values) == 1 && c.same(n.Targets[0], n.Values[0]) {
				c.add("self-comparison", n, "it is assigned to itself", "")
			}
		}
	})
}

func (c *checker) checkCondition(n tree.Node, cond tree.Expr) {
	value, known := truth(cond)
	if _, loop := n.(*tree.If); !loop && known && value && isConst(cond, "true") {
		return // while true is the way to write an endless loop
	}
	if _, repeat := n.(*tree.Repeat); repeat && known {
		return
	}
	if known {
		text := "this condition is always true"
		if !value {
			text = "this condition is never true, so its block never runs"
		}
		c.add("constant-condition", cond, text, "")
		return
	}
	c.checkTruthyOr(cond)
}

// truth returns whether an expression is true, if that is plain to see.
func truth(e tree.Expr) (value, known bool) {
	switch e := tree.Bare(e).(type) {
	case *tree.Const:
		return e.Text == "true", true
	case *tree.String, *tree.Number, *tree.Table, *tree.Function:
		return true, true
	case *tree.Unary:
		if value, known = truth(e.Operand); e.Op == "not" {
			return !value, known
		}
	}
	return false, false
}

// checkTruthyOr finds x == "a" or "b" in conditions.
func (c *checker) checkTruthyOr(cond tree.Expr) {
	b, ok := tree.Bare(cond).(*tree.Binary)
	if !ok || b.Op != "or" && b.Op != "and" {
		return
	}
	if value, known := truth(b.Right); known && b.Op == "or" && value {
		hint := ""
		if left := lastComparison(b.Left); left != nil {
			hint = "write " + c.file.Text(b.Left) + " or " + c.file.Text(left.Left) + " " + left.Op + " " + c.file.Text(b.Right)
		}
		c.add("truthy-or", b.Right, "this makes the condition always true: it is not compared with anything", hint)
	}
	c.checkTruthyOr(b.Left)
	c.checkTruthyOr(b.Right)
}

func lastComparison(e tree.Expr) *tree.Binary {
	b, ok := tree.Bare(e).(*tree.Binary)
	switch {
	case !ok:
		return nil
	case b.Op == "or":
		return lastComparison(b.Right)
	case b.Op == "==" || b.Op == "~=":
		return b
	}
	return nil
}

// comparisons are the operators whose result is a boolean.
var comparisons = []string{"==", "~=", "<", ">", "<=", ">="}

func (c *checker) checkComparison(b *tree.Binary) {
	if b.Op == "+" {
		for _, side := range []tree.Expr{b.Left, b.Right} {
			if s, ok := literal(side); ok && !numeric(s.Value) {
				c.add("plus-on-text", b, "texts are not added", "join them with ..", Edit{b.At, b.At + 1, ".."})
				return
			}
		}
	}
	if !slices.Contains(comparisons, b.Op) {
		return
	}
	if c.same(b.Left, b.Right) && !hasCall(b.Left) {
		c.add("self-comparison", b, "both sides are the same", "")
	}
	not, ok := b.Left.(*tree.Unary)
	if !ok || not.Op != "not" || c.typeOf(b.Right).sort == boolValue {
		return
	}
	hint := "write not (" + c.file.Text(not.Operand) + " " + b.Op + " " + c.file.Text(b.Right) + ")"
	if b.Op != "==" {
		c.add("not-binds-tighter", b, "not belongs to the left side only", hint)
		return
	}
	c.add("not-binds-tighter", b, "not belongs to the left side only, so this compares a boolean", "write "+c.file.Text(not.Operand)+" ~= "+c.file.Text(b.Right),
		Edit{not.Pos(), not.Operand.Pos(), ""}, Edit{b.At, b.At + 2, "~="})
}

func hasCall(e tree.Expr) bool {
	found := false
	tree.Walk(e, func(n tree.Node) bool {
		_, ok := n.(*tree.Call)
		found = found || ok
		return true
	})
	return found
}

// numeric reports whether arithmetic takes a text for a number.
func numeric(text string) bool {
	digits := false
	for _, r := range text {
		if r < '0' || r > '9' {
			if r != ' ' && r != '.' && r != '-' && r != 'e' && r != 'x' {
				return false
			}
			continue
		}
		digits = true
	}
	return digits
}
