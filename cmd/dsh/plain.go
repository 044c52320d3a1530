package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What policies and payloads say is printed for humans, whose terminals obey
// control characters, and reorder text by marks that nobody sees: those are shown
// escaped, everywhere but in JSON.

// printable shows the control characters of text, except newlines, its invisible
// characters, and the bytes that are not UTF-8.
func printable(text string) string {
	if strings.IndexFunc(text, unprintable) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1, r < utf8.RuneSelf && unprintable(r):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unprintable(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

func unprintable(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}

// oneLine makes text fit for one line: printable, and newlines become spaces.
func oneLine(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return printable(strings.ReplaceAll(strings.TrimSpace(text), "\n", " "))
}

// printLine writes text as one line.
func printLine(w io.Writer, text string) { fmt.Fprintln(w, oneLine(text)) }

// printFault writes what went wrong: one line for each of several errors.
func printFault(w io.Writer, err error) {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			printFault(w, e)
		}
		return
	}
	printLine(w, "dsh: "+err.Error())
}
