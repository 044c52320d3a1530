package value

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dsh-lua/dsh/runtime/internal/raw"
)

// MaxDepth is how deeply lists and objects may nest: hostile input ends in an
// error, not in an exhausted stack.
const MaxDepth = 10_000

// A SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Line, Column int // both from 1; the column counts bytes
	Offset       int // in bytes, from 0
	Msg          string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// Parse reads one JSON text (RFC 8259), which white space may surround. Order of
// members, digits of numbers and nulls are kept; of duplicate keys the last
// wins, as in the clients' own parsers. Bytes that are not UTF-8 and lone
// surrogates become U+FFFD. Errors are a [*SyntaxError].
//
// The package has its own reader because encoding/json keeps neither the order
// of members nor, with its fast path, the digits of numbers.
func Parse(text []byte) (Value, error) { return ParseString(string(text)) }

// ParseString is [Parse] for a string. The Value may share memory with it.
func ParseString(text string) (Value, error) {
	members := memberStacks.Get().(*[]Member)
	p := parser{text: text, members: *members}
	defer func() {
		if cap(p.members) <= maxKept {
			clear(p.members) // of objects that were never closed
			*members = p.members[:0]
			memberStacks.Put(members)
		}
	}()
	p.space()
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	p.space()
	if p.pos < len(text) {
		return Value{}, p.errorf("unexpected %s after the value", p.what())
	}
	return v, nil
}

// memberStacks lends the room in which members are collected until their number
// is known, so that no object holds more than it needs.
var memberStacks = sync.Pool{New: func() any { return new([]Member) }}

// maxKept is how many members of room are kept for later.
const maxKept = 1024

type parser struct {
	text    string
	pos     int
	members []Member // of the objects that are not yet closed
	items   []Value  // of the lists that are not yet closed
}

func (p *parser) errorf(format string, args ...any) error {
	before := p.text[:p.pos]
	return &SyntaxError{
		Line: strings.Count(before, "\n") + 1, Column: p.pos - strings.LastIndexByte(before, '\n'),
		Offset: p.pos, Msg: fmt.Sprintf(format, args...),
	}
}

