package shell

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

func dump(l *Line) string {
	var b strings.Builder
	for i, c := range l.Commands {
		fmt.Fprintf(&b, "   %d %s:", i, c.Name)
		for _, a := range c.Assigns {
			fmt.Fprintf(&b, " {%s=%q}", a.Name, a.Value.Texts())
		}
		for _, w := range c.Argv {
			if len(w.Others) > 0 || w.Glob || w.Many {
				fmt.Fprintf(&b, " %q", w.Texts())
				if w.Glob {
					b.WriteString("g")
				}
				if w.Many {
					b.WriteString("m")
				}
			} else {
				fmt.Fprintf(&b, " %q", w.Text)
			}
		}
		for _, r := range c.Redirects {
			fmt.Fprintf(&b, " <%s %s %q>", r.Kind, r.Fd, r.Target.Text)
		}
		if c.Input.Kind != "" {
			fmt.Fprintf(&b, " in=%s %q %v", c.Input.Kind, c.Input.Text.Text, c.Input.From)
		}
		if len(c.Via) > 0 {
			fmt.Fprintf(&b, " via=%v", c.Via)
		}
		if c.Where != "" {
			fmt.Fprintf(&b, " where=%v", c.Where)
		}
		if c.Opaque != "" {
			fmt.Fprintf(&b, " OPAQUE=%v", c.Opaque)
		}
		for _, x := range c.Code {
			fmt.Fprintf(&b, " code %s %q", x.Language, x.Text.Text)
		}
		if c.Script != nil {
			fmt.Fprintf(&b, " script=%q %v", c.Script.Text, c.Scripts)
		}
		fmt.Fprintf(&b, " cwd=%s\n", c.Cwd)
	}
	if l.Problem != "" {
		fmt.Fprintf(&b, "   PROBLEM %s\n", l.Problem)
	}
	return b.String()
}
func TestDump(t *testing.T) {
	name := os.Getenv("DUMP")
	if name == "" {
		return
	}
	f, _ := os.Open(name)
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var d struct{ ID, Policy, Command, Cwd, Verdict string }
		if json.Unmarshal(sc.Bytes(), &d) != nil {
			d.Command = sc.Text()
			d.Cwd = "/home/dev/app"
		}
		fmt.Printf("%s %s %s %q\n%s", d.ID, d.Policy, d.Verdict, d.Command, dump(Parse(d.Command, Options{Cwd: d.Cwd, Home: "/home/dev"})))
	}
}
