package lint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// A usedPattern is a pattern in a call.
type usedPattern struct {
	call    *tree.Call
	name    string       // of the function
	subject tree.Expr    // the text that is searched
	pattern *tree.String // as written
}

// patternFunctions take a pattern as their first argument behind the text, and
// find takes whether it is plain as its third.
var patternFunctions = []string{"find", "match", "gmatch", "gsub"}

const plainArgument = 2

// patterns lists the patterns that are written out.
func (c *checker) patterns() (list []usedPattern) {
	c.walk(func(n tree.Node) {
		call, ok := n.(*tree.Call)
		if !ok {
			return
		}
		lib, name, subject := c.callee(call)
		args := textArgs(call)
		if lib != "string" || !slices.Contains(patternFunctions, name) || len(args) == 0 || subject == nil {
			return
		}
		if name == "find" && len(args) > plainArgument && !isConst(args[plainArgument], "false") && !isConst(args[plainArgument], "nil") {
			return
		}
		if s := c.stringIs(args[0]); s != nil {
			list = append(list, usedPattern{call, name, subject, s})
		}
	})
	return list
}

// stringIs returns the literal that an expression is for certain.
func (c *checker) stringIs(e tree.Expr) *tree.String {
	if s, ok := literal(e); ok {
		return s
	}
	if n, ok := tree.Bare(e).(*tree.Name); ok && n.Local != nil && n.Local.Writes == 0 && n.Local.Init != nil {
		s, _ := n.Local.Init.(*tree.String)
		return s
	}
	return nil
}

// checkPatterns looks at patterns of Lua, and at regular expressions of re.
func (c *checker) checkPatterns() {
	for _, p := range c.patterns() {
		if err := luavm.CheckPattern(p.pattern.Value); err != nil {
			c.add("bad-pattern", p.pattern, err.Error(), "a character that means something is escaped with %")
			continue
		}
		items := patternItems(p.pattern.Value)
		if !c.checkForeign(p) {
			c.checkMagic(p, items)
		}
		c.checkSlow(p, items)
		c.checkAnchors(p)
	}
	c.walk(func(n tree.Node) {
		if call, ok := n.(*tree.Call); ok {
			c.checkExpression(call)
		}
	})
}

