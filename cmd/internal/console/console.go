// Package console is what the commands of dsh share: where they read and write,
// how they end, and how text looks on a terminal.
//
// What policies and payloads say is printed for humans, whose terminals obey
// control characters, and reorder text by marks that nobody sees: those are shown
// escaped, everywhere but in JSON.
package console

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dsh-lua/dsh/runtime/schema"
)

// IO is where a command reads and writes.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
}

// Exit statuses. They are part of the command line interface; those of hook
// belong to the client's protocol.
const (
	ExitOK    = 0
	ExitFault = 1 // the answer is no, or something broke
	ExitUsage = 2 // the command line is wrong
)

// Suggest ends an error about an unknown name: with the nearest known one, or
// with all of them.
func Suggest(got string, known []string) string {
	if hint := schema.Hint(got, known); hint != "" {
		return hint
	}
	return "; want one of " + strings.Join(known, ", ")
}

// Printable shows the control characters of text, except newlines, its invisible
// characters, and the bytes that are not UTF-8.
func Printable(text string) string {
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

// OneLine makes text fit for one line: printable, and newlines become spaces.
func OneLine(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return Printable(strings.ReplaceAll(strings.TrimSpace(text), "\n", " "))
}

// PrintLine writes text as one line.
func PrintLine(w io.Writer, text string) { fmt.Fprintln(w, OneLine(text)) }

// PrintFault writes what went wrong: one line for each of several errors.
func PrintFault(w io.Writer, err error) {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			PrintFault(w, e)
		}
		return
	}
	PrintLine(w, "dsh: "+err.Error())
}
