package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// simple are the escapes of $'…' that stand for one character.
const (
	simpleEscapes = "abeEfnrtv\\'\"?"
	simpleValues  = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
)

// ansi reads the text between $' and '. A NUL ends it, as in bash.
func ansi(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if n := strings.IndexByte(simpleEscapes, s[i]); n >= 0 {
			b.WriteByte(simpleValues[n])
			continue
		}
		n, text := numeric(s[i:])
		if n == 0 {
			b.WriteByte('\\')
			b.WriteByte(s[i])
			continue
		}
		if text == unknown {
			break
		}
		b.WriteString(text)
		i += n - 1
	}
	return b.String()
}

// numeric reads an escape that gives a number, without its backslash, and returns
// how long it is.
func numeric(s string) (int, string) {
	kinds := []struct {
		letter       byte
		most, base   int
		letterIsPart bool
	}{{'x', 2, 16, true}, {'u', 4, 16, true}, {'U', 8, 16, true}, {0, 3, 8, false}}
	if s[0] == 'c' && len(s) > 1 {
		return 2, string(rune(s[1] & 0x1f))
	}
	for _, k := range kinds {
		start := 0
		if k.letterIsPart {
			if s[0] != k.letter {
				continue
			}
			start = 1
		}
		end := start
		for end < len(s) && end < start+k.most && digit(s[end], k.base) {
			end++
		}
		if end == start {
			return 0, ""
		}
		n, _ := strconv.ParseUint(s[start:end], k.base, 32)
		if k.letter == 'u' || k.letter == 'U' {
			return end, string(utf8.AppendRune(nil, rune(n)))
		}
		return end, string([]byte{byte(n)})
	}
	return 0, ""
}

func digit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}
