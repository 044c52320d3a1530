package main

import (
	"fmt"
	"strconv"
)

func (g *generator) expr(depth int) string {
	if depth <= 0 || g.chance(25) {
		return g.pick("a", "b", "c", "d", "1", "2", "nil", "true", "false", "0", "t[1]", "t.x", "id(a)", "id(b)", "'s'", "s", "n",
			"t[2]", "3.5", "''", "-1", "not a", "#s", "0x1F", "1e2", "t.y")
	}
	x, y := func() string { return g.expr(depth - 1) }, func() string { return g.expr(depth - 1) }
	switch g.rand.IntN(16) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s and %s)", x(), y())
	case 3, 4, 5:
		return fmt.Sprintf("(%s or %s)", x(), y())
	case 6:
		return "not " + x()
	case 7:
		return fmt.Sprintf("(%s %s %s)", x(), g.pick("==", "~="), y())
	case 8:
		return fmt.Sprintf("(%s %s %s)", g.number(depth-1), g.pick("<", "<=", ">", ">="), g.number(depth-1))
	case 9:
		return fmt.Sprintf("(%s %s %s)", g.text(depth-1), g.pick("<", "<=", ">", ">="), g.text(depth-1))
	case 10:
		return fmt.Sprintf("id(%s)", x())
	case 11:
		return fmt.Sprintf("(id(%s, %s))", x(), y())
	case 12:
		return g.number(depth)
	case 13:
		return g.text(depth)
	case 14:
		return fmt.Sprintf("({%s, k = %s})%s", x(), y(), g.pick("[1]", ".k", "[2]"))
	}
	return fmt.Sprintf("(function(...) return %s end)(%s)", g.pick("...", "(...)", "select('#', ...)", "a"), x())
}

// number writes a number. To add 0 hides the sign of zero.
func (g *generator) number(depth int) string {
	if depth <= 0 || g.chance(30) {
		return g.pick("n", "m", "1", "2", "3", "0.25", "10", "-4", "#l", "#s", "N(a)", "N(t[1])", "0x10", "1e3", ".5", "7.", "007")
	}
	switch g.rand.IntN(9) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s + 0)", g.number(depth-1), g.pick("+", "-", "*"), g.number(depth-1))
	case 3:
		return fmt.Sprintf("(%s %s %s + 0)", g.number(depth-1), g.pick("/", "%"), g.pick("2", "3", "-3", "0.5", "n", "4"))
	case 4:
		return fmt.Sprintf("(-(%s) + 0)", g.number(depth-1))
	case 5:
		return fmt.Sprintf("N(tonumber(%s))", g.pick("'10'", "'0x1f'", "' 5 '", "'1e2'", "'5.'", "'010'", "s", "'1_0'", "''", "'-7'", "'z', 36", "'11', 2", "'0x'", "'1e'", "'- 1'", "'+3'", "'.5'", "'0x.8p1'"))
	case 6:
		return fmt.Sprintf("(%s %s %s + 0)", g.pick("'10'", "'3'", "'0x10'", "' 2 '", "'1e1'", "'007'"), g.pick("+", "-", "*"), g.number(depth-1))
	case 7:
		return fmt.Sprintf("(math.%s(%s) + 0)", g.pick("floor", "ceil", "abs", "max", "min", "sqrt"), g.pick("2.5", "-2.5", "n", "m", "9"))
	}
	return fmt.Sprintf("(%s and %s or %s)", g.expr(depth-1), g.number(depth-1), g.number(depth-1))
}

func (g *generator) text(depth int) string {
	if depth <= 0 || g.chance(30) {
		return g.pick("s", "r", "'abc'", "'x1y22'", "''", "T(a)", "T(t[1])", "'a.b,c'", "[[l\ng]]", "'\\65\\10'", "tostring(B(c))", "'%d'")
	}
	switch g.rand.IntN(8) {
	case 0, 1:
		return fmt.Sprintf("(%s .. %s)", g.text(depth-1), g.text(depth-1))
	case 2:
		return fmt.Sprintf("(%s .. %s .. %s)", g.text(depth-1), g.pick("1", "n", "2.5", "-1", "'q'"), g.text(depth-1))
	case 3:
		return fmt.Sprintf("%s:%s()", g.stringObject(depth), g.pick("upper", "lower", "reverse"))
	case 4:
		return fmt.Sprintf("%s:sub(%s)", g.stringObject(depth), g.pick("1, 2", "2", "-2", "0", "2, -2", "10", "-1, -1", "I(n)", "3, 1"))
	case 5:
		return fmt.Sprintf("%s:rep(%s)", g.stringObject(0), g.pick("0", "2", "-1", "3, ','", "2.7"))
	case 6:
		return g.format()
	}
	return fmt.Sprintf("T(%s)", g.stringCall())
}

