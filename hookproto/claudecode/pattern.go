package claudecode

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// translate writes a JavaScript regular expression without flags, the lenient
// grammar of browsers included, in the syntax of the engine that runs it here.
// Neither the engine's own extensions nor its other meanings get through: all
// that is emitted is spelled out. An error says why JavaScript refuses it.
func translate(pattern string) (string, error) {
	t := &translator{in: units(pattern)}
	if err := t.countGroups(); err != nil {
		return "", err
	}
	if err := t.alternatives(0); err != nil {
		return "", err
	}
	if !t.end() {
		return "", errors.New("unmatched )")
	}
	return t.out.String(), nil
}

// Classes of characters, as they stand within brackets.
const (
	wordClass  = `a-zA-Z0-9_`
	digitClass = `0-9`
	spaceClass = `\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`
	everything = `\u0000-\uffff`
	lineEnds   = `\n\r\u2028\u2029`
)

// classes lists the escapes that stand for many characters: the class, and its
// complement within brackets.
var classes = map[rune][2]string{
	'd': {digitClass, `\u0000-/:-\uffff`},
	'w': {wordClass, "\\u0000-/:-@\\[-\\^`{-\\uffff"},
	's': {spaceClass, `\u0000-\u0008\u000e-\u001f!-\u009f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\uffff`},
}

