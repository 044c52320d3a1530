package script

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
)

// shape tells a frozen view which members there are: to read a field that its
// type does not have is an error, since a guard that looks at the wrong field
// would pass everything.
type shape struct{ t *schema.Type }

// shapeOf returns the shape of t; nil where any member may be read.
func shapeOf(t *schema.Type) luavm.Shape {
	switch t.Kind() {
	case schema.Object, schema.Union, schema.List:
		return shape{t}
	default:
		return nil
	}
}

// Field implements [luavm.Shape].
func (s shape) Field(name string) (luavm.Shape, error) {
	if f, ok := s.t.Field(name); ok {
		return shapeOf(f.Type()), nil
	}
	if s.t.Kind() == schema.Union {
		if name == schema.TagField {
			return nil, nil
		}
		for _, v := range s.t.Variants() {
			if f, ok := v.Type().Field(name); ok {
				return shapeOf(f.Type()), nil
			}
		}
	}
	return nil, errors.New(s.missing(name))
}

// Elem implements [luavm.Shape].
func (s shape) Elem() luavm.Shape {
	if e := s.t.Elem(); e != nil {
		return shapeOf(e)
	}
	return nil
}

func (s shape) missing(name string) string {
	names := fieldNames(s.t)
	for _, v := range s.t.Variants() {
		names = append(names, fieldNames(v.Type())...)
	}
	text := fmt.Sprintf("no field %q in %s", name, s.t.Name())
	if hint := schema.Hint(name, names); hint != "" {
		return text + hint
	}
	return text + s.inside(name)
}

// inside looks for the name one level down: the field that a newcomer means is
// often in the arguments or in the action.
func (s shape) inside(name string) string {
	for _, f := range s.t.Fields() {
		if inner := (shape{f.Type()}); f.Type().Kind() == schema.Object || f.Type().Kind() == schema.Union {
			if _, err := inner.Field(name); err == nil && name != schema.TagField {
				return fmt.Sprintf("; did you mean %s.%s?", f.Name(), name)
			}
		}
	}
	return ""
}

func fieldNames(t *schema.Type) []string {
	var names []string
	for _, f := range t.Fields() {
		names = append(names, f.Name())
	}
	return names
}

// liveField is the member of a payload that acts on its session.
const liveField = "live"

// payloadShape is the shape of a payload with its live handle.
func (m *machine) payloadShape(p point.Point, live any) luavm.Shape {
	m.payload = payloadShape{shape{p.Payload()}, m, live}
	return &m.payload
}

type payloadShape struct {
	shape
	machine *machine
	live    any
}

// Field implements [luavm.Shape].
func (s *payloadShape) Field(name string) (luavm.Shape, error) {
	if name == liveField && s.live == nil {
		return nil, errors.New("this host has no live handle for the session")
	}
	return s.shape.Field(name)
}

// Extra implements [luavm.Extra].
func (s *payloadShape) Extra(name string) lua.LValue {
	if name != liveField || s.live == nil {
		return nil
	}
	return s.machine.facade(s.live)
}