// what names the input at the current position for a message.
func (p *parser) what() string {
	if p.pos >= len(p.text) {
		return "end of text"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return strconv.QuoteRune(r)
}

func (p *parser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

func (p *parser) value(depth int) (Value, error) {
	if p.pos >= len(p.text) {
		return Value{}, p.errorf("want a value, got end of text")
	}
	switch c := p.text[p.pos]; {
	case depth == MaxDepth && (c == '{' || c == '['):
		return Value{}, p.errorf("nested deeper than %d", MaxDepth)
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.list(depth)
	case c == '"':
		s, err := p.str()
		return OfString(s), err
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for word, v := range literals {
		if strings.HasPrefix(p.text[p.pos:], word) {
			p.pos += len(word)
			return v, nil
		}
	}
	return Value{}, p.errorf("want a value, got %s", p.what())
}

var literals = map[string]Value{"null": {kind: Null}, "true": {kind: Bool, num: 1}, "false": {kind: Bool}}

func (p *parser) object(depth int) (Value, error) {
	p.pos++
	p.space()
	if p.accept('}') {
		return OwnObject(raw.Access{}, nil), nil
	}
	base := len(p.members)
	for {
		if p.pos >= len(p.text) || p.text[p.pos] != '"' {
			return Value{}, p.errorf("want a quoted key, got %s", p.what())
		}
		key, err := p.str()
		if err != nil {
			return Value{}, err
		}
		p.space()
		if !p.accept(':') {
			return Value{}, p.errorf("want ':' after key %q, got %s", key, p.what())
		}
		p.space()
		v, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		p.members = append(p.members, Member{key, v})
		if done, err := p.more('}'); done || err != nil {
			members := slices.Clone(p.members[base:])
			clear(p.members[base:])
			p.members = p.members[:base]
			return OwnObject(raw.Access{}, members), err
		}
	}
}

func (p *parser) list(depth int) (Value, error) {
	p.pos++
	p.space()
	if p.accept(']') {
		return Value{kind: List, node: &node{}}, nil
	}
	base := len(p.items)
	for {
		v, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		p.items = append(p.items, v)
		if done, err := p.more(']'); done || err != nil {
			items := slices.Clone(p.items[base:])
			p.items = p.items[:base]
			return Value{kind: List, node: &node{items: items}}, err
		}
	}
}

// more consumes what stands between two items, or the closing bracket.
func (p *parser) more(closing byte) (done bool, err error) {
	p.space()
	if p.accept(closing) {
		return true, nil
	}
	if !p.accept(',') {
		return false, p.errorf("want ',' or '%c', got %s", closing, p.what())
	}
	p.space()
	return false, nil
}

func (p *parser) accept(c byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// str reads a string at the opening quote. One without escapes and with valid
// UTF-8 shares memory with the text.
func (p *parser) str() (string, error) {
	start := p.pos + 1
	for i := start; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '"':
			p.pos = i + 1
			return validUTF8(p.text[start:i]), nil
		case c == '\\':
			return p.escaped(start, i)
		case c < ' ':
			p.pos = i
			return "", p.errorf("control character %q in a string", c)
		}
	}
	p.pos = len(p.text)
	return "", p.errorf("string without an end")
}

// validUTF8 replaces every byte that is not part of a character, as
// [AppendString] does.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

func (p *parser) escaped(start, i int) (string, error) {
	var b strings.Builder
	b.WriteString(p.text[start:i])
	for p.pos = i; p.pos < len(p.text); {
		c := p.text[p.pos]
		switch {
		case c == '"':
			p.pos++
			return validUTF8(b.String()), nil
		case c < ' ':
			return "", p.errorf("control character %q in a string", c)
		case c != '\\':
			b.WriteByte(c)
			p.pos++
		default:
			if err := p.escape(&b); err != nil {
				return "", err
			}
		}
	}
	return "", p.errorf("string without an end")
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (p *parser) escape(b *strings.Builder) error {
	if p.pos+1 >= len(p.text) {
		p.pos = len(p.text)
		return p.errorf("string without an end")
	}
	if c := escapes[p.text[p.pos+1]]; c != 0 {
		b.WriteByte(c)
		p.pos += 2
		return nil
	}
	r, ok := p.unicodeEscape()
	if !ok {
		return p.errorf("no such escape in a string")
	}
	p.pos += 6
	if utf16.IsSurrogate(r) {
		low, ok := p.unicodeEscape()
		if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
			p.pos += 6
			r = pair
		} else {
			r = utf8.RuneError
		}
	}
	b.WriteRune(r)
	return nil
}

// unicodeEscape reads the \uXXXX at the current position without consuming it.
func (p *parser) unicodeEscape() (rune, bool) {
	rest := p.text[p.pos:]
	if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(rest[2:6]) {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 || c < '0' {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

func (p *parser) number() (Value, error) {
	start := p.pos
	p.accept('-')
	if !p.accept('0') && p.digits() == 0 {
		return Value{}, p.errorf("want a digit, got %s", p.what())
	}
	whole := true
	if p.accept('.') {
		whole = false
		if p.digits() == 0 {
			return Value{}, p.errorf("want a digit after '.', got %s", p.what())
		}
	}
	if p.accept('e') || p.accept('E') {
		whole = false
		if !p.accept('+') {
			p.accept('-')
		}
		if p.digits() == 0 {
			return Value{}, p.errorf("want a digit in the exponent, got %s", p.what())
		}
	}
	return numberOf(p.text[start:p.pos], whole), nil
}

func (p *parser) digits() (n int) {
	for p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9' {
		p.pos++
		n++
	}
	return n
}

// numberOf makes the number with the given literal. The literal is kept only
// where the float64 would print as another text.
func numberOf(lit string, whole bool) Value {
	if whole && len(lit) < 16 && lit != "-0" {
		n, _ := strconv.ParseInt(lit, 10, 64)
		return Value{kind: Number, num: float64(n)}
	}
	f, err := strconv.ParseFloat(lit, 64)
	if err != nil {
		f = math.Inf(1)
		if lit[0] == '-' {
			f = math.Inf(-1)
		}
	}
	v := Value{kind: Number, num: f}
	if err != nil || v.numberText() != lit {
		v.text = lit
	}
	return v
}
