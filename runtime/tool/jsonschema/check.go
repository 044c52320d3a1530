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
	c.check(s, v, nil)
	return c.violations
}

// A place is the way to one part of a value, from the inside out. It is text
// only once there is something to say.
type place struct {
	outer *place
	key   string
	index int // used where key is empty and named is false
	named bool
}

type checker struct {
	root       string
	violations []string
	count      int
	silent     bool // count only
}

func (c *checker) reject(at *place, format string, args ...any) {
	if c.count++; !c.silent {
		c.violations = append(c.violations, fmt.Sprintf(format, append([]any{c.path(at)}, args...)...))
	}
}

func (c *checker) path(at *place) string {
	if text := c.text(at); text != "" {
		return text
	}
	return "arguments"
}

func (c *checker) text(at *place) string {
	if at == nil {
		return c.root
	}
	outer := c.text(at.outer)
	switch {
	case !at.named:
		return outer + "[" + strconv.Itoa(at.index) + "]"
	case outer == "":
		return at.key
	}
	return outer + "." + at.key
}

func (c *checker) check(s *Schema, v value.Value, at *place) {
	switch s.kind {
	case "":
		if !Lossless(v) {
			c.reject(at, `"%s" must be a lossless JSON value`)
		}
	case oneOf:
		c.union(s, v, at)
	case "object":
		c.object(s, v, at)
	case "array":
		c.array(s, v, at)
	default:
		c.scalar(s, v, at)
	}
}

func (c *checker) union(s *Schema, v value.Value, at *place) {
	matched := 0
	for _, branch := range s.branches {
		inner := checker{silent: true}
		if inner.check(branch, v, nil); inner.count == 0 {
			matched++
		}
	}
	if matched != 1 {
		c.reject(at, `"%s" must match exactly one oneOf branch (matched %d)`, matched)
	}
}

func (c *checker) object(s *Schema, v value.Value, at *place) {
	if v.Kind() != value.Object {
		c.reject(at, `"%s" must be an object`)
		return
	}
	for _, name := range s.required {
		if v.Get(name).IsAbsent() {
			c.reject(&place{outer: at, key: name, named: true}, `missing required property "%s"`)
		}
	}
	for i := range s.properties {
		p := &s.properties[i]
		if member := v.Get(p.name); !member.IsAbsent() {
			c.check(p.schema, member, &place{outer: at, key: p.name, named: true})
		}
	}
	for name, member := range v.Members() {
		switch {
		case s.lookup(name) != nil:
		case s.closed:
			c.reject(&place{outer: at, key: name, named: true}, `"%s" is not a declared property (additionalProperties: false)`)
		case !Lossless(member):
			c.reject(&place{outer: at, key: name, named: true}, `"%s" must be a lossless JSON value`)
		}
	}
}

func (c *checker) array(s *Schema, v value.Value, at *place) {
	if v.Kind() != value.List {
		c.reject(at, `"%s" must be an array`)
		return
	}
	for i, item := range v.Items() {
		if s.items != nil {
			c.check(s.items, item, &place{outer: at, index: i})
		} else if !Lossless(item) {
			c.reject(&place{outer: at, index: i}, `"%s" must be a lossless JSON value`)
		}
	}
}

// scalarText says what a scalar type wants.
var scalarText = map[string]string{
	"string": "a string", "number": "a number", "integer": "an integer", "boolean": "a boolean", "null": "null",
}

func (c *checker) scalar(s *Schema, v value.Value, at *place) {
	switch {
	case v.Kind() == value.Number && (s.kind == "number" || s.kind == "integer") && !finite(v):
		c.reject(at, `"%s" must be a finite JSON number`)
	case !fits(s.kind, v):
		c.reject(at, `"%s" must be %s`, scalarText[s.kind])
	case !s.enum.IsAbsent() && !contains(s.enum, v):
		c.reject(at, `"%s" must be one of %s`, s.enum.AppendJSON(nil))
	case !s.constant.IsAbsent() && !s.constant.Equal(v):
		c.reject(at, `"%s" must be %s`, s.constant.AppendJSON(nil))
	}
}
