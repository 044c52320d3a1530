package document

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
)

const pointsIntro = `# Extension points

This page is derived from the declarations of the points: ` + "`dsh spec points`" + ` prints it.

A **waterfall** asks for an answer: each handler may give one, or ask the
handlers behind it with ` + "`next`" + ` and change what they say. A **guard** asks too, but
its handlers can only refuse. A **notification** only tells. A handler that
returns nothing has no opinion. One that fails, or whose answer is not listed
here, fails the whole run; it never counts as consent.

In Lua, ` + "`dsh.on(point, filter, handler)`" + ` attaches a handler. Any filter may hold
` + "`rule`" + `, a name for the handler, and at a waterfall ` + "`raw = true`" + `, which takes its answer
as it is. The filters named below restrict the payloads that it is asked about.
Every payload also has ` + "`live`" + `, which acts on the session: ` + "`inject`" + `, ` + "`steer`" + `, ` + "`halt`" + `
and ` + "`tell`" + `.
`

// firers says who fires the points whose names begin with a word.
var firers = map[string]string{
	"agent":    "The agent loop, and a client's hook for the event that corresponds to it.",
	"tools":    "The tool pipeline, and a client's hook before and after a tool.",
	"subagent": "The agent loop, and a client's hook for its subagents.",
	"host":     "A client's hook.",
}

// Markdown writes the reference page of the points.
func Markdown(w io.Writer, points []point.Point) error {
	var b bytes.Buffer
	b.WriteString(pointsIntro)
	b.WriteString("\n| point | kind | payload | answers |\n|---|---|---|---|\n")
	for _, p := range points {
		answers := "–"
		if p.Decision() != nil {
			answers = "`" + strings.Join(kinds(p.Decision()), "` · `") + "`"
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", p.Name(), anchor(p.Name()), p.Kind(), typeText(p.Payload()), answers)
	}
	for _, p := range points {
		writePoint(&b, p)
	}
	b.WriteString("\n# Types\n")
	writeTypes(&b, points)
	_, err := w.Write(b.Bytes())
	return err
}

func writePoint(b *bytes.Buffer, p point.Point) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", p.Name(), sentence(p.Doc()))
	family, _, _ := strings.Cut(p.Name(), "/")
	fmt.Fprintf(b, "- **Kind:** %s.\n- **Fired by:** %s\n- **Filters:** %s.\n", p.Kind(), firers[family], filterText(p.Filters()))
	if p.MaxNext() > 0 {
		fmt.Fprintf(b, "- **next:** %s.\n- **Answers without next:** %s\n", nextText(p.MaxNext()), joinText(p.Joined()))
	}
	fmt.Fprintf(b, "\n**Payload** %s: %s\n\n", typeText(p.Payload()), lower(sentence(p.Payload().Doc())))
	writeFields(b, p.Payload())
	if p.Decision() == nil {
		return
	}
	b.WriteString("\n**Answers**\n")
	for _, v := range p.Decision().Variants() {
		fmt.Fprintf(b, "\n`%s`: %s\n", v.Tag(), lower(sentence(v.Type().Doc())))
		if len(v.Type().Fields()) > 0 {
			b.WriteByte('\n')
			writeFields(b, v.Type())
		}
	}
}

func filterText(fields []point.FilterField) string {
	if len(fields) == 0 {
		return "none"
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = "`" + string(f) + "`"
	}
	return strings.Join(names, ", ")
}

func nextText(times int) string {
	if times == 1 {
		return "once"
	}
	return fmt.Sprintf("up to %d times", times)
}

func joinText(joined bool) string {
	if joined {
		return "joined with those of the handlers behind; the stricter wins."
	}
	return "stand as they are."
}

func writeFields(b *bytes.Buffer, t *schema.Type) {
	b.WriteString("| field | type | |\n|---|---|---|\n")
	for _, f := range t.Fields() {
		optional := ""
		if f.Optional() {
			optional = "optional "
		}
		fmt.Fprintf(b, "| `%s` | %s%s | %s |\n", f.Name(), optional, typeText(f.Type()), strings.ReplaceAll(sentence(f.Doc()), "|", `\|`))
	}
}

// writeTypes describes every type that the tables of the points refer to.
func writeTypes(b *bytes.Buffer, points []point.Point) {
	var types []*schema.Type
	for _, p := range points {
		types = append(types, p.Payload())
		if p.Decision() == nil {
			continue
		}
		for _, v := range p.Decision().Variants() {
			for _, f := range v.Type().Fields() {
				types = append(types, f.Type())
			}
		}
	}
	named(types, func(t *schema.Type, tag string) {
		fmt.Fprintf(b, "\n## Type %s\n\n%s\n", t.Name(), sentence(t.Doc()))
		switch {
		case t.Values() != nil:
			fmt.Fprintf(b, "\nOne of `%s`.\n", strings.Join(t.Values(), "`, `"))
		case t.Variants() != nil:
			b.WriteString("\nTold apart by `kind`:\n\n")
			for _, v := range t.Variants() {
				fmt.Fprintf(b, "- `%s`: %s\n", v.Tag(), typeText(v.Type()))
			}
		case tag != "":
			fmt.Fprintf(b, "\nIts `kind` is `%s`.\n", tag)
		}
		if len(t.Fields()) > 0 {
			b.WriteByte('\n')
			writeFields(b, t)
		}
	})
}

var scalarText = map[schema.Kind]string{
	schema.String: "string", schema.Bool: "boolean", schema.Number: "number",
	schema.Integer: "integer", schema.JSON: "any JSON",
}

func typeText(t *schema.Type) string {
	switch {
	case t.Name() != "":
		return fmt.Sprintf("[%s](#type-%s)", t.Name(), anchor(t.Name()))
	case t.Kind() == schema.List:
		return "list of " + typeText(t.Elem())
	}
	return scalarText[t.Kind()]
}

// anchor returns the fragment that a heading gets.
func anchor(heading string) string {
	keep := func(r rune) rune {
		if r == '/' || r == '.' {
			return -1
		}
		return r
	}
	return strings.ToLower(strings.Map(keep, heading))
}

func lower(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
