package jsonschema

import (
	"fmt"
	"slices"

	"github.com/dsh-lua/dsh/runtime/value"
)

// Parameters turns an author's short form into the schema of a tool's arguments:
// spec maps each property to its value form, where required: true marks those
// that must be there. The root is an open object. Nested objects say whether
// they are open, and type json is any JSON. The error is an [*Error]; its paths
// start at "parameters" for the form, at "schema" for what [Compile] finds.
func Parameters(spec value.Value) (value.Value, error) {
	if spec.Kind() != value.Object {
		return value.Value{}, authorError("parameters must be an object of value schemas")
	}
	members, err := authorProperties(spec, "parameters")
	if err != nil {
		return value.Value{}, err
	}
	return compiled(value.OfObject(append([]value.Member{{Key: "type", Value: value.OfString("object")}}, members...)...))
}

// Value turns an author's short form of one value into its schema; see
// [Parameters].
func Value(spec value.Value) (value.Value, error) {
	s, err := authorValue(spec, "schema", false)
	if err != nil {
		return value.Value{}, err
	}
	return compiled(s)
}

func compiled(s value.Value) (value.Value, error) {
	if _, err := Compile(s); err != nil {
		return value.Value{}, err
	}
	return s, nil
}

func authorError(format string, args ...any) error {
	return &Error{[]string{fmt.Sprintf(format, args...)}}
}

// authorProperties returns the members properties and, where some are, required.
func authorProperties(spec value.Value, path string) ([]value.Member, error) {
	var properties []value.Member
	var required []value.Value
	for name, form := range spec.Members() {
		s, err := authorValue(form, path+"."+name, true)
		if err != nil {
			return nil, err
		}
		properties = append(properties, value.Member{Key: name, Value: s})
		if !form.Get("required").IsAbsent() {
			required = append(required, value.OfString(name))
		}
	}
	out := []value.Member{{Key: "properties", Value: value.OfObject(properties...)}}
	if len(required) > 0 {
		out = append(out, value.Member{Key: "required", Value: value.OfList(required...)})
	}
	return out, nil
}

// authorKeys are the keys of a value form beside type, oneOf and annotations.
var authorKeys = map[string][]string{
	"json": nil, oneOf: nil,
	"object": {"properties", "additionalProperties"}, "array": {"items"},
	"string": {"enum", "const"}, "number": {"enum", "const"}, "integer": {"enum", "const"},
	"boolean": {"enum", "const"}, "null": {"enum", "const"},
}

// authorValue turns one value form into a schema. Of a property the key
// required belongs to the object around it.
func authorValue(form value.Value, path string, isProperty bool) (value.Value, error) {
	none := value.Value{}
	if form.Kind() != value.Object {
		return none, authorError("%s must be a value schema object", path)
	}
	kind, err := authorKind(form, path)
	if err != nil {
		return none, err
	}
	var members []value.Member
	for key, v := range form.Members() {
		switch {
		case key == "required" && isProperty:
			if yes, _ := v.Bool(); !yes {
				return none, authorError("%s.required must be true when present", path)
			}
			continue
		case key == "type" && kind == "json", key == "properties" && kind == "object":
			continue
		case key != "type" && key != oneOf && !slices.Contains(authorKeys[kind], key) && !slices.Contains(annotations, key):
			return none, authorError("%s.%s is not supported by the value schema DSL", path, key)
		}
		if v, err = authorChild(key, v, path); err != nil {
			return none, err
		}
		members = append(members, value.Member{Key: key, Value: v})
	}
	if kind == "object" {
		inner, err := authorObject(form, path)
		if err != nil {
			return none, err
		}
		members = append(members, inner...)
	}
	return value.OfObject(members...), nil
}

func authorKind(form value.Value, path string) (string, error) {
	if !form.Get(oneOf).IsAbsent() {
		if !form.Get("type").IsAbsent() {
			return "", authorError("%s cannot declare both type and oneOf", path)
		}
		return oneOf, nil
	}
	kind, _ := form.Get("type").Str()
	if _, ok := authorKeys[kind]; !ok || kind == oneOf {
		return "", authorError("%s.type must be string/number/integer/boolean/null/array/object/json, or use oneOf", path)
	}
	return kind, nil
}

// authorChild turns the forms inside items and oneOf.
func authorChild(key string, v value.Value, path string) (value.Value, error) {
	switch {
	case key == "items":
		return authorValue(v, path+".items", false)
	case key == oneOf && v.Kind() == value.List:
		branches := make([]value.Value, 0, v.Len())
		for i, branch := range v.Items() {
			s, err := authorValue(branch, fmt.Sprintf("%s.oneOf[%d]", path, i), false)
			if err != nil {
				return value.Value{}, err
			}
			branches = append(branches, s)
		}
		return value.OfList(branches...), nil
	}
	return v, nil
}

func authorObject(form value.Value, path string) ([]value.Member, error) {
	if _, ok := form.Get("additionalProperties").Bool(); !ok {
		return nil, authorError("%s.additionalProperties must be explicitly true or false", path)
	}
	properties := form.Get("properties")
	if properties.IsAbsent() {
		return nil, nil
	}
	if properties.Kind() != value.Object {
		return nil, authorError("%s.properties must be an object of value schemas", path)
	}
	return authorProperties(properties, path+".properties")
}
