package script

import "strings"

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokName
	tokString // a literal without escapes
	tokOpaque // a string that is no such literal, or a number
	tokSymbol // one character, or one of longSymbols
	tokBad
)

type token struct {
	kind tokenKind
	text string
	line int
}

// longSymbols are those that contain others which mean something here. They begin
// with a dot or a colon.
var longSymbols = []string{"...", "..", "::"}

// lexer splits Lua into tokens, as far as the scanner needs to tell them apart.
type lexer struct {
	text string
	pos  int
	line int
}

func (l *lexer) next() token {
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; c {
		case '\n':
			l.line++
			l.pos++
		case ' ', '\t', '\v', '\f':
			l.pos++
		case '\r':
			if !strings.HasPrefix(l.text[l.pos:], "\r\n") {
				return token{tokBad, "", l.line} // ends a line for some readers only
			}
			l.pos++
		case '-':
			if !strings.HasPrefix(l.text[l.pos:], "--") {
				return l.token(c)
			}
			if !l.comment() {
				return token{tokBad, "", l.line}
			}
		default:
			return l.token(c)
		}
	}
	return token{tokEnd, "", l.line}
}

func (l *lexer) comment() bool {
	l.pos += 2
	if level := l.longBracket(); level >= 0 {
		_, ok := l.long(level)
		return ok
	}
	if i := strings.IndexAny(l.text[l.pos:], "\r\n"); i >= 0 {
		l.pos += i
	} else {
		l.pos = len(l.text)
	}
	return true
}

func (l *lexer) token(c byte) token {
	line, start := l.line, l.pos
	switch {
	case isLetter(c):
		for l.pos < len(l.text) && (isLetter(l.text[l.pos]) || isDigit(l.text[l.pos])) {
			l.pos++
		}
		return token{tokName, l.text[start:l.pos], line}
	case isDigit(c):
		for l.pos < len(l.text) && (isLetter(l.text[l.pos]) || isDigit(l.text[l.pos]) || l.text[l.pos] == '.') {
			l.pos++
		}
		return token{tokOpaque, "", line}
	case c == '"' || c == '\'':
		return l.quoted(c)
	case c == '[':
		if level := l.longBracket(); level >= 0 {
			text, ok := l.long(level)
			if !ok {
				return token{tokBad, "", line}
			}
			if strings.Contains(text, "\r") {
				return token{tokOpaque, "", line}
			}
			return token{tokString, strings.TrimPrefix(text, "\n"), line}
		}
	}
	l.pos++
	if c == '.' || c == ':' {
		for _, symbol := range longSymbols {
			if strings.HasPrefix(l.text[start:], symbol) {
				l.pos = start + len(symbol)
				break
			}
		}
	}
	return token{tokSymbol, l.text[start:l.pos], line}
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// quoted reads a short string. One with escapes is opaque: nothing depends on
// what they mean.
func (l *lexer) quoted(quote byte) token {
	line, start, opaque := l.line, l.pos+1, false
	for l.pos++; l.pos < len(l.text); l.pos++ {
		switch c := l.text[l.pos]; c {
		case quote:
			text := l.text[start:l.pos]
			l.pos++
			if opaque {
				return token{tokOpaque, "", line}
			}
			return token{tokString, text, line}
		case '\\':
			opaque = true
			if l.pos++; l.pos < len(l.text) && l.text[l.pos] == '\n' {
				l.line++
			}
		case '\n', '\r':
			return token{tokBad, "", line}
		}
	}
	return token{tokBad, "", line}
}

// longBracket returns the level of the long bracket at the current position, or
// -1 if there is none.
func (l *lexer) longBracket() int {
	if l.pos >= len(l.text) || l.text[l.pos] != '[' {
		return -1
	}
	i := l.pos + 1
	for i < len(l.text) && l.text[i] == '=' {
		i++
	}
	if i < len(l.text) && l.text[i] == '[' {
		return i - l.pos - 1
	}
	return -1
}

func (l *lexer) long(level int) (string, bool) {
	start := l.pos + level + 2
	end := strings.Index(l.text[start:], "]"+strings.Repeat("=", level)+"]")
	if end < 0 {
		l.pos = len(l.text)
		return "", false
	}
	text := l.text[start : start+end]
	l.line += strings.Count(text, "\n")
	l.pos = start + end + level + 2
	return text, true
}
