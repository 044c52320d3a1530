package codex

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// A PatternError is a regular expression that no subject is matched with.
type PatternError struct {
	Pattern string
	Text    string
	// Ours tells that the client would match with it and this package cannot;
	// otherwise the client refuses it too.
	Ours bool
}

func (e *PatternError) Error() string {
	if e.Ours {
		return fmt.Sprintf("pattern %q cannot be honoured here: %s", e.Pattern, e.Text)
	}
	return fmt.Sprintf("pattern %q is no regular expression: %s", e.Pattern, e.Text)
}

// A pattern is a Rust regular expression as a Go one.
type pattern struct {
	re *regexp.Regexp
	// ascii tells that the two agree on subjects of ASCII alone, because classes
	// such as \w hold all of Unicode in Rust.
	ascii bool
}

func compile(source string) (*pattern, error) {
	t := translator{source: source, rest: source, open: []group{{}}}
	for t.rest != "" && t.err == nil {
		t.step()
	}
	if t.err == nil && t.cost() > sizeLimit {
		t.refuse("it compiles to more than the client allows")
	}
	if t.err != nil {
		return nil, t.err
	}
	re, err := regexp.Compile(t.out.String())
	if err != nil {
		return nil, goError(source, err)
	}
	return &pattern{re: re, ascii: t.ascii}, nil
}

// lazily compiles an expression of ours when it is first asked for, so that a
// program that reads no pattern pays for none.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

func (p *pattern) match(subject string) (bool, error) {
	if p.ascii && strings.IndexFunc(subject, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		return false, &PatternError{Pattern: p.re.String(), Ours: true, Text: fmt.Sprintf("its classes differ on %q, which is not ASCII", subject)}
	}
	return p.re.MatchString(subject), nil
}

// alike are the mistakes that both languages refuse.
var alike = []syntax.ErrorCode{
	syntax.ErrMissingBracket, syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrInvalidCharRange,
	syntax.ErrMissingRepeatArgument, syntax.ErrTrailingBackslash, syntax.ErrInvalidEscape,
}

func goError(source string, err error) error {
	var syn *syntax.Error
	if !errors.As(err, &syn) {
		return &PatternError{Pattern: source, Text: err.Error(), Ours: true}
	}
	return &PatternError{Pattern: source, Text: syn.Code.String(), Ours: !slices.Contains(alike, syn.Code)}
}

// What the client's compiled form takes, in bytes, roughly: it refuses patterns
// above the limit, which matters for counted repetition alone.
const (
	sizeLimit = 10 << 20
	oneSize   = 40
	classSize = 50_000
	nestLimit = 250
)

// A group is an open parenthesis of the pattern.
type group struct {
	at   int // in the output
	size int // of what is closed within it
}

// A translator rewrites a Rust regular expression for Go, construct by
// construct. What Go reads differently is rewritten where an equal form exists
// and refused where none does.
type translator struct {
	source, rest string
	out          strings.Builder
	open         []group
	names        []string
	atom         int // where the last atom begins in the output; -1: none to repeat
	atomSize     int
	repeats      int // how often the last atom has been repeated
	ascii        bool
	err          error
}

func (t *translator) refuse(text string) { t.err = &PatternError{Pattern: t.source, Text: text} }
func (t *translator) ours(text string) {
	t.err = &PatternError{Pattern: t.source, Text: text, Ours: true}
}

func (t *translator) cost() int {
	sum := t.atomSize
	for _, g := range t.open {
		sum += g.size
	}
	return sum
}

// emit writes an atom that n bytes of the source stand for.
func (t *translator) emit(n int, text string, size int) {
	t.atomize(t.out.Len(), size)
	t.out.WriteString(text)
	t.rest = t.rest[n:]
}

func (t *translator) atomize(at, size int) {
	t.open[len(t.open)-1].size += t.atomSize
	t.atom, t.atomSize, t.repeats = at, size, 0
}

func (t *translator) step() {
	switch c := t.rest[0]; c {
	case '\\':
		t.escape()
	case '[':
		t.class()
	case '(':
		t.group()
	case ')':
		t.close()
	case '|':
		t.emit(1, "|", 0)
		t.atom = -1
	case '*', '+', '?':
		t.repeat(1, 8)
	case '{':
		t.counted()
	default:
		_, n := utf8.DecodeRuneInString(t.rest)
		t.emit(n, t.rest[:n], oneSize)
	}
}

