package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dsh-lua/dsh/runtime/script/lint"
)

// A checkReport is what a run of check found.
type checkReport struct {
	Files []checkedFile
}

func (r *checkReport) print(out io.Writer, format string) error {
	for _, f := range checkFormats() {
		if f.name == format {
			return f.print(r, out)
		}
	}
	return nil
}

func (r *checkReport) count(s lint.Severity) (n int) {
	for _, f := range r.Files {
		for _, finding := range f.findings {
			if finding.Severity == s {
				n++
			}
		}
	}
	return n
}

// text prints each finding as messages about scripts are printed everywhere, with
// its line and a mark below.
func (r *checkReport) text(out io.Writer) error {
	for _, f := range r.Files {
		for _, m := range f.mended {
			fmt.Fprintf(out, "%s:%d:%d: fixed: %s (%s) [%s]\n", m.File, m.Line, m.Column, m.Message, m.Fix.Title, m.ID)
		}
		lines := strings.Split(strings.TrimPrefix(f.source, "\xef\xbb\xbf"), "\n")
		for _, finding := range f.findings {
			fmt.Fprintf(out, "%s [%s %s]\n", finding, finding.Severity, finding.ID)
			if finding.Line <= len(lines) {
				printMark(out, strings.TrimSuffix(lines[finding.Line-1], "\r"), finding)
			}
		}
	}
	_, err := fmt.Fprintln(out, r.summary())
	return err
}

// maxLine is how long a line may be to be shown, in bytes.
const maxLine = 160

func printMark(out io.Writer, line string, f lint.Finding) {
	if len(line) > maxLine || f.Column > len(line)+1 {
		return
	}
	blank := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, line[:f.Column-1])
	end := len(line) + 1
	if f.EndLine == f.Line {
		end = min(f.EndColumn, end)
	}
	width := max(len([]rune(line[f.Column-1:max(end-1, f.Column-1)])), 1)
	fmt.Fprintf(out, "    %s\n    %s%s\n", line, blank, strings.Repeat("^", width))
}

// severities are those that a summary counts.
var severities = []lint.Severity{lint.Error, lint.Warning, lint.Hint}

func (r *checkReport) summary() string {
	var counts []string
	for _, s := range severities {
		if n := r.count(s); n > 0 {
			counts = append(counts, plural(n, string(s)))
		}
	}
	if len(counts) == 0 {
		return plural(len(r.Files), "file") + ": nothing found"
	}
	return plural(len(r.Files), "file") + ": " + strings.Join(counts, ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// json prints one line.
func (r *checkReport) json(out io.Writer) error {
	report := struct {
		Files    int            `json:"files"`
		Errors   int            `json:"errors"`
		Warnings int            `json:"warnings"`
		Hints    int            `json:"hints"`
		Findings []lint.Finding `json:"findings"`
		Fixed    []lint.Finding `json:"fixed,omitempty"`
	}{len(r.Files), r.count(lint.Error), r.count(lint.Warning), r.count(lint.Hint), []lint.Finding{}, nil}
	for _, f := range r.Files {
		report.Findings = append(report.Findings, f.findings...)
		report.Fixed = append(report.Fixed, f.mended...)
	}
	return encode(out, report)
}

func encode(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