// controls lists the escapes that stand for one character.
var controls = map[rune]rune{'t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}

const boundary = `(?:(?<=[` + wordClass + `])(?![` + wordClass + `])|(?<![` + wordClass + `])(?=[` + wordClass + `]))`

// maxDepth bounds the nesting of groups.
const maxDepth = 200

type translator struct {
	in    []rune // UTF-16 units
	at    int
	out   strings.Builder
	total int            // capturing groups in all
	names map[string]int // of groups
	group int            // capturing groups so far
}

func (t *translator) end() bool { return t.at >= len(t.in) }

func (t *translator) rest(prefix string) bool {
	p := []rune(prefix)
	return len(t.in)-t.at >= len(p) && slices.Equal(t.in[t.at:t.at+len(p)], p)
}

func (t *translator) take(prefix string) bool {
	if !t.rest(prefix) {
		return false
	}
	t.at += len(prefix)
	return true
}

// countGroups finds the capturing groups: escapes before a group can mean it.
func (t *translator) countGroups() error {
	t.names = map[string]int{}
	class := false
	for t.at = 0; !t.end(); t.at++ {
		switch c := t.in[t.at]; {
		case c == '\\':
			t.at++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '(' && !class && !t.rest("(?"):
			t.total++
		case c == '(' && !class && t.rest("(?<") && !t.rest("(?<=") && !t.rest("(?<!"):
			t.total++
			name := t.name(t.at + 3)
			if name == "" {
				return errors.New("invalid name of a group")
			}
			if t.names[name] != 0 {
				return fmt.Errorf("two groups are named %s", name)
			}
			t.names[name] = t.total
		}
	}
	t.at = 0
	return nil
}

// name reads a name up to its closing bracket; "" is none.
func (t *translator) name(from int) string {
	for i := from; i < len(t.in); i++ {
		c := t.in[i]
		switch {
		case c == '>':
			return string(t.in[from:i])
		case c != '$' && c != '_' && !letter(c) && (i == from || c < '0' || c > '9'):
			return ""
		}
	}
	return ""
}

func letter(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func (t *translator) alternatives(depth int) error {
	if depth > maxDepth {
		return errors.New("groups are nested too deep")
	}
	for !t.end() && t.in[t.at] != ')' {
		if t.take("|") {
			t.out.WriteByte('|')
			continue
		}
		repeatable, err := t.term(depth)
		if err != nil {
			return err
		}
		if err := t.quantifier(repeatable); err != nil {
			return err
		}
	}
	return nil
}

// asserts lists what stands for a place and not for characters.
var asserts = map[rune]string{'^': `\A`, '$': `\z`}

// term writes one term, and reports whether it can be repeated.
func (t *translator) term(depth int) (bool, error) {
	c := t.in[t.at]
	if text, is := asserts[c]; is {
		t.at++
		t.out.WriteString(text)
		return false, nil
	}
	switch c {
	case '(':
		return t.openGroup(depth)
	case '[':
		return true, t.class()
	case '\\':
		return t.escape()
	case '.':
		t.out.WriteString("[^" + lineEnds + "]")
	case '*', '+', '?':
		return false, errors.New("nothing to repeat")
	case '{':
		if _, _, n := t.braces(); n > 0 {
			return false, errors.New("nothing to repeat")
		}
		t.literal(c)
	default:
		t.literal(c)
	}
	t.at++
	return true, nil
}

// openings lists what may follow a parenthesis, and whether the group can be
// repeated.
var openings = []struct {
	text       string
	repeatable bool
}{{"(?:", true}, {"(?=", true}, {"(?!", true}, {"(?<=", false}, {"(?<!", false}}

func (t *translator) openGroup(depth int) (bool, error) {
	repeatable := true
	if i := t.opening(); i >= 0 {
		t.out.WriteString("(?:" + openings[i].text) // so that it can be repeated
		repeatable = openings[i].repeatable
	} else {
		if named := t.take("(?<"); named {
			t.at += len([]rune(t.name(t.at))) + 1
		} else if t.rest("(?") {
			return false, errors.New("invalid group")
		} else {
			t.at++
		}
		t.group++
		fmt.Fprintf(&t.out, "(?:(?<%d>", t.group)
	}
	if err := t.alternatives(depth + 1); err != nil {
		return false, err
	}
	if !t.take(")") {
		return false, errors.New("unterminated group")
	}
	t.out.WriteString("))")
	return repeatable, nil
}

// opening takes the beginning of a group that does not capture.
func (t *translator) opening() int {
	for i, o := range openings {
		if t.take(o.text) {
			return i
		}
	}
	return -1
}

// braces reads {n}, {n,} or {n,m} and returns its length, 0 if there is none.
// Bounds that are not written are -1.
func (t *translator) braces() (low, high string, length int) {
	end := slices.Index(t.in[t.at:], '}')
	if end < 0 || t.in[t.at] != '{' {
		return "", "", 0
	}
	low, high, ranged := strings.Cut(string(t.in[t.at+1:t.at+end]), ",")
	if !digits(low) || ranged && high != "" && !digits(high) {
		return "", "", 0
	}
	if !ranged {
		high = low
	}
	return low, high, end + 1
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// maxRepeat is the highest number of repetitions that the engine counts.
const maxRepeat = 1<<31 - 1

func (t *translator) quantifier(repeatable bool) error {
	if t.end() {
		return nil
	}
	text := ""
	switch c := t.in[t.at]; c {
	case '*', '+', '?':
		text = string(c)
		t.at++
	case '{':
		low, high, length := t.braces()
		if length == 0 {
			return nil
		}
		t.at += length
		from, to := bound(low), bound(high)
		switch {
		case high != "" && to < from:
			return errors.New("numbers of a repetition are out of order")
		case high == "":
			text = fmt.Sprintf("{%d,}", from)
		default:
			text = fmt.Sprintf("{%d,%d}", from, to)
		}
	default:
		return nil
	}
	if !repeatable {
		return errors.New("nothing to repeat")
	}
	t.out.WriteString(text)
	if t.take("?") {
		t.out.WriteByte('?')
	}
	return nil
}

func bound(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return maxRepeat
	}
	return min(n, maxRepeat)
}

// literal writes one character that means itself.
func (t *translator) literal(c rune) { t.out.WriteString(spell(c)) }

func spell(c rune) string {
	if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' {
		return string(c)
	}
	return fmt.Sprintf(`\u%04x`, c)
}
