package jsonschema

import (
	"fmt"
	"math"
	"slices"

	"github.com/dsh-lua/dsh/runtime/value"
)

// typeKeywords are the constraints that each type takes.
var typeKeywords = map[string][]string{
	"object": {"properties", "required", "additionalProperties"},
	"array":  {"items"},
	"string": {"enum", "const"}, "number": {"enum", "const"}, "integer": {"enum", "const"},
	"boolean": {"enum", "const"}, "null": {"enum", "const"},
}

var (
	constraints = []string{"properties", "required", "additionalProperties", "items", "enum", "const"}
	annotations = []string{"description", "title", "default", "examples"}
)

const (
	subsetText = "is not a supported keyword (subset: type/oneOf/properties/required/additionalProperties/items/enum/const + annotations)"
	typesText  = "must be one of object/array/string/number/integer/boolean/null"
)

// mapFrom is the number of properties from which a map beats a scan.
const mapFrom = 12

// A compiler collects violations. Nodes that have some are still returned, so
// that the rest of the schema is judged too.
type compiler struct{ violations []string }

func (c *compiler) reject(format string, args ...any) {
	c.violations = append(c.violations, fmt.Sprintf(format, args...))
}

func (c *compiler) node(source value.Value, path string) *Schema {
	s := &Schema{source: source}
	if source.Kind() != value.Object {
		c.reject("%s must be a schema object", path)
		return s
	}
	c.keywords(source, path)
	kind, branches := source.Get("type"), source.Get(oneOf)
	switch {
	case !kind.IsAbsent() && !branches.IsAbsent():
		c.reject("%s cannot declare both type and oneOf", path)
	case !branches.IsAbsent():
		s.kind = oneOf
		c.union(s, branches, path)
	case !kind.IsAbsent():
		c.typed(s, kind, path)
	default:
		c.forbid(source, nil, "%s.%s requires type or oneOf", path)
	}
	return s
}

// keywords judges what can be judged without knowing the type.
func (c *compiler) keywords(source value.Value, path string) {
	for key := range source.Members() {
		if key != "type" && key != oneOf && !slices.Contains(constraints, key) && !slices.Contains(annotations, key) {
			c.reject("%s.%s %s", path, key, subsetText)
		}
	}
	for _, key := range annotations {
		switch text := source.Get(key); {
		case text.IsAbsent():
		case key == "description", key == "title":
			if text.Kind() != value.String {
				c.reject("%s.%s must be a string", path, key)
			}
		case !Lossless(text):
			c.reject("%s.%s must be a lossless JSON value", path, key)
		}
	}
}

// forbid rejects the constraints of source that are not allowed.
func (c *compiler) forbid(source value.Value, allowed []string, format, path string, more ...any) {
	for key := range source.Members() {
		if slices.Contains(constraints, key) && !slices.Contains(allowed, key) {
			c.reject(format, append([]any{path, key}, more...)...)
		}
	}
}

func (c *compiler) union(s *Schema, branches value.Value, path string) {
	if branches.Kind() != value.List || branches.Len() < 2 {
		c.reject("%s.oneOf must be an array of at least two schemas", path)
	} else {
		for i, branch := range branches.Items() {
			s.branches = append(s.branches, c.node(branch, fmt.Sprintf("%s.oneOf[%d]", path, i)))
		}
	}
	c.forbid(s.source, nil, "%s.%s is not supported beside oneOf", path)
}

func (c *compiler) typed(s *Schema, kind value.Value, path string) {
	name, ok := kind.Str()
	if !ok {
		c.reject("%s.type must be a single type string (type arrays are not supported)", path)
		return
	}
	allowed, ok := typeKeywords[name]
	if !ok {
		c.reject("%s.type %s", path, typesText)
		return
	}
	s.kind = name
	c.forbid(s.source, allowed, "%s.%s is not supported on type %q", path, name)
	switch name {
	case "object":
		c.object(s, path)
	case "array":
		if items := s.source.Get("items"); !items.IsAbsent() {
			s.items = c.node(items, path+".items")
		}
	default:
		c.scalar(s, path)
	}
}

func (c *compiler) object(s *Schema, path string) {
	properties := s.source.Get("properties")
	if !properties.IsAbsent() && properties.Kind() != value.Object {
		c.reject("%s.properties must be an object of schemas", path)
	}
	for name, child := range properties.Members() {
		s.properties = append(s.properties, property{name, c.node(child, path+".properties."+name)})
	}
	if len(s.properties) >= mapFrom {
		s.declared = make(map[string]int, len(s.properties))
		for i, p := range s.properties {
			s.declared[p.name] = i
		}
	}
	c.required(s, path)
	if extra := s.source.Get("additionalProperties"); !extra.IsAbsent() {
		open, ok := extra.Bool()
		if !ok {
			c.reject("%s.additionalProperties must be a boolean", path)
		}
		s.closed = ok && !open
	}
}

func (c *compiler) required(s *Schema, path string) {
	list := s.source.Get("required")
	if list.IsAbsent() {
		return
	}
	for _, item := range list.Items() {
		name, ok := item.Str()
		if !ok {
			s.required = nil
			break
		}
		s.required = append(s.required, name)
	}
	if list.Kind() != value.List || len(s.required) != list.Len() {
		c.reject("%s.required must be an array of strings", path)
		return
	}
	for _, name := range s.required {
		if s.lookup(name) == nil {
			c.reject("%s.required names %q which is not in properties", path, name)
		}
	}
}

func (c *compiler) scalar(s *Schema, path string) {
	s.enum, s.constant = s.source.Get("enum"), s.source.Get("const")
	if !s.enum.IsAbsent() && !s.enumFits() {
		c.reject("%s.enum must be a non-empty array of %s values", path, s.kind)
		return
	}
	switch {
	case s.constant.IsAbsent():
	case !fits(s.kind, s.constant):
		c.reject("%s.const must be a %s value", path, s.kind)
	case !s.enum.IsAbsent() && !contains(s.enum, s.constant):
		c.reject("%s.const must be one of the values in enum", path)
	}
}

func (s *Schema) enumFits() bool {
	if s.enum.Kind() != value.List || s.enum.Len() == 0 {
		return false
	}
	for _, item := range s.enum.Items() {
		if !fits(s.kind, item) {
			return false
		}
	}
	return true
}

func contains(list, v value.Value) bool {
	for _, item := range list.Items() {
		if item.Equal(v) {
			return true
		}
	}
	return false
}

// fits reports whether v is of the scalar type.
func fits(kind string, v value.Value) bool {
	switch kind {
	case "string":
		return v.Kind() == value.String
	case "boolean":
		return v.Kind() == value.Bool
	case "null":
		return v.Kind() == value.Null
	case "number":
		return v.Kind() == value.Number && finite(v)
	case "integer":
		return v.Kind() == value.Number && finite(v) && whole(v)
	}
	return false
}

// whole reports whether v has no fraction. From 2^53 on no float64 has one.
func whole(v value.Value) bool {
	f, small := v.Float()
	return !small || f == math.Trunc(f)
}
