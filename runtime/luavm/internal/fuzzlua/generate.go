package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator writes one random program. Programs always end: loops are bounded,
// backward gotos are counted, and functions call only what was defined before.
type generator struct {
	rand   *rand.Rand
	names  int // made so far, so that some names are unique
	loops  int // around the current statement
	vararg bool
}

// Variables that every program declares first. The ones in each list hold values
// of its kind only, so that most programs run to their end.
var (
	anyVars    = []string{"a", "b", "c", "d"}
	numberVars = []string{"n", "m"}
	stringVars = []string{"s", "r"}
)

func (g *generator) pick(options ...string) string { return options[g.rand.IntN(len(options))] }

func (g *generator) chance(percent int) bool { return g.rand.IntN(100) < percent }

func (g *generator) fresh(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) program() string {
	g.vararg = true
	var b strings.Builder
	b.WriteString("local a, b, c, d = 1, 2, false, nil\nlocal n, m, s, r = 3, 0.5, 'ab', 'x1y22'\n")
	b.WriteString("local t, l, fs = {5, 6, x = 7}, {3, 1, 2}, {}\n")
	b.WriteString(g.block(2+g.rand.IntN(6), 3))
	b.WriteString("for i = 1, #fs do fs[i] = fs[i]() end\n")
	b.WriteString("return a, b, c, d, n, m, s, r, t, l, fs")
	return b.String()
}

func (g *generator) block(statements, depth int) string {
	var b strings.Builder
	for range statements {
		b.WriteString(g.statement(depth))
		b.WriteByte('\n')
	}
	return b.String()
}

func (g *generator) statement(depth int) string {
	simple := []func() string{
		g.assign, g.assign, g.assignMany, g.assignNumber, g.assignString, g.local, g.field, g.closure, g.listOp,
		g.stringOp, g.call, g.assignParen,
	}
	if depth <= 0 {
		return simple[g.rand.IntN(len(simple))]()
	}
	nested := []func(int) string{
		g.ifStmt, g.numberFor, g.genericFor, g.while, g.repeat, g.doBlock, g.function, g.protected, g.continueLoop,
		g.counted, g.object, g.constructor, g.breakOut, g.constants,
	}
	if g.chance(45) {
		return nested[g.rand.IntN(len(nested))](depth - 1)
	}
	return simple[g.rand.IntN(len(simple))]()
}

func (g *generator) assign() string {
	return fmt.Sprintf("%s = %s", g.pick("a", "b", "c", "d", "t.x", "t[1]", "t[n]"), g.expr(3))
}

func (g *generator) assignParen() string {
	return fmt.Sprintf("%s = (id(%s, %s))", g.pick(anyVars...), g.expr(1), g.expr(1))
}

func (g *generator) assignNumber() string { return g.pick(numberVars...) + " = " + g.number(3) }

// assignString cuts what it assigns, lest a loop of doublings never ends.
func (g *generator) assignString() string {
	return fmt.Sprintf("%s = (%s):sub(1, 50)", g.pick(stringVars...), g.text(2))
}

func (g *generator) assignMany() string {
	targets := []string{"a", "b", "c", "d", "t.x", "t[1]", "t[2]"}
	g.rand.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	k := 2 + g.rand.IntN(2)
	values := make([]string, k-1+g.rand.IntN(2))
	for i := range values {
		values[i] = g.expr(2)
	}
	if g.chance(20) {
		values[len(values)-1] = g.pick("id(a, b)", "id()", "...", "(...)")
		if !g.vararg {
			values[len(values)-1] = "id(b, a)"
		}
	}
	return strings.Join(targets[:k], ", ") + " = " + strings.Join(values, ", ")
}

func (g *generator) local() string {
	switch g.rand.IntN(4) {
	case 0:
		return fmt.Sprintf("local %s, %s = %s", g.pick("a", "b"), g.pick("c", "d"), g.pick("id("+g.expr(1)+", "+g.expr(1)+")", g.expr(2)))
	case 1:
		v := g.pick(anyVars...)
		return fmt.Sprintf("local %s = function() return %s end\n%s = %s()", v, g.pick(anyVars...), g.pick(anyVars...), v)
	}
	return fmt.Sprintf("local %s = %s", g.pick(anyVars...), g.expr(3))
}

func (g *generator) field() string {
	key := g.pick(".x", ".y", "[1]", "[2]", "['k']", "[T(a)]", "[B(b)]", "[n]")
	return fmt.Sprintf("t%s = %s", key, g.expr(2))
}

// closure adds a function that is called at the end, and changes what it captured.
func (g *generator) closure() string {
	v := g.pick("a", "b", "c", "d", "n", "s")
	switch g.rand.IntN(3) {
	case 0:
		return fmt.Sprintf("fs[#fs + 1] = function() return %s end", v)
	case 1:
		return fmt.Sprintf("fs[#fs + 1] = function() local old = %s %s = %s return old end", v, g.pick(anyVars...), g.expr(1))
	}
	return fmt.Sprintf("do local %s = %s fs[#fs + 1] = function() %s = T(%s) return %s end end", v, g.expr(1), v, v, v)
}

func (g *generator) call() string {
	switch g.rand.IntN(4) {
	case 0:
		return fmt.Sprintf("local %s = count(%s)", g.pick("a", "b"), g.args())
	case 1:
		return fmt.Sprintf("%s = select(%d, %s, %s)", g.pick(anyVars...), 1+g.rand.IntN(2), g.expr(1), g.expr(1))
	case 2:
		return fmt.Sprintf("%s, %s = (function(...) local x, y = ... return y, x end)(%s)", "a", "b", g.args())
	}
	return fmt.Sprintf("id(%s)", g.args())
}