// repeat takes a repetition operator of n bytes. Go refuses one that stands
// right behind another, so the first goes into a group.
func (t *translator) repeat(n, times int) {
	if t.atom < 0 || t.out.Len() == t.atom {
		t.refuse("nothing to repeat before " + strconv.Quote(t.rest[:n]))
		return
	}
	if t.repeats > nestLimit {
		t.refuse("it nests too deeply")
		return
	}
	if n < len(t.rest) && t.rest[n] == '?' {
		n++
	}
	if t.repeats > 0 {
		whole := t.out.String()
		t.out.Reset()
		t.out.WriteString(whole[:t.atom] + "(?:" + whole[t.atom:] + ")")
	}
	t.out.WriteString(t.rest[:n])
	t.rest = t.rest[n:]
	t.repeats++
	if times > 8 {
		t.atomSize = min(t.atomSize, sizeLimit) * min(times, sizeLimit)
	}
}

var (
	counted   = lazily(`^\{\s*(\d+)\s*(,\s*(\d*)\s*)?\}`)
	groupName = lazily(`^\(\?P?<([^>]*)>`)
	groupFlag = lazily(`^\(\?([a-zA-Z]*)(-[a-zA-Z]+)?([:)])`)
	goodName  = lazily(`^[\pL_][\pL\pN_.\[\]]*$`)
)

func (t *translator) counted() {
	m := counted().FindStringSubmatch(t.rest)
	if m == nil {
		t.refuse("a brace begins no repetition count")
		return
	}
	low, _ := strconv.Atoi(m[1])
	high := low
	if m[3] != "" {
		high, _ = strconv.Atoi(m[3])
	}
	if high < low {
		t.refuse("the repetition count " + m[0] + " is upside down")
		return
	}
	plain := strings.ReplaceAll(strings.Join(strings.Fields(m[0]), ""), " ", "")
	t.rest = plain + t.rest[len(m[0]):]
	t.repeat(len(plain), max(high, 1))
}

var lookarounds = []string{"(?=", "(?!", "(?<=", "(?<!"}

func (t *translator) group() {
	if len(t.open) > nestLimit {
		t.refuse("it nests too deeply")
		return
	}
	for _, l := range lookarounds {
		if strings.HasPrefix(t.rest, l) {
			t.refuse("look-around is not supported")
			return
		}
	}
	if !strings.HasPrefix(t.rest, "(?") {
		t.enter(1, "(")
		return
	}
	if m := groupName().FindStringSubmatch(t.rest); m != nil {
		if !goodName().MatchString(m[1]) || slices.Contains(t.names, m[1]) {
			t.refuse("the group name " + strconv.Quote(m[1]) + " is invalid or used twice")
			return
		}
		t.names = append(t.names, m[1])
		t.enter(len(m[0]), "(")
		return
	}
	t.flags()
}

func (t *translator) flags() {
	m := groupFlag().FindStringSubmatch(t.rest)
	switch {
	case m == nil, m[0] == "(?)":
		t.refuse("unknown kind of group")
	case strings.Trim(m[1]+m[2], "-imsUuxR") != "":
		t.refuse("unknown flag in " + m[0])
	case strings.ContainsAny(m[1]+m[2], "xR"), strings.Contains(m[2], "u"):
		t.ours("the flags of " + m[0])
	case m[3] == ")":
		t.setFlags(m)
	default:
		t.enter(len(m[0]), "(?"+strings.ReplaceAll(m[1], "u", "")+m[2]+":")
	}
}

func (t *translator) setFlags(m []string) {
	text := ""
	if on := strings.ReplaceAll(m[1], "u", "") + m[2]; on != "" {
		text = "(?" + on + ")"
	}
	t.emit(len(m[0]), text, 0)
	t.atom = -1
}

func (t *translator) enter(n int, text string) {
	at := t.out.Len()
	t.emit(n, text, 0)
	t.open = append(t.open, group{at: at})
	t.atom = -1
}

func (t *translator) close() {
	if len(t.open) == 1 {
		t.refuse("a parenthesis closes nothing")
		return
	}
	last := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	size := last.size + t.atomSize
	t.atomSize = 0
	t.out.WriteString(")")
	t.rest = t.rest[1:]
	t.atomize(last.at, size)
}
