package stdlib

import (
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/lua/stdlib/shell"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A classShape is the shape of a view of a class: to read a field that the class
// does not have is an error.
type classShape struct {
	name   string
	fields map[string]*classShape // nil for members without a shape
	elem   *classShape
}

// shapesOf makes the shapes of classes of their declared fields.
func shapesOf(classes []Class) map[string]*classShape {
	shapes := make(map[string]*classShape, len(classes))
	for _, class := range classes {
		shapes[class.Name] = &classShape{name: class.Name, fields: make(map[string]*classShape, len(class.Fields))}
	}
	for _, class := range classes {
		for _, f := range class.Fields {
			base, list := strings.CutSuffix(f.Type, "[]")
			shape := shapes[base]
			if list && shape != nil {
				shape = &classShape{elem: shape}
			}
			shapes[class.Name].fields[strings.TrimSuffix(f.Name, "?")] = shape
		}
	}
	return shapes
}

// Field implements [luavm.Shape].
func (s *classShape) Field(name string) (luavm.Shape, error) {
	if s.elem != nil || s.fields == nil {
		return nil, nil
	}
	member, ok := s.fields[name]
	if !ok {
		names := make([]string, 0, len(s.fields))
		for field := range s.fields {
			names = append(names, field)
		}
		return nil, fmt.Errorf("%s has no field %q%s", s.name, name, luavm.Hint(name, names))
	}
	if member == nil {
		return nil, nil
	}
	return member, nil
}

// Elem implements [luavm.Shape].
func (s *classShape) Elem() luavm.Shape {
	if s.elem == nil {
		return nil
	}
	return s.elem
}

// members collects the members of an object; what is empty is left out.
type members []value.Member

func (m *members) add(name string, v value.Value) { *m = append(*m, value.Member{Key: name, Value: v}) }

func (m *members) text(name, text string) {
	if text != "" {
		m.add(name, value.OfString(text))
	}
}

func (m *members) truth(name string, b bool) {
	if b {
		m.add(name, value.OfBool(true))
	}
}

func (m *members) number(name string, n int) {
	if n != 0 {
		m.add(name, value.OfInt(int64(n)))
	}
}

func (m *members) object() value.Value { return value.OfRecord(*m) }

// noItems is the list that most lists of a command are; values are immutable.
var noItems = value.OfList()

func listOf[T any](items []T, doc func(*T) value.Value) value.Value {
	if len(items) == 0 {
		return noItems
	}
	out := make([]value.Value, len(items))
	for i := range items {
		out[i] = doc(&items[i])
	}
	return value.OfList(out...)
}

func textDoc(s *string) value.Value { return value.OfString(*s) }

// indexDoc makes the place in a Lua list of an index.
func indexDoc(i *int) value.Value { return value.OfInt(int64(*i) + 1) }

func lineDoc(l *shell.Line) value.Value {
	out := make(members, 0, 2)
	out.add("commands", listOf(l.Commands, commandDoc))
	out.text("problem", l.Problem)
	return out.object()
}

func commandDoc(c *shell.Command) value.Value {
	out := make(members, 0, 20)
	parsed := c.Parsed()
	out.text("name", c.Name)
	out.add("argv", listOf(c.Argv, wordDoc))
	out.text("sub", parsed.Sub)
	out.add("before", listOf(parsed.Before, optionDoc))
	out.add("options", listOf(parsed.Options, optionDoc))
	out.add("operands", listOf(parsed.Operands, wordDoc))
	out.truth("unsure", parsed.Unsure)
	out.add("assigns", listOf(c.Assigns, assignDoc))
	out.add("redirects", listOf(c.Redirects, redirectDoc))
	if c.Input.Kind != "" {
		out.add("input", inputDoc(&c.Input))
	}
	out.add("via", listOf(c.Via, textDoc))
	out.text("where", c.Where)
	out.text("cwd", c.Cwd)
	out.add("code", listOf(c.Code, codeDoc))
	if c.Script != nil {
		out.add("script", wordDoc(c.Script))
	}
	out.add("scripts", listOf(c.Scripts, indexDoc))
	out.text("opaque", c.Opaque)
	out.truth("wrapper", c.Wrapper)
	placeDoc(&out, &c.Place)
	return out.object()
}

func placeDoc(out *members, p *shell.Context) {
	out.number("pipeline", p.Pipeline)
	out.number("member", p.Member)
	out.truth("subshell", p.Subshell)
	out.truth("loop", p.Loop)
	out.truth("in_function", p.Function)
	out.truth("background", p.Background)
	out.truth("condition", p.Condition)
	out.truth("substitution", p.Substitution)
	out.truth("maybe", p.Maybe)
	out.number("depth", p.Depth)
}

func wordDoc(w *shell.Word) value.Value {
	out := make(members, 0, 8)
	known := w.Known()
	texts := w.KnownTexts()
	if w.Single() {
		out.add("text", value.OfString(w.Text))
	}
	out.add("known", value.OfBool(known))
	out.add("texts", listOf(texts, textDoc))
	if !known {
		out.add("prefix", value.OfString(w.Prefix()))
		out.add("suffix", value.OfString(w.Suffix()))
	}
	out.truth("glob", w.Glob)
	out.truth("many", w.Many)
	out.text("raw", w.Raw)
	out.add("from", listOf(w.From, indexDoc))
	return out.object()
}

func optionDoc(o *shell.Option) value.Value {
	out := make(members, 0, 3)
	out.add("name", value.OfString(o.Name))
	if o.HasValue {
		out.add("value", wordDoc(&o.Value))
	}
	out.truth("long", o.Long)
	return out.object()
}

func assignDoc(a *shell.Assign) value.Value {
	out := make(members, 0, 3)
	out.add("name", value.OfString(a.Name))
	out.add("value", wordDoc(&a.Value))
	out.truth("append", a.Append)
	return out.object()
}

func redirectDoc(r *shell.Redirect) value.Value {
	out := make(members, 0, 3)
	out.add("kind", value.OfString(r.Kind))
	out.text("fd", r.Fd)
	out.add("target", wordDoc(&r.Target))
	return out.object()
}

func inputDoc(in *shell.Input) value.Value {
	out := make(members, 0, 3)
	out.add("kind", value.OfString(in.Kind))
	out.add("text", wordDoc(&in.Text))
	out.add("from", listOf(in.From, indexDoc))
	return out.object()
}

func codeDoc(c *shell.Code) value.Value {
	out := make(members, 0, 2)
	out.add("language", value.OfString(c.Language))
	out.add("text", wordDoc(&c.Text))
	return out.object()
}