func (g *generator) args() string {
	list := make([]string, 1+g.rand.IntN(3))
	for i := range list {
		list[i] = g.expr(1)
	}
	if g.chance(30) {
		list = append(list, g.pick("id(a, b, c)", "id()", "(id(a, b))"))
	}
	if g.vararg && g.chance(20) {
		list = append(list, g.pick("...", "(...)"))
	}
	return strings.Join(list, ", ")
}

func (g *generator) ifStmt(depth int) string {
	s := fmt.Sprintf("if %s then\n%s", g.expr(3), g.block(1+g.rand.IntN(2), depth))
	if g.chance(40) {
		s += fmt.Sprintf("elseif %s then\n%s", g.expr(2), g.block(1, depth))
	}
	if g.chance(60) {
		s += "else\n" + g.block(1+g.rand.IntN(2), depth)
	}
	return s + "end"
}

// inLoop writes the body of a loop, sometimes with a break.
func (g *generator) inLoop(depth int, extra string) string {
	g.loops++
	body := g.block(1+g.rand.IntN(2), depth) + extra
	if g.chance(30) {
		body += fmt.Sprintf("if %s then break end\n", g.expr(2))
	}
	g.loops--
	return body
}

func (g *generator) numberFor(depth int) string {
	v := g.pick("i", "a", "n")
	bounds := g.pick("1, 3", "3, 1, -1", "1, 2, 0.5", "2, 1", "-1, 1", "1, math.min(#l, 4)")
	extra := ""
	if g.chance(50) {
		extra = fmt.Sprintf("fs[#fs + 1] = function() return %s end\n", v)
	}
	if g.chance(30) {
		extra += fmt.Sprintf("local k = %s fs[#fs + 1] = function() k = T(k) return k end\n", v)
	}
	return fmt.Sprintf("for %s = %s do\n%send", v, bounds, g.inLoop(depth, extra))
}

func (g *generator) genericFor(depth int) string {
	list := g.pick("pairs({9, 8, 7})", "ipairs({unpack(l, 1, 3)})", "ipairs({1, false, 3})", "next, {4, 5, 6}", "next, {4}, nil",
		"id(next, {1, 2})", "next, id({7, 8})", "(function(st, i) if i < 3 then return i + 1, i end end), nil, 0",
		"string.gmatch('k1=v1,k2=v2', '(%w+)=(%w+)')", "('a b c'):gmatch('%a')")
	names := g.pick("k", "k, v", "k, v, w")
	extra := "fs[#fs + 1] = function() return k end\n"
	if g.chance(30) {
		extra = "a = k\n"
	}
	return fmt.Sprintf("for %s in %s do\n%send", names, list, g.inLoop(depth, extra))
}

func (g *generator) while(depth int) string {
	v := g.fresh("w")
	return fmt.Sprintf("do local %s = 0\nwhile %s < %d and %s do\n%s = %s + 1\n%send end", v, v, 1+g.rand.IntN(3),
		g.pick("true", g.expr(1)+" ~= 99", g.expr(2)), v, v, g.inLoop(depth, ""))
}

func (g *generator) repeat(depth int) string {
	v := g.fresh("w")
	extra := fmt.Sprintf("local q = %s fs[#fs + 1] = function() return q end\n", v)
	g.loops++
	body := g.block(1, depth)
	g.loops--
	return fmt.Sprintf("do local %s = 0\nrepeat\n%s = %s + 1\n%s%suntil %s > 2 or q == %d end", v, v, v, body, extra, v, g.rand.IntN(4))
}

func (g *generator) doBlock(depth int) string {
	return "do\n" + g.block(1+g.rand.IntN(3), depth) + "end"
}

// continueLoop skips the rest of a round by goto.
func (g *generator) continueLoop(depth int) string {
	label := g.fresh("next")
	loops := g.loops
	g.loops = 1
	first, second := g.block(1, depth), g.block(1, depth-1)
	g.loops = loops
	return fmt.Sprintf("for i = 1, 3 do\nlocal e = i * 2\nfs[#fs + 1] = function() e = e + 1 return e end\ndo\nlocal h = e\n%sif %s then goto %s end\nfs[#fs + 1] = function() return h end\nend\n%s::%s::\nend",
		first, g.expr(2), label, second, label)
}

// counted jumps backwards a bounded number of times.
func (g *generator) counted(depth int) string {
	label, v := g.fresh("again"), g.fresh("j")
	return fmt.Sprintf("do local %s = 0\n::%s::\nlocal u = %s\n%sfs[#fs + 1] = function() return u end\n%s = %s + 1\nif %s < 3 then goto %s end end",
		v, label, v, g.block(1, depth), v, v, v, label)
}

// breakOut leaves a loop from a block whose locals were captured.
func (g *generator) breakOut(depth int) string {
	v := g.fresh("o")
	return fmt.Sprintf("while true do\ndo\nlocal %s = %s\nfs[#fs + 1] = function() return %s end\n%sif %s then break end\nend\nlocal z = 5\nfs[#fs + 1] = function() return z end\nbreak\nend\nlocal x1, x2, x3 = 77, 78, 79",
		v, g.expr(1), v, g.block(1, min(depth, 1)), g.expr(2))
}
