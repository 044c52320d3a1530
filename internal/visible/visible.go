// Package visible makes text from elsewhere safe to show. Terminals obey control
// characters, and marks that nobody sees reorder a text or hide a part of it: a human
// who is to agree to something must see what it is.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text spells out, as \xNN, \uNNNN or \UNNNNNNNN, the control characters of text
// except those in keep, its invisible characters, and the bytes that are not UTF-8.
func Text(text, keep string) string {
	hidden := func(r rune) bool { return hides(r) && !strings.ContainsRune(keep, r) }
	if strings.IndexFunc(text, hidden) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1, r < utf8.RuneSelf && hidden(r):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r > 0xFFFF && hidden(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// hides reports whether r steers what shows it, or does not show at all.
func hides(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
