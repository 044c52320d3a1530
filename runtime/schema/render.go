package schema

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence turns the doc comment of a declaration into a text for readers who
// see its name elsewhere: "Reason is the cause." becomes "The cause." Comments
// begin with the name of what they describe; the generator sees to that.
func Sentence(doc string) string {
	name, rest, _ := strings.Cut(doc, " ")
	if name == "A" || name == "An" {
		_, rest, _ = strings.Cut(rest, " ")
	}
	for _, verb := range []string{"is ", "is\n", "are ", "are\n"} {
		rest = strings.TrimPrefix(rest, verb)
	}
	if rest == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(first)) + rest[size:]
}

// oneLine joins the lines of a text.
func oneLine(doc string) string { return strings.Join(strings.Fields(doc), " ") }
