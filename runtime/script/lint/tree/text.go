package tree

import (
	"strings"

	"github.com/dsh-lua/dsh/runtime/luavm"
)

// newString reads a string as written.
func newString(at Span, raw string) *String {
	s := &String{Span: at}
	if raw[0] == '[' {
		level := strings.IndexByte(raw[1:], '[')
		inner := raw[level+2 : len(raw)-level-2]
		s.Inner = at.From + level + 2
		s.Plain = !strings.Contains(inner, "\r")
		if strings.HasPrefix(inner, "\n") {
			inner = inner[1:]
			s.Inner++
		}
		s.Value = inner
		return s
	}
	inner := raw[1 : len(raw)-1]
	s.Inner = at.From + 1
	s.Plain = !strings.Contains(inner, `\`)
	s.Value = inner
	if !s.Plain {
		s.Value = unescape(inner)
	}
	return s
}

const (
	escapes = `abfnrtv`
	meant   = "\a\b\f\n\r\t\v"
)

// unescape resolves the escapes that the compiler accepts.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		c := text[i]
		if k := strings.IndexByte(escapes, c); k >= 0 {
			b.WriteByte(meant[k])
			continue
		}
		if c < '0' || c > '9' {
			b.WriteByte(c)
			continue
		}
		n, width := 0, 0
		for ; width < 3 && i+width < len(text) && text[i+width] >= '0' && text[i+width] <= '9'; width++ {
			n = n*10 + int(text[i+width]-'0')
		}
		b.WriteByte(byte(n))
		i += width - 1
	}
	return b.String()
}

// comments finds what stands between the tokens.
func comments(source string, tokens []luavm.Token) (list []Comment) {
	from := 0
	for _, t := range tokens {
		list = append(list, commentsIn(source, from, t.From)...)
		from = t.From + len(t.Text)
	}
	return list
}

func commentsIn(source string, from, to int) (list []Comment) {
	for from < to {
		i := strings.Index(source[from:to], "--")
		if i < 0 {
			return list
		}
		start := from + i
		end := start + commentLength(source[start:to])
		list = append(list, Comment{Span{start, end}, source[start:end]})
		from = end
	}
	return list
}

// commentLength returns the length of the comment that text begins with.
func commentLength(text string) int {
	if level := longLevel(text[2:]); level >= 0 {
		closing := "]" + strings.Repeat("=", level) + "]"
		if i := strings.Index(text, closing); i >= 0 {
			return i + len(closing)
		}
		return len(text)
	}
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return i
	}
	return len(text)
}

// longLevel returns the level of the long bracket at the start of text, or -1.
func longLevel(text string) int {
	if !strings.HasPrefix(text, "[") {
		return -1
	}
	rest := strings.TrimLeft(text[1:], "=")
	if !strings.HasPrefix(rest, "[") {
		return -1
	}
	return len(text) - 1 - len(rest)
}