// foreignSigns are what other notations have and Lua's patterns have not.
var foreignSigns = []struct {
	sign, hint string
	beside     func(before, after string) bool // nil if it is clear anyhow
}{
	{"|", "Lua's patterns have no choice", betweenWords},
	{`\`, "the escape of Lua's patterns is %", beforeClass},
	{"(?", "Lua's patterns have no groups of that form", nil},
	{"{1,", "Lua's patterns have no counts", nil},
	{"{2,", "Lua's patterns have no counts", nil},
	{"{3,", "Lua's patterns have no counts", nil},
	{")?", "a group cannot be repeated in Lua's patterns", nil},
	{")*", "a group cannot be repeated in Lua's patterns", nil},
	{")+", "a group cannot be repeated in Lua's patterns", nil},
}

func (c *checker) checkForeign(p usedPattern) bool {
	text := withoutSets(p.pattern.Value)
	for _, f := range foreignSigns {
		i := strings.Index(text, f.sign)
		if i < 0 || f.beside != nil && !f.beside(text[:i], text[i+len(f.sign):]) {
			continue
		}
		c.add("foreign-pattern", p.pattern, f.hint+", so "+quote(f.sign)+" stands for itself", "the module re has regular expressions")
		return true
	}
	return false
}

// betweenWords reports whether a sign stands where a choice would: alone it may
// well be looked for, as a pipe is.
func betweenWords(before, after string) bool {
	return before != "" && after != "" && (letterOrDigit(before[len(before)-1]) || strings.HasSuffix(before, ")")) &&
		(letterOrDigit(after[0]) || after[0] == '(' || after[0] == '^')
}

// beforeClass reports whether what follows is a letter of a class, as in \d.
func beforeClass(_, after string) bool {
	return after != "" && strings.IndexByte("dDwWsSb.", after[0]) >= 0
}

// withoutSets removes sets and escaped characters from a pattern.
func withoutSets(pattern string) string {
	var b strings.Builder
	for _, i := range patternItems(pattern) {
		if strings.HasPrefix(i.text, "[") || strings.HasPrefix(i.text, "%") {
			b.WriteByte(' ')
			if i.quantifier != 0 {
				b.WriteByte(i.quantifier)
			}
			continue
		}
		b.WriteString(i.text)
		if i.quantifier != 0 {
			b.WriteByte(i.quantifier)
		}
	}
	return b.String()
}

// checkMagic finds characters that mean something where they are meant as
// themselves: "-" behind a letter, "." between letters.
func (c *checker) checkMagic(p usedPattern, items []patternItem) {
	var edits []Edit
	sign := ""
	for k, i := range items {
		switch {
		case i.quantifier == '-' && i.class == 'l' && k+1 < len(items):
			sign = "-"
			edits = append(edits, c.escape(p.pattern, i.from+len(i.text))...)
		case i.text == "." && i.quantifier == 0 && c.dotMeant(items, k):
			sign = "."
			edits = append(edits, c.escape(p.pattern, i.from)...)
		}
	}
	if sign != "" {
		means := "as few of the character before it as possible"
		if sign == "." {
			means = "any character"
		}
		c.add("pattern-magic", p.pattern, quote(sign)+" means "+means+" here", "write %"+sign+", or look for a plain text with find(text, 1, true)", edits...)
	}
}

// escape is the edit that puts a % before a byte of a literal.
func (c *checker) escape(s *tree.String, at int) []Edit {
	if !s.Plain {
		return nil
	}
	return []Edit{insert(s.Inner+at, "%")}
}

// dotMeant reports whether a dot stands where names have one: beside a letter, and
// not beside what makes a pattern of it.
func (c *checker) dotMeant(items []patternItem, k int) bool {
	after := k+1 < len(items) && items[k+1].class == 'l' && items[k+1].quantifier == 0
	before := k == 0 || items[k-1].class == 'l' && items[k-1].quantifier == 0 || items[k-1].text == "^"
	return after && before
}

// checkSlow finds patterns whose cost grows with a high power of the text.
func (c *checker) checkSlow(p usedPattern, items []patternItem) {
	wide, anchored := 0, strings.HasPrefix(p.pattern.Value, "^")
	for k, i := range items {
		if !i.repeats() {
			continue
		}
		if k+1 < len(items) && items[k+1].repeats() && i.overlaps(items[k+1]) {
			c.add("slow-pattern", p.pattern, "two repetitions beside each other can share a text in many ways", "join them into one")
			return
		}
		if i.wide() {
			wide++
		}
	}
	if limit := 3; wide > limit || !anchored && wide >= limit {
		c.add("slow-pattern", p.pattern, "the time for this pattern grows with a high power of the text's length", "anchor it with ^, or use the module re, whose time grows with the length alone")
	}
}

// checkAnchors finds names that are looked for within a name.
func (c *checker) checkAnchors(p usedPattern) {
	t := c.typeOf(p.subject)
	if t.sort != data || t.field != string(point.FilterTool) {
		return
	}
	open := !strings.HasPrefix(p.pattern.Value, "^") && !strings.HasSuffix(p.pattern.Value, "$")
	if !open || p.name != "find" && p.name != "match" || !hasWord(p.pattern.Value) {
		return
	}
	c.add("unanchored", p.pattern, "this fits every name that contains it", "anchor the pattern with ^ and $, compare with ==, or filter with tool or match")
}

// checkExpression compiles the regular expressions that are given to re.
func (c *checker) checkExpression(call *tree.Call) {
	f, ok := c.moduleFunction(call)
	if !ok || c.moduleOf(call) != "re" {
		return
	}
	for i, param := range f.Params {
		if param.Name != "pattern" || i >= len(call.Args) {
			continue
		}
		if s := c.stringIs(call.Args[i]); s != nil {
			if _, err := regexp.Compile(s.Value); err != nil {
				c.add("bad-pattern", call.Args[i], strings.TrimPrefix(err.Error(), "error parsing regexp: "), "the notation is that of RE2: no look-around, no references")
			}
		}
	}
}
