// Package jsonschema checks the arguments and values of tools against a closed
// subset of JSON Schema.
//
// A schema that says more than the subset can enforce is refused when the tool
// is declared, because a keyword that is silently ignored is a promise that
// nobody keeps. The subset: type (one of object, array, string, number, integer,
// boolean, null) or oneOf; properties, required and a boolean
// additionalProperties on objects; items on arrays; enum and const on scalars;
// description, title, default and examples anywhere. A node with neither type
// nor oneOf is any JSON.
//
// The package is small and our own rather than a general validator, for three
// reasons: a model learns from the messages, so all violations are listed, in
// the order of the schema's text, each with its path; values are judged in the
// form that the rest of the runtime holds them in, without a copy into maps; and
// a valid value costs two allocations, however large it is.
package jsonschema

import (
	"strings"

	"github.com/dsh-lua/dsh/runtime/value"
)

// A Schema is one compiled node. It never changes and may be shared.
type Schema struct {
	source value.Value
	kind   string // the type; oneOf, or empty for any JSON

	properties []property
	declared   map[string]int // into properties; nil while they are few
	required   []string
	closed     bool // additionalProperties is false
	items      *Schema
	branches   []*Schema
	enum       value.Value // a list, or absent
	constant   value.Value // absent if there is none
}

type property struct {
	name   string
	schema *Schema
}

const oneOf = "oneOf"

// JSON returns the schema as it was written.
func (s *Schema) JSON() value.Value { return s.source }

// An Error lists why a schema is outside of the subset.
type Error struct {
	// Violations are in the order of the schema's text; each begins with a path.
	Violations []string
}

// Error joins the violations with semicolons.
func (e *Error) Error() string {
	return "unsupported JSON schema: " + strings.Join(e.Violations, "; ")
}

// Coded returns what a failure tells of e: it is that of a tool that was given a
// schema it cannot enforce.
func (e *Error) Coded() (message, name, code string) {
	return e.Error(), "JsonSchemaError", "UNSUPPORTED_SCHEMA"
}

// Compile reads a schema. The error is an [*Error] with all violations, whose
// paths start at "schema".
func Compile(source value.Value) (*Schema, error) {
	c := &compiler{}
	s := c.node(source, "schema")
	if len(c.violations) > 0 {
		return nil, &Error{c.violations}
	}
	return s, nil
}

// CompileObject is [Compile] for a schema that must describe an object, as
// structured output does.
func CompileObject(source value.Value) (*Schema, error) {
	s, err := Compile(source)
	if err == nil && s.kind != "object" {
		return nil, &Error{[]string{`schema.type must be "object" (structured output is object-rooted)`}}
	}
	return s, err
}

// lookup returns the declared property with the given name.
func (s *Schema) lookup(name string) *Schema {
	if s.declared != nil {
		if i, ok := s.declared[name]; ok {
			return s.properties[i].schema
		}
		return nil
	}
	for i := range s.properties {
		if s.properties[i].name == name {
			return s.properties[i].schema
		}
	}
	return nil
}
