package terminal

import (
	"fmt"
	"strings"
	"unicode"
)

// Plain returns text as it can be shown: what would steer a terminal, or make
// text look other than it is, is spelled out. Line ends and tabs stay.
func Plain(text string) string {
	if strings.IndexFunc(text, steers) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if steers(r) {
			fmt.Fprintf(&out, "<U+%04X>", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// steers reports whether r is a control character or an invisible one.
func steers(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar)
}

// Line is [Plain] in one line of at most max characters.
func Line(text string, limit int) string {
	runes := []rune(Plain(strings.Join(strings.Fields(text), " ")))
	if len(runes) <= limit {
		return string(runes)
	}
	return string(runes[:limit]) + fmt.Sprintf("… (+%d more characters)", len(runes)-limit)
}
