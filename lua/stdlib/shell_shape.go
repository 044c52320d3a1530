package stdlib

import (
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/runtime/luavm"
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
