package jsonschema

import (
	"fmt"
	"strconv"

	"github.com/dsh-lua/dsh/runtime/value"
)

// Check returns every way in which v departs from s, in the order of the schema:
// for an object the missing properties, then the declared ones, then those that
// are not declared; for an array its items. The root names v in the messages; an
// empty root is that of arguments, whose members stand alone. It is nil for a
// value that fits, and total: no value makes it fail.
func (s *Schema) Check(v value.Value, root string) []string {
	c := checker{root: root}
	c.check(s, v)
	return c.violations
}

type checker struct {
	root       string
	way        []place // from the root to the part that is judged
	violations []string
	count      int
	silent     bool // count only
}

// A place is one step on the way to a part of a value. It is text only once
// there is something to say.
type place struct {
	key   string
	index int // of an item; used where named is false
	named bool
}

func (c *checker) reject(format string, args ...any) {
	if c.count++; !c.silent {
		c.violations = append(c.violations, fmt.Sprintf(format, append([]any{c.path()}, args...)...))
	}
}

// rejectAt is reject for a member of the part that is judged.
func (c *checker) rejectAt(key, format string) {
	c.way = append(c.way, place{key: key, named: true})
	c.reject(format)
	c.way = c.way[:len(c.way)-1]
}

func (c *checker) path() string {
	text := c.root
	for _, at := range c.way {
		switch {
		case !at.named:
			text += "[" + strconv.Itoa(at.index) + "]"
		case text == "":
			text = at.key
		default:
			text += "." + at.key
		}
	}
	if text == "" {
		return "arguments"
	}
	return text
}

// within judges a part of the part that is judged.
func (c *checker) within(at place, s *Schema, v value.Value) {
	c.way = append(c.way, at)
	c.check(s, v)
	c.way = c.way[:len(c.way)-1]
}

func (c *checker) check(s *Schema, v value.Value) {
	switch s.kind {
	case "":
		if !Lossless(v) {
			c.reject(`"%s" must be a lossless JSON value`)
		}
	case oneOf:
		c.union(s, v)
	case "object":
		c.object(s, v)
	case "array":
		c.array(s, v)
	default:
		c.scalar(s, v)
	}
}

func (c *checker) union(s *Schema, v value.Value) {
	matched := 0
	for _, branch := range s.branches {
		inner := checker{silent: true}
		if inner.check(branch, v); inner.count == 0 {
			matched++
		}
	}
	if matched != 1 {
		c.reject(`"%s" must match exactly one oneOf branch (matched %d)`, matched)
	}
}

func (c *checker) object(s *Schema, v value.Value) {
	if v.Kind() != value.Object {
		c.reject(`"%s" must be an object`)
		return
	}
	for _, name := range s.required {
		if v.Get(name).IsAbsent() {
			c.rejectAt(name, `missing required property "%s"`)
		}
	}
	for i := range s.properties {
		p := &s.properties[i]
		if member := v.Get(p.name); !member.IsAbsent() {
			c.within(place{key: p.name, named: true}, p.schema, member)
		}
	}
	for name, member := range v.Members() {
		switch {
		case s.lookup(name) != nil:
		case s.closed:
			c.rejectAt(name, `"%s" is not a declared property (additionalProperties: false)`)
		case !Lossless(member):
			c.rejectAt(name, `"%s" must be a lossless JSON value`)
		}
	}
}

func (c *checker) array(s *Schema, v value.Value) {
	if v.Kind() != value.List {
		c.reject(`"%s" must be an array`)
		return
	}
	items := s.items
	if items == nil {
		items = &Schema{} // any JSON
	}
	for i := range v.Len() {
		c.within(place{index: i}, items, v.At(i))
	}
}

// scalarText says what a scalar type wants.
var scalarText = map[string]string{
	"string": "a string", "number": "a number", "integer": "an integer", "boolean": "a boolean", "null": "null",
}

func (c *checker) scalar(s *Schema, v value.Value) {
	switch {
	case v.Kind() == value.Number && (s.kind == "number" || s.kind == "integer") && !finite(v):
		c.reject(`"%s" must be a finite JSON number`)
	case !fits(s.kind, v):
		c.reject(`"%s" must be %s`, scalarText[s.kind])
	case !s.enum.IsAbsent() && !contains(s.enum, v):
		c.reject(`"%s" must be one of %s`, s.enum.AppendJSON(nil))
	case !s.constant.IsAbsent() && !s.constant.Equal(v):
		c.reject(`"%s" must be %s`, s.constant.AppendJSON(nil))
	}
}
