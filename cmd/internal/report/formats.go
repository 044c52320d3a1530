package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

// markup writes a text where XML and HTML want one. What they cannot hold is left
// out.
func markup(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, text)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;", "\t", "&#9;").Replace(clean)
}

// JUnit writes a report in the XML that build servers read.
func JUnit(w io.Writer, r scripttest.Report, o Options) error {
	var b bytes.Buffer
	passed, failed, _ := r.Count()
	faults := 0
	for _, f := range r.Files {
		if f.Fault != nil {
			faults++
		}
	}
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	fmt.Fprintf(&b, "<testsuites tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%s\">\n", passed+failed, failed-faults, faults, seconds(r.Took))
	for _, f := range r.Files {
		suite(&b, f, o)
	}
	b.WriteString("</testsuites>\n")
	_, err := w.Write(b.Bytes())
	return err
}

func suite(b *bytes.Buffer, f scripttest.File, o Options) {
	failed := 0
	for _, t := range f.Tests {
		if t.Failure != nil {
			failed++
		}
	}
	faults := 0
	if f.Fault != nil {
		faults = 1
	}
	fmt.Fprintf(b, "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%s\">\n",
		markup(f.Path), len(f.Tests)+faults, failed, faults, seconds(f.Took))
	if f.Fault != nil {
		fmt.Fprintf(b, "    <testcase name=\"%s\" classname=\"%s\"><error message=\"%s\">%s</error></testcase>\n",
			markup(f.Path), markup(f.Path), markup(f.Fault.Text), markup(strings.Join(failureLines(f.Fault), "\n")))
	}
	for _, t := range f.Tests {
		fmt.Fprintf(b, "    <testcase name=\"%s\" classname=\"%s\" time=\"%s\"", markup(t.Name()), markup(f.Path), seconds(t.Took))
		if t.Failure == nil {
			b.WriteString("/>\n")
			continue
		}
		lines := append([]string{t.Failure.At}, failureLines(t.Failure)...)
		lines = append(lines, "again: "+again(o, f.Path, t))
		fmt.Fprintf(b, "><failure message=\"%s\">%s</failure>", markup(t.Failure.Text), markup(strings.Join(lines, "\n")))
		if len(t.Log) > 0 {
			fmt.Fprintf(b, "<system-out>%s</system-out>", markup(strings.Join(t.Log, "\n")))
		}
		b.WriteString("</testcase>\n")
	}
	b.WriteString("  </testsuite>\n")
}

// TAP writes a report in version 13 of the Test Anything Protocol.
func TAP(w io.Writer, r scripttest.Report, o Options) error {
	var b bytes.Buffer
	passed, failed, _ := r.Count()
	fmt.Fprintf(&b, "TAP version 13\n1..%d\n", passed+failed)
	n := 0
	point := func(name string, f *scripttest.Failure, more ...string) {
		n++
		name = strings.NewReplacer("#", `\#`, "\n", " ").Replace(name)
		if f == nil {
			fmt.Fprintf(&b, "ok %d - %s\n", n, name)
			return
		}
		fmt.Fprintf(&b, "not ok %d - %s\n", n, name)
		for _, line := range append(append([]string{f.At}, failureLines(f)...), more...) {
			for part := range strings.SplitSeq(line, "\n") {
				b.WriteString("# " + part + "\n")
			}
		}
	}
	for _, f := range r.Files {
		if f.Fault != nil {
			point(f.Path, f.Fault)
		}
		for _, t := range f.Tests {
			point(f.Path+": "+t.Name(), t.Failure, "again: "+again(o, f.Path, t))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// LCOV writes what was covered in the format that editors and services read.
func LCOV(w io.Writer, c scripttest.Coverage) error {
	var b bytes.Buffer
	for _, f := range c.Files {
		fmt.Fprintf(&b, "TN:\nSF:%s\n", f.Path)
		for i, branch := range f.Branches {
			fmt.Fprintf(&b, "BRDA:%d,%d,0,%s\nBRDA:%d,%d,1,%s\n", branch.Line, i, taken(branch, branch.True), branch.Line, i, taken(branch, branch.False))
		}
		lines, ofLines, branches, ofBranches := f.Count()
		fmt.Fprintf(&b, "BRF:%d\nBRH:%d\n", ofBranches, branches)
		for line := range strings.Count(f.Source, "\n") + 2 {
			if hits, code := f.Lines[line]; code {
				fmt.Fprintf(&b, "DA:%d,%d\n", line, hits)
			}
		}
		fmt.Fprintf(&b, "LF:%d\nLH:%d\nend_of_record\n", ofLines, lines)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// taken is how often an outcome of a condition came, or "-" if it was never asked.
func taken(b scripttest.Branch, n int64) string {
	if b.True+b.False == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}
