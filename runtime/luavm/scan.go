package luavm

import (
	"fmt"
	"strings"
)

// The parser of gopher-lua accepts spellings that mean something else in
// reference Lua: "\x41" is x41 to it, 0x1p4 is 0x1 followed by a name, and 00777
// is octal. A scanner of our own therefore reads every source first. It reports
// such spellings with their exact place, and its tokens give syntax errors their
// position and hint.

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenNumber
	tokenString
	tokenOp // also any byte that starts no token
)

type token struct {
	kind      tokenKind
	text      string // as written
	line, col int    // from 1, the column in bytes
	offset    int
}

// A scanner yields the tokens of a source.
type scanner struct {
	file      string
	src       string
	pos       int
	line      int
	lineStart int
	edits     []edit // spellings that the parser does not know
	locals    []bool // of what was checked, see [tree]
}

// An edit replaces src[from:to] before parsing.
type edit struct {
	from, to int
	text     string
}

func newScanner(file, src string) *scanner { return &scanner{file: file, src: src, line: 1} }

func (s *scanner) errorAt(t token, hint, format string, args ...any) *Error {
	return &Error{File: s.file, Line: t.line, Column: t.col, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

func (s *scanner) start(kind tokenKind) token {
	return token{kind: kind, line: s.line, col: s.pos - s.lineStart + 1, offset: s.pos}
}

func (s *scanner) peek(ahead int) byte {
	if i := s.pos + ahead; i < len(s.src) {
		return s.src[i]
	}
	return 0
}

// newline consumes one line end of any form.
func (s *scanner) newline() {
	c := s.src[s.pos]
	s.pos++
	if n := s.peek(0); (n == '\n' || n == '\r') && n != c && s.pos < len(s.src) {
		s.pos++
	}
	s.line++
	s.lineStart = s.pos
}

// next returns the next token; tokenEnd at the end of the source.
func (s *scanner) next() (token, *Error) {
	if err := s.skipBlank(); err != nil {
		return token{}, err
	}
	t := s.start(tokenEnd)
	if s.pos >= len(s.src) {
		return t, nil
	}
	var err *Error
	switch c := s.src[s.pos]; {
	case isNameStart(c):
		t.kind = tokenName
		for s.pos < len(s.src) && isNamePart(s.src[s.pos]) {
			s.pos++
		}
	case isDigit(c) || c == '.' && isDigit(s.peek(1)):
		t.kind = tokenNumber
		err = s.number(t)
	case c == '"' || c == '\'':
		t.kind = tokenString
		err = s.quoted(t)
	case c == '[' && s.longBracket() >= 0:
		t.kind = tokenString
		err = s.long(t, "string")
	default:
		t.kind = tokenOp
		s.pos += len(operatorAt(s.src[s.pos:]))
	}
	t.text = s.src[t.offset:s.pos]
	return t, err
}

var operators = []string{"...", "..", "==", "~=", "<=", ">=", "::"}

func operatorAt(s string) string {
	for _, op := range operators {
		if strings.HasPrefix(s, op) {
			return op
		}
	}
	return s[:1]
}

// skipBlank consumes white space and comments.
func (s *scanner) skipBlank() *Error {
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '\n' || c == '\r':
			s.newline()
		case c == ' ' || c == '\t':
			s.pos++
		case c == '\v' || c == '\f': // blank in reference Lua, unknown to the parser
			s.edits = append(s.edits, edit{s.pos, s.pos + 1, " "})
			s.pos++
		case c == '-' && s.peek(1) == '-':
			if err := s.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (s *scanner) comment() *Error {
	t := s.start(tokenOp)
	s.pos += 2
	if s.peek(0) == '[' && s.longBracket() >= 0 {
		return s.long(t, "comment")
	}
	from := s.pos
	for s.pos < len(s.src) && s.src[s.pos] != '\n' && s.src[s.pos] != '\r' {
		s.pos++
	}
	if strings.HasPrefix(s.src[from:s.pos], "[=") { // the parser takes it for a broken long comment
		s.edits = append(s.edits, edit{from, from + 1, " "})
	}
	return nil
}

// longBracket returns the level of the long bracket that opens at the current
// position, or -1.
func (s *scanner) longBracket() int {
	level := 0
	for s.peek(1+level) == '=' {
		level++
	}
	if s.peek(1+level) == '[' {
		return level
	}
	return -1
}

func (s *scanner) long(t token, what string) *Error {
	level := s.longBracket()
	s.pos += level + 2
	closing := "]" + strings.Repeat("=", level) + "]"
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '\n' || c == '\r':
			s.newline()
		case c == ']' && strings.HasPrefix(s.src[s.pos:], closing):
			s.pos += len(closing)
			return nil
		default:
			s.pos++
		}
	}
	return s.errorAt(t, "it ends with "+closing, "unfinished long %s", what)
}

func (s *scanner) quoted(t token) *Error {
	quote := s.src[s.pos]
	s.pos++
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; c {
		case quote:
			s.pos++
			return nil
		case '\n', '\r':
			return s.errorAt(t, "a string ends on its line; use [[ ]] for longer ones", "unfinished string")
		case '\\':
			if err := s.escape(); err != nil {
				return err
			}
		default:
			s.pos++
		}
	}
	return s.errorAt(t, "", "unfinished string")
}

