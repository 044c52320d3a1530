package stdlib

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

const (
	maxRegexp   = 2 << 10 // bytes of a pattern
	maxSearched = 1 << 20 // bytes of a text
	maxMatches  = 1000    // that one call returns or replaces
)

// match is what re.find returns.
func matchClass() Class {
	return Class{
		Name: "dsh.re.Match", Doc: "Where a pattern was found, in bytes from 1, both ends included as in string.sub.",
		Fields: []Field{
			{"from", "integer", "the first byte"},
			{"to", "integer", "the last byte; `from - 1` if the match is empty"},
			{"text", "string", "what was found"},
			{"groups", "(string|false)[]", "what each group holds; false if it took no part"},
			{"named", "table<string, string>", "what the named groups hold, `(?P<name>…)`"},
		},
	}
}

func reModule() Module {
	pattern := Field{"pattern", "string", ""}
	text := Field{"text", "string", ""}
	limit := Field{"limit?", "integer", "how many at most; 1000 if left out, and never more"}
	return Module{
		Name: "re",
		Doc: "Regular expressions of [RE2](https://github.com/google/re2/wiki/Syntax), which take time in proportion to the text whatever the pattern. " +
			"A pattern has at most 2 KiB and compiles to at most 4,096 instructions; a text has at most 1 MiB. " +
			"A pattern is found anywhere in the text unless it says `^` or `$`. Write patterns in long brackets, `[[\\d+]]`, where a backslash is one.",
		Classes: []Class{matchClass()},
		Functions: []Function{
			{Name: "match", Doc: "Reports whether the pattern is found in the text.", Params: []Field{pattern, text}, Returns: []Field{{"", "boolean", ""}}, Call: reMatch},
			{Name: "find", Doc: "Returns the first match, or nil.", Params: []Field{pattern, text}, Returns: []Field{{"", "dsh.re.Match?", ""}}, Call: reFind},
			{Name: "all", Doc: "Returns all matches that do not overlap.", Params: []Field{pattern, text, limit}, Returns: []Field{{"", "dsh.re.Match[]", ""}}, Call: reAll},
			{Name: "any", Doc: "Returns the number of the first pattern in the list that is found in the text, or nil.", Params: []Field{{"patterns", "string[]", ""}, text}, Returns: []Field{{"", "integer?", ""}}, Call: reAny},
			{Name: "replace", Doc: "Returns the text with all matches replaced, and how many there were. In the replacement `$1` and `${name}` stand for groups, and `$$` for a dollar sign.", Params: []Field{pattern, text, {"replacement", "string", ""}, limit}, Returns: []Field{{"", "string", ""}, {"", "integer", ""}}, Call: reReplace},
			{Name: "split", Doc: "Returns what stands between the matches.", Params: []Field{pattern, text, limit}, Returns: []Field{{"", "string[]", ""}}, Call: reSplit},
			{Name: "quote", Doc: "Returns a pattern for the very text.", Params: []Field{text}, Returns: []Field{{"", "string", ""}}, Call: reQuote},
		},
	}
}

// sought is a pattern and a text that have been paid for.
type sought struct {
	*pattern
	text string
	none bool // there can be no match
}

// search reads a pattern and a text, the arguments 1 and 2.
func (c *Call) search() (sought, error) {
	p, err := c.pattern(c.Str(1))
	if err != nil {
		return sought{}, err
	}
	return c.over(p)
}

func (c *Call) over(p *pattern) (sought, error) {
	text, err := c.Capped(2, maxSearched)
	return sought{p, text, p.prefix != "" && !strings.Contains(text, p.prefix)}, err
}

// matches reports whether there is a match, for the price of one search.
func (c *Call) matches(s sought) bool {
	if s.none {
		return false
	}
	c.Charge(s.cost(len(s.text)))
	return s.re.MatchString(s.text)
}

// each calls f with the places of all matches and charges for each search.
func (c *Call) each(s sought, limit int, f func(at []int)) {
	if s.none {
		return
	}
	limit = min(limit, maxMatches)
	last, count := -1, 0
	for pos := 0; pos <= len(s.text) && count < limit; {
		at, read := s.from(pos, s.text)
		c.Charge(1 + s.cost(read))
		if at == nil {
			return
		}
		if at[1] > at[0] || at[0] != last { // no empty match right behind another
			f(at)
			count++
		}
		last = at[1]
		pos = next(s.text, at, pos)
	}
}

