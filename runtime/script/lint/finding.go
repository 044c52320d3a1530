package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Severity says how sure it is that something is wrong.
type Severity string

// The severities, the worst first.
const (
	Error   Severity = "error"   // the file is refused, or a run ends in a fault
	Warning Severity = "warning" // it runs, and hardly does what it is meant to do
	Hint    Severity = "hint"    // there is a better way
)

// A Finding is one thing that is wrong with a file.
type Finding struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line"`   // from 1
	Column   int      `json:"column"` // from 1, in bytes
	EndLine  int      `json:"end_line"`
	// EndColumn is the column behind the last byte.
	EndColumn int    `json:"end_column"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	Fix       *Fix   `json:"fix,omitempty"`

	from, to int
}

// String returns the finding in the form of all messages about scripts,
// "file:line:column: message (hint)".
func (f Finding) String() string {
	text := fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
	if f.Hint != "" {
		text += " (" + f.Hint + ")"
	}
	return text
}

// A Fix mends a finding. It is only given where the file then means what its
// author can be certain to have meant.
type Fix struct {
	// Title says what it does.
	Title string `json:"title"`
	// Edits are parts of the source to replace. They do not overlap.
	Edits []Edit `json:"edits"`
}

// An Edit replaces the bytes From to To of a source, exclusive, by Text.
type Edit struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

// Apply makes the fixes of findings in source. A fix that overlaps an earlier one
// is left out; a second round may make it. It returns the findings that were
// mended.
func Apply(source string, findings []Finding) (fixed string, mended []Finding) {
	var edits []Edit
	for _, f := range findings {
		if f.Fix == nil || slices.ContainsFunc(f.Fix.Edits, func(e Edit) bool { return overlaps(e, edits) }) {
			continue
		}
		edits = append(edits, f.Fix.Edits...)
		mended = append(mended, f)
	}
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(source[at:e.From])
		b.WriteString(e.Text)
		at = e.To
	}
	return b.String() + source[at:], mended
}

func overlaps(e Edit, others []Edit) bool {
	return slices.ContainsFunc(others, func(o Edit) bool { return e.From <= o.To && o.From <= e.To })
}