// escapeHints explain what the parser would silently read as plain letters.
var escapeHints = [...]string{
	'x': `use a decimal escape such as \065`,
	'u': `write the character itself or its bytes as decimal escapes`,
	'z': `join the parts with ..`,
}

func (s *scanner) escape() *Error {
	t := s.start(tokenOp)
	s.pos++
	if s.pos >= len(s.src) {
		return nil
	}
	switch c := s.src[s.pos]; {
	case c == '\n' || c == '\r':
		s.newline()
	case strings.IndexByte(`abfnrtv\"'`, c) >= 0:
		s.pos++
	case isDigit(c):
		n := 0
		for i := 0; i < 3 && isDigit(s.peek(0)); i++ {
			n = n*10 + int(s.peek(0)-'0')
			s.pos++
		}
		if n > 255 {
			return s.errorAt(t, "", "escape \\%d is larger than a byte", n)
		}
	default:
		hint := `in patterns the escape is %, a backslash itself is \\`
		if int(c) < len(escapeHints) && escapeHints[c] != "" {
			hint = escapeHints[c]
		}
		return s.errorAt(t, hint, "no escape \\%s in strings", s.character())
	}
	return nil
}

// character is the whole character at the current position, for messages.
func (s *scanner) character() string {
	for _, r := range s.src[s.pos:min(len(s.src), s.pos+4)] {
		return string(r)
	}
	return ""
}

// number consumes a numeral and all letters, digits and dots that touch it: to
// reference Lua they are one malformed number, to the parser two tokens.
func (s *scanner) number(t token) *Error {
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		sign := (c == '+' || c == '-') && strings.IndexByte("eEpP", s.src[s.pos-1]) >= 0 && s.pos > t.offset
		if !isNamePart(c) && c != '.' && !sign {
			break
		}
		if sign && isHex(s.src[t.offset:s.pos]) && s.src[s.pos-1]|0x20 == 'e' {
			break // 0xe+1 is a sum
		}
		s.pos++
	}
	text := s.src[t.offset:s.pos]
	n, ok := parseNumeral(text)
	if !ok {
		hint := ""
		if strings.Contains(text, "_") {
			hint = "numbers have no separators"
		}
		return s.errorAt(t, hint, "malformed number '%s'", shorten(text))
	}
	if rounds(text, n) {
		return s.errorAt(t, "write it as a text", "the number %s cannot be held exactly", shorten(text))
	}
	if !plainNumeral(text) {
		s.edits = append(s.edits, edit{t.offset, s.pos, sourceNumber(n)})
	}
	return nil
}

// plainNumeral reports whether the parser reads text as reference Lua does.
func plainNumeral(text string) bool {
	if len(text) > 15 || isHex(text) || text[0] == '0' && len(text) > 1 && isDigit(text[1]) {
		return false
	}
	return strings.Trim(text, "0123456789.eE+-") == ""
}

func isHex(text string) bool { return len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x' }

func isDigit(c byte) bool     { return c >= '0' && c <= '9' }
func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isNamePart(c byte) bool  { return isNameStart(c) || isDigit(c) }

// tokens scans the whole source; on a lexical error it returns what precedes it.
func (s *scanner) tokens() (all []token) {
	for {
		t, err := s.next()
		if err != nil {
			return all
		}
		all = append(all, t)
		if t.kind == tokenEnd {
			return all
		}
	}
}

// check scans the whole source and returns it in the form that the parser understands.
func (s *scanner) check() (string, *Error) {
	for local := false; ; {
		t, err := s.next()
		if err != nil {
			return "", err
		}
		if t.kind == tokenEnd {
			break
		}
		if local {
			s.locals = append(s.locals, t.kind == tokenName && t.text == "function")
		}
		local = t.kind == tokenName && t.text == "local"
	}
	if len(s.edits) == 0 {
		return s.src, nil
	}
	var b strings.Builder
	from := 0
	for _, e := range s.edits {
		b.WriteString(s.src[from:e.from])
		b.WriteString(e.text)
		from = e.to
	}
	b.WriteString(s.src[from:])
	return b.String(), nil
}
