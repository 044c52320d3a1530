package main

import (
	"fmt"
	"strings"
)

// function defines a local function, calls it, and keeps what it returns.
func (g *generator) function(depth int) string {
	f := g.fresh("f")
	vararg, loops := g.vararg, g.loops
	g.loops = 0
	params := g.pick("a", "a, b", "...", "a, ...", "")
	g.vararg = strings.Contains(params, "...")
	body := g.block(1+g.rand.IntN(2), depth)
	last := "return " + g.pick("a", "a, b", "id(a, b)", "(id(a, b))", "n, s", "")
	if g.vararg {
		last = "return " + g.pick("...", "(...)", "a, ...", "select('#', ...), ...", "unpack({...}, 1, select('#', ...))")
	}
	g.vararg, g.loops = vararg, loops
	form := g.pick("local function %s(%s)\n%s%s\nend\n", "local %s = function(%s)\n%s%s\nend\n")
	def := fmt.Sprintf(form, f, params, body, last)
	use := g.pick(
		fmt.Sprintf("a, b = %s(%s)", f, g.args()),
		fmt.Sprintf("c = %s(%s)", f, g.args()),
		fmt.Sprintf("t = {%s(%s), x = 1}", f, g.args()),
		fmt.Sprintf("t = {1, %s(%s)}", f, g.args()),
		fmt.Sprintf("d = (%s(%s))", f, g.args()),
		fmt.Sprintf("n = count(%s(%s))", f, g.args()),
	)
	return def + use
}

// protected runs a block under pcall or xpcall; captured variables change after it.
func (g *generator) protected(depth int) string {
	vararg, loops := g.vararg, g.loops
	g.vararg, g.loops = false, 0
	v := g.fresh("p")
	body := g.block(1+g.rand.IntN(2), depth)
	raise := g.pick("error('x')", "error({code = n})", "error(nil)", "local z = nil; z.x = 1", "return a, b", "return", "error(s, 0)")
	g.vararg, g.loops = vararg, loops
	call := g.pick("pcall(function() %s end)", "pcall(function() %s end, a)", "xpcall(function() %s end, function(e) return type(e) end)")
	call = fmt.Sprintf(call, "\n"+body+"do local in1 = "+v+"\nfs[#fs + 1] = function() in1 = T(in1) return in1 end\n"+raise+" end\n")
	return fmt.Sprintf("do local %s = %s\nlocal function get() return %s end\nlocal ok, e = %s\n%s = %s\na = get()\nb = ok\nc = type(e) == 'table' and e.code or B(e) end",
		v, g.expr(1), v, call, v, g.expr(1))
}

// object builds something with methods and a metatable.
func (g *generator) object(depth int) string {
	o := g.fresh("o")
	body := g.block(1, min(depth, 1))
	class := fmt.Sprintf(`local %[1]s = {v = %[2]s}
%[1]s.__index = %[3]s
%[1]s.__call = function(self, x) return %[4]s, x end
%[1]s.__%[5]s = function(x, y) return N(type(x) == "table" and x.v or x) + N(type(y) == "table" and y.v or y) end
%[1]s.__concat = function(x, y) return "cat" .. type(x) .. type(y) end
%[1]s.__eq = function(x, y) return N(x.v) == N(y.v) end
%[1]s.__lt = function(x, y) return N(x.v) < N(y.v) end
%[1]s.__unm = function(x) return %[6]s end
%[1]s.__tostring = function(x) return "obj" end
function %[1]s.new(v) return setmetatable({v = v}, %[1]s) end
function %[1]s:add(x, ...) self.v = N(self.v) + N(x) return self, count(...) end
function %[1]s:get() return self.v end
`, o, g.expr(1), g.pick(o, "function(_, k) return k == 'get' and "+o+".get or k == 'add' and "+o+".add or nil end"),
		g.expr(1), g.pick("add", "sub", "mul"), g.number(1))
	if g.chance(30) {
		class += fmt.Sprintf("%s.__newindex = function(x, k, v) rawset(x, k, T(v)) end\n", o)
	}
	use := fmt.Sprintf(`local x, y = %[1]s.new(%[2]s), %[1]s.new(%[3]s)
%[4]sx.k = a
a = x:add(%[5]s):get()
b = x == y
c = x < y
d = x(%[6]s)
s = x .. "q"
r = tostring(y)
n = N(-x)
m = select('#', x:add(1, %[7]s))
t = {x.k, rawget(x, "v"), rawequal(x, y), x <= y, getmetatable(x) == %[1]s}`,
		o, g.expr(1), g.number(1), body, g.number(1), g.expr(1), g.args())
	return "do\n" + class + use + "\nend"
}

