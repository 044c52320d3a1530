package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

// The colours of a terminal.
const (
	red   = "\x1b[31m"
	green = "\x1b[32m"
	faint = "\x1b[2m"
	plain = "\x1b[0m"
)

// A page is the text for people while it is written.
type page struct {
	bytes.Buffer
	o Options
}

func (p *page) coloured(colour, text string) string {
	if !p.o.Colour {
		return text
	}
	return colour + text + plain
}

// Text writes a report for people.
func Text(w io.Writer, r scripttest.Report, o Options) error {
	p := &page{o: o}
	for _, f := range r.Files {
		p.file(f)
	}
	p.sum(r)
	if o.Coverage != nil {
		p.coverage(*o.Coverage)
	}
	_, err := w.Write(p.Bytes())
	return err
}

func (p *page) file(f scripttest.File) {
	failed := 0
	for _, t := range f.Tests {
		if t.Failure != nil {
			failed++
		}
	}
	mark := p.coloured(green, "ok  ")
	if f.Failed() {
		mark = p.coloured(red, "FAIL")
	}
	fmt.Fprintf(p, "%s %s  %s", mark, f.Path, counted(len(f.Tests), "test"))
	if failed > 0 {
		fmt.Fprintf(p, ", %d failed", failed)
	}
	if f.Left > 0 {
		fmt.Fprintf(p, ", %d left out", f.Left)
	}
	fmt.Fprintf(p, "  %s\n", p.coloured(faint, rounded(f.Took).String()))
	for _, warning := range f.Warnings {
		fmt.Fprintf(p, "  warning: %s\n", warning)
	}
	if f.Fault != nil {
		p.failure(f.Fault, "  ")
	}
	for _, t := range f.Tests {
		p.test(f, t)
	}
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func (p *page) test(f scripttest.File, t scripttest.Test) {
	switch {
	case t.Failure != nil:
		fmt.Fprintf(p, "\n  %s %s\n", p.coloured(red, "✗"), console.Printable(t.Name()))
		p.failure(t.Failure, "    ")
		for _, line := range t.Log {
			fmt.Fprintf(p, "    log: %s\n", console.Printable(line))
		}
		fmt.Fprintf(p, "    again: %s\n\n", again(p.o, f.Path, t))
	case p.o.Verbose:
		fmt.Fprintf(p, "  %s %s  %s\n", p.coloured(green, "✓"), console.Printable(t.Name()), p.coloured(faint, rounded(t.Took).String()))
	}
}

func (p *page) failure(f *scripttest.Failure, indent string) {
	if f.At != "" {
		fmt.Fprintf(p, "%s%s: ", indent, f.At)
	} else {
		p.WriteString(indent)
	}
	p.WriteString(indented(f.Text, indent) + "\n")
	for _, line := range f.Diff {
		line = console.Printable(line)
		switch {
		case strings.HasPrefix(line, "- "):
			line = p.coloured(green, line)
		case strings.HasPrefix(line, "+ "):
			line = p.coloured(red, line)
		}
		fmt.Fprintf(p, "%s  %s\n", indent, line)
	}
	if len(f.Diff) > 0 {
		fmt.Fprintf(p, "%s  %s\n", indent, p.coloured(faint, "(- expected, + got)"))
	}
	for _, note := range f.Notes {
		fmt.Fprintf(p, "%s%s\n", indent, indented(note, indent))
	}
}

// indented is text as lines below each other, without what a terminal would obey.
func indented(text, indent string) string {
	return strings.ReplaceAll(console.Printable(text), "\n", "\n"+indent)
}

func (p *page) sum(r scripttest.Report) {
	passed, failed, left := r.Count()
	text := fmt.Sprintf("%d passed, %d failed", passed, failed)
	if left > 0 {
		text += fmt.Sprintf(", %d left out", left)
	}
	colour := green
	if failed > 0 {
		colour = red
	}
	fmt.Fprintf(p, "%s  %s", p.coloured(colour, text), p.coloured(faint, rounded(r.Took).String()))
	if p.o.Seed != "" {
		fmt.Fprintf(p, "  order %s", p.o.Seed)
	}
	p.WriteString("\n")
}

func (p *page) coverage(c scripttest.Coverage) {
	p.WriteString("\ncovered   lines  branches  file\n")
	for _, f := range c.Files {
		lines, ofLines, branches, ofBranches := f.Count()
		fmt.Fprintf(p, "%6.1f%% %7s %9s  %s\n", scripttest.Share(lines+branches, ofLines+ofBranches),
			fmt.Sprintf("%d/%d", lines, ofLines), fmt.Sprintf("%d/%d", branches, ofBranches), f.Path)
		for _, missing := range missed(f) {
			fmt.Fprintf(p, "          %s\n", missing)
		}
	}
	spoke, of := c.Spoke()
	fmt.Fprintf(p, "%6.1f%% of lines and branches, %d of %s\n", c.Percent(), spoke, counted(of, "rule"))
	for _, r := range c.Rules {
		if r.Spoke == 0 {
			fmt.Fprintf(p, "no test makes rule %s speak  (%s)\n", r.Name, r.At)
		}
	}
}

// missed lists what never ran, in the order of the text.
func missed(f scripttest.Covered) []string {
	var list []string
	if runs := ranges(f); runs != "" {
		list = append(list, "never ran: lines "+runs)
	}
	for _, b := range f.Branches {
		switch {
		case b.True == 0 && b.False == 0: // its line is among those above
		case b.True == 0:
			list = append(list, fmt.Sprintf("line %d: never true", b.Line))
		case b.False == 0:
			list = append(list, fmt.Sprintf("line %d: never false", b.Line))
		}
	}
	return list
}