func (g *generator) stringObject(depth int) string { return "(" + g.text(depth-1) + ")" }

func (g *generator) format() string {
	spec := g.pick("", "-", "0", "+", " ", "#") + g.pick("", "5", "10", "2") + g.pick("", ".2", ".0", ".5")
	switch g.rand.IntN(4) {
	case 0:
		return fmt.Sprintf("string.format('%%%s%s', %s)", spec, g.pick("d", "i", "x", "X", "o", "c"), g.pick("65", "#s", "3", "0", "255", "7.9", "-1"))
	case 1:
		return fmt.Sprintf("string.format('%%%s%s', %s)", spec, g.pick("f", "g", "e", "G", "E", "a"), g.pick("65", "m", "3.14159", "0", "1e10", "-2.5", "1e-5", "123456789", "1/3"))
	case 2:
		return fmt.Sprintf("string.format('[%%%ss]', %s)", g.pick("", "-5", "5", ".2", "5.1"), g.pick("s", "r", "T(a)", "nil", "true", "12"))
	}
	return fmt.Sprintf("string.format('%%q', %s)", g.pick("s", "'a\\nb'", "'\\\"'", "'\\0001'", "'\\r'"))
}

func (g *generator) subject() string {
	return g.pick("s", "r", "'hello world'", "'key = value'", "'a,b,,c'", "'f(a(b)c)d'", "'  trim  '", "'x1y22'", "'THE (quick) fox'", "'aaa'", "''", "'[t]es^t$'", "'\\0a\\0'")
}

var patterns = []string{
	"a", ".", "%w+", "%a*", "(%w+)", "^%s*(.-)%s*$", "(%w+)%s*=%s*(%w+)", "[^,]*", "%b()", "%f[%w]%w+", "()", "a*", "a-", "b?", "^a",
	"$", "a$", "[a-c]+", "[%d_]", "[]]", "[^]]", "%p", "%u", "%l+", "(a)(b)", "(.)%1", ".-", "x?1", "%d%d", "[%a-]", "%%", "(a*)b", "()a()",
	"%c", "%x+", "%S+", "%W", "[a-]", "^", "(%d)(%d)", "%g+", "%z", "[%z]", ".+o", "((%w)(%w))", "[^%s]+", "%f[%a]", "a+b?",
	"[", "%", "(", ")", "%1", "%f", "%b", "[a", "[%", "(()", "[^",
}

func (g *generator) pattern() string { return strconv.Quote(patterns[g.rand.IntN(len(patterns))]) }

func (g *generator) stringCall() string {
	switch g.rand.IntN(6) {
	case 0:
		return fmt.Sprintf("string.match(%s, %s%s)", g.subject(), g.pattern(), g.pick("", ", 2", ", -1", ", 20"))
	case 1:
		return fmt.Sprintf("(string.gsub(%s, %s, %s%s))", g.subject(), g.pattern(), g.replacement(), g.pick("", ", 1", ", 2", ", 0"))
	case 2:
		return fmt.Sprintf("string.find(%s, %s%s)", g.subject(), g.pattern(), g.pick("", ", 2", ", -1", ", 1, true", ", 20"))
	case 3:
		return fmt.Sprintf("string.byte(%s%s)", g.subject(), g.pick("", ", 2", ", 1, 3", ", -1"))
	case 4:
		return fmt.Sprintf("string.char(%s)", g.pick("65", "72, 105", "", "255", "0"))
	}
	return fmt.Sprintf("#%s", g.subject())
}

func (g *generator) replacement() string {
	return g.pick("'x'", "'<%0>'", "'%1'", "''", "'%%'", "function(x) return x .. '!' end", "function() end", "function(x, y) return y end",
		"{a = 'A', hello = 'HI'}", "{}", "{a = false}", "'[%1%1]'", "function() return false end", "7")
}

// stringOp keeps everything that a call of the string library returns.
func (g *generator) stringOp() string {
	switch g.rand.IntN(4) {
	case 0:
		return fmt.Sprintf("t = {%s}", g.stringCall())
	case 1:
		return fmt.Sprintf("t = {string.gsub(%s, %s, %s)}", g.subject(), g.pattern(), g.replacement())
	case 2:
		return fmt.Sprintf("do local out = {} for x, y in string.gmatch(%s, %s) do out[#out + 1] = T(x) .. T(y) if #out > 20 then break end end t = out end", g.subject(), g.pattern())
	}
	return fmt.Sprintf("a, b, c = %s", g.stringCall())
}