// constructor builds a table from fields of all sorts, around the sizes at which
// the code generator works in batches.
func (g *generator) constructor(int) string {
	var fields []string
	if g.chance(40) {
		for i := range g.pick("0123456789", "01234")[:g.rand.IntN(5)] {
			fields = append(fields, g.pick(g.expr(1), fmt.Sprint(i)))
		}
		items := 47 + g.rand.IntN(5)
		for i := range items {
			fields = append(fields, fmt.Sprint(i))
		}
	}
	for range g.rand.IntN(5) {
		fields = append(fields, g.pick(g.expr(2), "x = "+g.pick("1", "'y'", "nil"), "['k'] = 'lit'", "id(a, b)", "[70] = 1", "(id(b, a))"))
	}
	if g.chance(50) {
		fields = append(fields, g.pick("id(a, b, c)", "(id(a, b))", "x = id(1, 2)", "id()"))
		if g.vararg && g.chance(40) {
			fields = append(fields, g.pick("...", "(...)"))
		}
	}
	return "t = {" + strings.Join(fields, ", ") + "}"
}

// constants builds a table of constants, which is only read, or is not.
func (g *generator) constants(depth int) string {
	q := g.pick("q", "q", "l")
	table := g.pick("{x = 1, y = 'z'}", "{'p', 'q', 7}", "{1, 2, k = true}", "{x = false, 5, x = 6}", "{['x'] = 1, ['if'] = 2}", "{}", "{x = {}}")
	read := func() string { return q + g.pick(".x", ".y", "[1]", "[n]", ".k", "['if']", "[T(a)]", "[#"+q+"]") }
	use := g.pick("", "", "", q+".x = N("+q+".x) + 1", q+"[1] = T(a)", "local w = "+q+" w.y = 3", "table.insert("+q+", 1)",
		"rawset("+q+", 'x', b)", "for i, v in ipairs("+q+") do "+q+"[i] = n end", "function "+q+".x() return a end", q+" = {x = 9}")
	keep := g.pick("", "fs[#fs + 1] = function() return "+read()+" end", "fs[#fs + 1] = function() "+q+".x = T("+q+".x) return "+q+".x end")
	return fmt.Sprintf("for i = 1, 2 do local %s = %s\na = %s\n%s\n%s\n%sb = %s c = #%s end", q, table, read(), use, keep, g.block(1, depth), read(), q)
}

// listOp works on l, which has no holes.
func (g *generator) listOp() string {
	return g.pick(
		"table.insert(l, "+g.number(1)+")",
		"table.insert(l, 1, "+g.number(1)+")",
		"n = N(table.remove(l))",
		"n = N(table.remove(l, 1))",
		"table.sort(l)",
		"table.sort(l, function(x, y) return x > y end)",
		"l[#l + 1] = "+g.number(1),
		"l[#l] = nil",
		"n = #l",
		"r = table.concat({1, 2, 'x'}, "+g.pick("','", "s")+")",
		"a, b = unpack(l)",
		"n = select('#', unpack(l, 1, "+g.pick("2", "3", "#l")+"))",
		"n = table.maxn(l)",
		"l = {"+g.number(1)+", "+g.number(1)+"}",
		"n = 0 for i, v in ipairs(l) do n = n + v * i end",
	)
}
