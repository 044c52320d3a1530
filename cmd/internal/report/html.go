package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

const htmlHead = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Coverage of policies</title>
<style>
body { font: 14px sans-serif; margin: 2em; color: #222; background: #fff }
pre { line-height: 1.35; margin: 0 } .ran { background: #e5f6e5 } .missed { background: #fbdcdc } .half { background: #fdf2c5 }
td { padding: 0 1em 0 0 } .n { color: #888; display: inline-block; width: 7em }
details { margin: 1em 0 } summary { cursor: pointer; font-weight: bold }
</style></head><body><h1>Coverage of policies</h1>
`

// HTML writes what was covered as one page that needs nothing else.
func HTML(w io.Writer, c scripttest.Coverage) error {
	var b bytes.Buffer
	b.WriteString(htmlHead)
	spoke, of := c.Spoke()
	fmt.Fprintf(&b, "<p>%.1f%% of lines and branches ran; %d of %s spoke.</p>\n<table>\n", c.Percent(), spoke, counted(of, "rule"))
	for _, r := range c.Rules {
		class := "ran"
		if r.Spoke == 0 {
			class = "missed"
		}
		fmt.Fprintf(&b, "<tr class=\"%s\"><td>rule %s</td><td>%s</td><td>spoke %d times</td></tr>\n", class, escaped(r.Name), escaped(r.At), r.Spoke)
	}
	b.WriteString("</table>\n")
	for _, f := range c.Files {
		htmlFile(&b, f)
	}
	b.WriteString("</body></html>\n")
	_, err := w.Write(b.Bytes())
	return err
}

func htmlFile(b *bytes.Buffer, f scripttest.Covered) {
	lines, ofLines, branches, ofBranches := f.Count()
	fmt.Fprintf(b, "<details open><summary>%s · %.1f%% · lines %d/%d · branches %d/%d</summary>\n<pre>",
		escaped(f.Path), scripttest.Share(lines+branches, ofLines+ofBranches), lines, ofLines, branches, ofBranches)
	for i, text := range strings.Split(strings.TrimSuffix(f.Source, "\n"), "\n") {
		class, count := htmlLine(f, i+1)
		fmt.Fprintf(b, "<span class=\"%s\"><span class=\"n\">%d %s</span>%s</span>\n", class, i+1, count, escaped(text))
	}
	b.WriteString("</pre></details>\n")
}

// htmlLine is how a line is shown: as run, as missed, or as run with a condition of
// which one outcome never came.
func htmlLine(f scripttest.Covered, line int) (class, count string) {
	hits, code := f.Lines[line]
	switch {
	case !code:
		return "", ""
	case hits == 0:
		return "missed", "×0"
	}
	for _, b := range f.Branches {
		if b.Line == line && (b.True == 0 || b.False == 0) {
			return "half", fmt.Sprintf("×%d", hits)
		}
	}
	return "ran", fmt.Sprintf("×%d", hits)
}

func escaped(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(text)
}
