package shell_test

import (
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/lua/stdlib/shell"
)

// render writes what a line runs, one command a line: its words, each quoted only
// if it has to be, and behind them what else is known of it.
func render(l *shell.Line) string {
	var b strings.Builder
	for i := range l.Commands {
		fmt.Fprintln(&b, strings.Join(describe(&l.Commands[i]), " "))
	}
	if l.Problem != "" {
		fmt.Fprintln(&b, "problem:", l.Problem)
	}
	return b.String()
}

func describe(c *shell.Command) []string {
	var parts []string
	for _, a := range c.Assigns {
		parts = append(parts, a.Name+"="+word(&a.Value))
	}
	for i := range c.Argv {
		parts = append(parts, word(&c.Argv[i]))
	}
	for _, r := range c.Redirects {
		parts = append(parts, fmt.Sprintf("{%s %s%s}", r.Kind, r.Fd, word(&r.Target)))
	}
	add := func(name, text string) {
		if text != "" && text != "[]" && text != "false" {
			parts = append(parts, "{"+name+" "+text+"}")
		}
	}
	if c.Input.Kind != "" {
		add("input", fmt.Sprint(c.Input.Kind, " ", word(&c.Input.Text), " ", c.Input.From))
	}
	for _, code := range c.Code {
		add(code.Language, word(&code.Text))
	}
	if c.Script != nil {
		add("script", word(c.Script))
	}
	add("written by", fmt.Sprint(c.Scripts))
	add("via", strings.Join(c.Via, " "))
	add("where", c.Where)
	if c.Cwd != "/p" {
		add("cwd", orNone(c.Cwd))
	}
	add("opaque", c.Opaque)
	return append(parts, place(c.Place)...)
}

func orNone(text string) string {
	if text == "" {
		return "?"
	}
	return text
}

func place(p shell.Context) []string {
	var parts []string
	for _, is := range []struct {
		name string
		set  bool
	}{
		{"subshell", p.Subshell},
		{"loop", p.Loop},
		{"function", p.Function},
		{"background", p.Background},
		{"condition", p.Condition},
		{"substitution", p.Substitution},
		{"maybe", p.Maybe},
	} {
		if is.set {
			parts = append(parts, "{"+is.name+"}")
		}
	}
	if p.Pipeline > 0 {
		parts = append(parts, fmt.Sprintf("{pipe %d.%d}", p.Pipeline, p.Member))
	}
	return parts
}

// word writes a word; "?" is a part that is not known, "*" behind it stands for
// wild cards, "…" for any number of words.
func word(w *shell.Word) string {
	var texts []string
	for _, text := range w.Texts() {
		if text == "" || strings.ContainsAny(text, " \t\n'\"{}|;") {
			text = fmt.Sprintf("%q", text)
		}
		texts = append(texts, strings.NewReplacer("\x00", "?", `\x00`, "?").Replace(text))
	}
	out := strings.Join(texts, "|")
	if w.Glob {
		out += "(glob)"
	}
	if w.Many {
		out += "…"
	}
	return out
}