func reMatch(c *Call) error {
	s, err := c.search()
	if err != nil {
		return err
	}
	return c.Return(lua.LBool(c.matches(s)))
}

func reFind(c *Call) error {
	s, err := c.search()
	if err != nil {
		return err
	}
	if s.none {
		return c.Return(lua.LNil)
	}
	c.Charge(s.cost(len(s.text)))
	at := s.re.FindStringSubmatchIndex(s.text)
	if at == nil {
		return c.Return(lua.LNil)
	}
	return c.Return(c.found(s, at))
}

func reAll(c *Call) error {
	s, err := c.search()
	if err != nil {
		return err
	}
	out := c.vm.Table(0, 0)
	c.vm.MarkList(out)
	c.each(s, c.Int(3, maxMatches), func(at []int) { out.Append(c.found(s, at)) })
	return c.Return(out)
}

func reAny(c *Call) error {
	patterns, err := c.Strings(1, "patterns")
	if err != nil {
		return err
	}
	for i, text := range patterns {
		p, err := c.pattern(text)
		if err != nil {
			return err
		}
		s, err := c.over(p)
		if err != nil {
			return err
		}
		if c.matches(s) {
			return c.Return(lua.LNumber(i + 1))
		}
	}
	return c.Return(lua.LNil)
}

func reReplace(c *Call) error {
	s, err := c.search()
	if err != nil {
		return err
	}
	replacement, err := c.Capped(3, maxRegexp)
	if err != nil {
		return err
	}
	var out []byte
	from, count := 0, 0
	c.each(s, c.Int(4, maxMatches), func(at []int) {
		out = append(out, s.text[from:at[0]]...)
		before := len(out)
		out = s.re.ExpandString(out, replacement, s.text, at)
		c.vm.Build(len(out) - before)
		from = at[1]
		count++
	})
	if err := c.ReturnText(string(out) + s.text[from:]); err != nil {
		return err
	}
	return c.Return(lua.LNumber(count))
}

func reSplit(c *Call) error {
	s, err := c.search()
	if err != nil {
		return err
	}
	var parts []string
	from := 0
	c.each(s, c.Int(3, maxMatches), func(at []int) {
		if at[1] > 0 && at[0] < len(s.text) {
			parts = append(parts, s.text[from:at[0]])
			from = at[1]
		}
	})
	return c.Return(c.Texts(append(parts, s.text[from:])))
}

func reQuote(c *Call) error {
	text, err := c.Capped(1, maxRegexp)
	if err != nil {
		return err
	}
	return c.ReturnText(regexp.QuoteMeta(text))
}

// found makes the table of one match.
func (c *Call) found(s sought, at []int) lua.LValue {
	groups := c.vm.Table(len(at)/2-1, 0)
	named := c.vm.Table(0, 0)
	for i, name := range s.re.SubexpNames() {
		if i == 0 {
			continue
		}
		if at[2*i] < 0 {
			groups.RawSetInt(i, lua.LFalse)
			continue
		}
		text := c.vm.Text(s.text[at[2*i]:at[2*i+1]])
		groups.RawSetInt(i, text)
		if name != "" {
			named.RawSetString(name, text)
		}
	}
	c.vm.MarkList(groups)
	return c.Table(map[string]lua.LValue{
		"from": lua.LNumber(at[0] + 1), "to": lua.LNumber(at[1]), "text": c.vm.Text(s.text[at[0]:at[1]]),
		"groups": groups, "named": named,
	})
}

var errPattern = errors.New("pattern")

// pattern returns a compiled pattern. A run pays for each pattern once, whether
// or not an earlier run in this state has compiled it, so that what a run costs
// does not depend on what ran before.
func (c *Call) pattern(text string) (*pattern, error) {
	if len(text) > maxRegexp {
		return nil, fmt.Errorf("%w is %d bytes long; it may have %d", errPattern, len(text), maxRegexp)
	}
	p, err := c.patterns.get(text, c.serial)
	if err != nil {
		c.Charge(stepsPerCompiled * len(text))
		return nil, fmt.Errorf("%w: %w", errPattern, err)
	}
	if p.paid != c.serial {
		p.paid = c.serial
		c.Charge(stepsPerCompiled * p.size)
	}
	return p, nil
}

// stepsPerCompiled is what compiling one instruction of a pattern costs.
const stepsPerCompiled = 8
