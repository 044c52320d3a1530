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

	"github.com/dsh-lua/dsh/internal/visible"
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

// Printable is [visible.Text] of which the lines stay.
func Printable(text string) string { return visible.Text(text, "\n") }

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
