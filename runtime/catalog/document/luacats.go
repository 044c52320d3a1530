package document

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
)

// LuaCATS writes the definition file for the Lua language server: the types of
// all payloads and answers, dsh.on with one pair of overloads for each point, a
// constructor for each answer, and the rest of what scripts can call.
func LuaCATS(w io.Writer, points []point.Point) error {
	var b bytes.Buffer
	b.WriteString(luaHead)
	writeLuaTypes(&b, points)
	b.WriteString(luaFilters)
	writeActionKinds(&b, points)
	writeOn(&b, points)
	writeConstructors(&b, points)
	b.WriteString(luaTail)
	_, err := w.Write(b.Bytes())
	return err
}

func writeLuaTypes(b *bytes.Buffer, points []point.Point) {
	payloads := map[string]bool{}
	for _, p := range points {
		payloads[p.Payload().Name()] = true
	}
	named(typesOf(points), func(t *schema.Type, tag string) {
		var more []string
		if payloads[t.Name()] {
			more = append(more, "live dsh.Live Acts on the session.")
		}
		b.WriteString(t.LuaDefinition(tag, more...) + "\n")
	})
}

// writeActionKinds names the kinds that a filter on the action can list.
func writeActionKinds(b *bytes.Buffer, points []point.Point) {
	named(typesOf(points), func(t *schema.Type, _ string) {
		if t.Name() == "tool.Action" {
			fmt.Fprintf(b, "---The kinds of actions.\n---@alias dsh.ActionKind %s\n\n", schema.LuaLiterals(kinds(t)))
		}
	})
}

func writeOn(b *bytes.Buffer, points []point.Point) {
	b.WriteString(luaOn)
	for _, p := range points {
		handler := handlerType(p)
		fmt.Fprintf(b, "---@overload fun(point: %q, handler: %s)\n", p.Name(), handler)
		fmt.Fprintf(b, "---@overload fun(point: %q, filter: %s, handler: %s)\n", p.Name(), filterType(p.Filters()), handler)
	}
	b.WriteString("function dsh.on(point, filter, handler) end\n\n")
}

// handlerType returns the type of the functions that p calls. What a handler
// does not take it need not declare.
func handlerType(p point.Point) string {
	if p.Decision() == nil {
		return fmt.Sprintf("fun(payload: %s)", p.Payload().LuaName())
	}
	answer, next := p.Decision().LuaName(), ""
	switch {
	case p.MaxNext() > 1:
		next = ", next: fun(options?: dsh.NextOptions): " + answer
	case p.MaxNext() == 1:
		next = ", next: fun(): " + answer
	}
	return fmt.Sprintf("fun(payload: %s%s): %s?", p.Payload().LuaName(), next, answer)
}

// filterType returns the class in luaFilters that has the given fields.
func filterType(fields []point.FilterField) string {
	switch {
	case slices.Contains(fields, point.FilterTool):
		return "dsh.ToolFilter"
	case slices.Contains(fields, point.FilterMatch):
		return "dsh.MatchFilter"
	}
	return "dsh.Filter"
}

// A constructor is one function that builds answers of one kind.
type constructor struct {
	name     string
	variants []schema.Variant // of different unions, with the same kind
}

// constructors lists one for each kind of answer, in the order of the points.
func constructors(points []point.Point) []*constructor {
	var list []*constructor
	byName := map[string]*constructor{}
	for _, p := range points {
		if p.Decision() == nil {
			continue
		}
		for _, v := range p.Decision().Variants() {
			name := strings.ReplaceAll(v.Tag(), "-", "_")
			if byName[name] == nil {
				byName[name] = &constructor{name: name}
				list = append(list, byName[name])
			}
			byName[name].variants = append(byName[name].variants, v)
		}
	}
	return list
}

func writeConstructors(b *bytes.Buffer, points []point.Point) {
	for _, c := range constructors(points) {
		docs := make([]string, len(c.variants))
		classes := make([]string, len(c.variants))
		for i, v := range c.variants {
			docs[i], classes[i] = sentence(v.Type().Doc()), v.Type().LuaName()
		}
		result := classes[0]
		if len(classes) > 1 {
			result = schema.LuaPrefix + "answer." + c.name
			fmt.Fprintf(b, "---What dsh.%s builds; it fits several points.\n---@class (exact) %s: %s\n\n", c.name, result, strings.Join(classes, ", "))
		}
		b.WriteString(schema.LuaComment(strings.Join(slices.Compact(docs), "\n\nOr: ")))
		parameter := ""
		if len(c.fields()) > 0 {
			parameter = "fields"
			fmt.Fprintf(b, "---@param fields%s %s\n", c.optional(), c.parameter())
		}
		fmt.Fprintf(b, "---@return %s\nfunction dsh.%s(%s) end\n\n", result, c.name, parameter)
	}
}

// fields returns the members that all variants have.
func (c *constructor) fields() []schema.Field { return c.variants[0].Type().Fields() }

func (c *constructor) required(name string) bool {
	return slices.ContainsFunc(c.variants, func(v schema.Variant) bool {
		f, ok := v.Type().Field(name)
		return !ok || !f.Optional()
	})
}

// optional is "?" if an answer of this kind can be built without any member.
func (c *constructor) optional() string {
	for _, f := range c.fields() {
		if c.required(f.Name()) {
			return ""
		}
	}
	return "?"
}

// parameter returns the type of what the constructor takes: a table with the
// members, or a text for the first one.
func (c *constructor) parameter() string {
	members := make([]string, len(c.fields()))
	for i, f := range c.fields() {
		mark := "?"
		if c.required(f.Name()) {
			mark = ""
		}
		members[i] = f.Name() + mark + ": " + f.Type().LuaName()
	}
	table := "{ " + strings.Join(members, ", ") + " }"
	if c.fields()[0].Type().TakesText() {
		return "string|" + table
	}
	return table
}
