// Package report writes what came of tests, and what they covered: for people, and
// in the formats that other programs read.
package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

// A Writer writes a report in one format.
type Writer func(w io.Writer, r scripttest.Report, o Options) error

// Options say how a report is written.
type Options struct {
	// Colour marks what failed and what passed for a terminal.
	Colour bool
	// Verbose names the tests that passed too.
	Verbose bool
	// Command is how the program is called, to say how a test is run again.
	Command string
	// Seed is the order of a run in which it was shuffled; empty if it was not.
	Seed string
	// Coverage is what was covered; nil if that was not counted.
	Coverage *scripttest.Coverage
}

// Formats are the formats of reports, by name.
func Formats() map[string]Writer {
	return map[string]Writer{"text": Text, "json": JSON, "junit": JUnit, "tap": TAP}
}

// again is the command that runs one test.
func again(o Options, file string, t scripttest.Test) string {
	command := o.Command + " " + quote(file) + " --run " + quote("^"+regexp.QuoteMeta(t.Name())+"$")
	if o.Seed != "" {
		command += " --shuffle=" + o.Seed
	}
	return command
}

// quote writes a word so that a shell reads it as it is.
func quote(word string) string {
	plain := func(r rune) bool {
		return r == '/' || r == '.' || r == '_' || r == '-' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9'
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// failureLines are a failure in words, without its place.
func failureLines(f *scripttest.Failure) []string {
	lines := []string{f.Text}
	for _, line := range f.Diff {
		lines = append(lines, "  "+line)
	}
	return append(lines, f.Notes...)
}

func rounded(d time.Duration) time.Duration {
	if d < time.Millisecond {
		return d.Round(time.Microsecond)
	}
	return d.Round(time.Millisecond)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }
