package codex

import (
	"regexp/syntax"
	"strconv"
	"strings"
)

// An escapeRule is how one escape of Rust reads in Go.
type escapeRule struct {
	letters string
	size    int
	ascii   bool // agrees on ASCII alone
	inClass bool // allowed in a bracket expression
}

var escapeRules = []escapeRule{
	{letters: "afnrtv", size: oneSize, inClass: true},
	{letters: "dDwW", size: classSize, ascii: true, inClass: true},
	{letters: "sS", size: 1000, ascii: true, inClass: true},
	{letters: "bB", ascii: true},
	{letters: "Az"},
}

var (
	codePoint = lazily(`^\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[xuU]\{([0-9A-Fa-f]+)\})`)
	property  = lazily(`^\\[pP](?:\{([^}]*)\}|[A-Za-z])`)
)

func (t *translator) escape() {
	n, text, size := t.escaped(false)
	if t.err == nil {
		t.emit(n, text, size)
	}
}

// escaped reads the escape at the front: its length, its Go form and its size.
func (t *translator) escaped(inClass bool) (int, string, int) {
	if len(t.rest) < 2 {
		t.refuse("it ends in a backslash")
		return 0, "", 0
	}
	c := t.rest[1]
	if m := codePoint().FindStringSubmatch(t.rest); m != nil {
		return len(m[0]), `\x{` + m[1] + m[2] + m[3] + m[4] + `}`, oneSize
	}
	if m := property().FindString(t.rest); m != "" {
		if _, err := syntax.Parse(m, syntax.Perl); err != nil {
			t.ours("the property " + m)
		}
		return len(m), m, classSize
	}
	for _, r := range escapeRules {
		if strings.IndexByte(r.letters, c) >= 0 && (r.inClass || !inClass) {
			return t.ruled(r)
		}
	}
	switch {
	case c == '<' || c == '>':
		t.ours("the word boundary \\" + string(c))
	case '0' <= c && c <= '9':
		t.refuse("back references are not supported")
	case c >= 0x80, 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		t.refuse("unknown escape \\" + strings.Trim(strconv.Quote(t.rest[1:2]), `"`))
	default:
		return 2, t.rest[:2], oneSize
	}
	return 0, "", 0
}

func (t *translator) ruled(r escapeRule) (int, string, int) {
	if strings.HasPrefix(t.rest, `\b{`) {
		t.ours("the word boundary of " + t.rest[:3])
	}
	t.ascii = t.ascii || r.ascii
	return 2, t.rest[:2], r.size
}

// class reads a bracket expression. Go has no set operations and no nested
// classes, and reads both as something else.
func (t *translator) class() {
	var b strings.Builder
	at, start := t.out.Len(), true
	size := oneSize
	take := func(n int) { b.WriteString(t.rest[:n]); t.rest = t.rest[n:] }
	take(1)
	if strings.HasPrefix(t.rest, "^") {
		take(1)
	}
	for t.err == nil {
		switch {
		case t.rest == "":
			t.refuse("a bracket is not closed")
		case t.rest[0] == ']' && !start:
			take(1)
			t.atomize(at, size)
			t.out.WriteString(b.String())
			return
		case t.rest[0] == '\\':
			n, text, more := t.escaped(true)
			size += more
			b.WriteString(text)
			t.rest = t.rest[n:]
			if more > oneSize && len(t.rest) > 1 && t.rest[0] == '-' && t.rest[1] != ']' {
				t.refuse("a class is no end of a range")
			}
		case posix().MatchString(t.rest):
			take(len(posix().FindString(t.rest)))
		case t.rest[0] == '[':
			t.ours("a class within a class")
		case setOperator().MatchString(t.rest):
			t.ours("the set operation " + t.rest[:2])
		default:
			take(1)
		}
		start = false
	}
}

var (
	posix       = lazily(`^\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]`)
	setOperator = lazily(`^(?:&&|--|~~)`)
)
