package hookproto

import (
	"strings"
	"unicode/utf8"
)

// UTF8 decodes what a process wrote. Bytes that are not UTF-8 become U+FFFD, one
// for each longest part that could have begun a character, as in both clients.
func UTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			size = begun(b)
		}
		s.WriteRune(r)
		b = b[size:]
	}
	return s.String()
}

// begun returns the length of the unfinished character at the front, at least 1.
func begun(b []byte) int {
	for n := min(3, len(b)); n > 1; n-- {
		if !utf8.FullRune(b[:n]) {
			return n
		}
	}
	return 1
}
