package lint

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// checkHandlers looks at handlers as a whole.
func (c *checker) checkHandlers() {
	for _, r := range c.regs {
		if r.handler == nil || r.point == nil {
			continue
		}
		c.checkNext(r)
		if r.raw && r.point.Joined() {
			c.checkRaw(r)
		}
		if r.point.Kind() != point.NotificationKind && c.idle(r) {
			c.add("never-answers", r.call, "the handler never answers and does nothing else", "return dsh."+constructorOf(r.point.Tags()[0])+" or another answer where the rule holds")
		}
	}
}

// nextCalls lists the calls of a handler's next.
func (c *checker) nextCalls(r *registration) (calls []*tree.Call) {
	if len(r.handler.Params) < 2 {
		return nil
	}
	for _, use := range r.handler.Params[1].Uses {
		if call, ok := c.parents[use].(*tree.Call); ok && call.Fun == tree.Expr(use) {
			calls = append(calls, call)
		}
	}
	return calls
}

func (c *checker) checkNext(r *registration) {
	if r.point.MaxNext() == 0 {
		if len(r.handler.Params) > 1 && len(r.handler.Params[1].Uses) > 0 {
			c.add("no-next", r.handler.Params[1].Uses[0], r.point.Name()+" has no next: handlers there get the payload alone", "")
		}
		return
	}
	calls := c.nextCalls(r)
	if r.point.MaxNext() > 1 {
		return
	}
	for i, call := range calls {
		if len(call.Args) > 0 {
			c.add("wrong-argument", call.Args[0], "next takes no arguments here: a payload cannot be changed on its way", "")
		}
		if c.inLoop(call, r.handler) || slices.ContainsFunc(calls[:i], func(before *tree.Call) bool { return c.always(before, call) }) {
			c.add("next-twice", call, "next may be called once at "+r.point.Name(), "keep its answer in a local")
		}
	}
}

// inLoop reports whether a node is in a loop of the function f.
func (c *checker) inLoop(n tree.Node, f *tree.Function) bool {
	for at := c.parents[n]; at != nil && at != tree.Node(f); at = c.parents[at] {
		switch at.(type) {
		case *tree.While, *tree.Repeat, *tree.For, *tree.ForIn:
			return true
		}
	}
	return false
}

// always reports whether the call before has run for certain when call runs: its
// block is around call, and nothing short-circuits it.
func (c *checker) always(before, call tree.Node) bool {
	var block tree.Node
	child := before
	for at := c.parents[before]; at != nil; at = c.parents[at] {
		if b, ok := at.(*tree.Binary); ok && (b.Op == "and" || b.Op == "or") && b.Right == child {
			return false
		}
		if _, ok := at.(*tree.Block); ok {
			block = at
			break
		}
		child = at
	}
	for at := c.parents[call]; at != nil; at = c.parents[at] {
		if at == block {
			return before.Pos() < call.Pos()
		}
	}
	return false
}

// checkRaw finds answers of a raw handler that hide what stricter rules say.
func (c *checker) checkRaw(r *registration) {
	calls := c.nextCalls(r)
	for _, ret := range returns(r.handler) {
		if len(ret.Values) == 0 || isConst(ret.Values[0], "nil") {
			continue
		}
		t := c.typeOf(ret.Values[0])
		refuses := t.sort == answer && slices.Contains(r.point.Refusals(), t.name)
		asked := slices.ContainsFunc(calls, func(call *tree.Call) bool { return c.always(call, ret) || within(call, ret) })
		if refuses || asked || t.sort == unknown && len(calls) > 0 {
			continue
		}
		c.add("raw-swallows", ret, "a raw handler answers here without next, and hides what stricter rules behind it say", "call next() first, or leave out raw")
	}
}

func within(n, outer tree.Node) bool { return outer.Pos() <= n.Pos() && n.End() <= outer.End() }

// quiet are the functions without an effect that lasts.
var quiet = []string{"ipairs", "pairs", "type", "tostring", "tonumber", "select", "next", "unpack", "rawget", "rawequal", "rawlen"}

// idle reports whether a handler neither answers nor does anything that lasts.
func (c *checker) idle(r *registration) bool {
	if slices.ContainsFunc(returns(r.handler), func(ret *tree.Return) bool { return len(ret.Values) > 0 && !isConst(ret.Values[0], "nil") }) {
		return false
	}
	idle := true
	tree.Walk(r.handler.Body, func(n tree.Node) bool {
		call, ok := n.(*tree.Call)
		if !ok {
			return true
		}
		lib, name, _ := c.callee(call)
		pure := lib == "string" || lib == "math" || lib == "table" || lib == "" && slices.Contains(quiet, name)
		idle = idle && pure
		return true
	})
	return idle
}

// checkShadowed finds handlers that are never asked, because one before them
// refuses all that they would see.
func (c *checker) checkShadowed() {
	var enders []*registration
	for _, later := range c.regs {
		for _, earlier := range enders {
			if later.point == earlier.point && covers(earlier, later) {
				line, _ := c.file.Position(earlier.call.Pos())
				c.add("shadowed-rule", later.call, "this handler is never asked: the one on line "+itoa(line)+" always answers the same calls", "put it first, or join their conditions")
				break
			}
		}
		if later.point != nil && later.handler != nil && c.alwaysEnds(later) {
			enders = append(enders, later)
		}
	}
}

// covers reports whether whatever passes the filter of b passes that of a.
func covers(a, b *registration) bool {
	for _, field := range []point.FilterField{point.FilterTool, point.FilterAction, point.FilterMatch} {
		wide, narrow := texts(a.lists[field]), texts(b.lists[field])
		written := listed(a, field)
		if !written {
			continue
		}
		if len(wide) == 0 || len(narrow) == 0 || slices.ContainsFunc(narrow, func(name string) bool { return !slices.Contains(wide, name) }) {
			return false
		}
	}
	return true
}

// listed reports whether a filter restricts a field at all.
func listed(r *registration, field point.FilterField) bool {
	if r.filter == nil {
		return len(r.call.Args) > 2
	}
	value := item(r.filter, string(field))
	return value != nil
}

// alwaysEnds reports whether a handler ends the chain whatever it is asked.
func (c *checker) alwaysEnds(r *registration) bool {
	if !blockTerminates(r.handler.Body) {
		return false
	}
	for _, ret := range returns(r.handler) {
		if len(ret.Values) != 1 {
			return false
		}
		t := c.typeOf(ret.Values[0])
		if t.sort != answer || !r.raw && !slices.Contains(r.point.Refusals(), t.name) {
			return false
		}
	}
	return len(returns(r.handler)) > 0
}
