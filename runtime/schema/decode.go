package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/internal/nearest"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Node is a foreign value that is read as a [Type]: a JSON value (see
// [NodeOf]) or a table of a script. Its methods are called with what the type
// expects, because some foreign values cannot tell by themselves: an empty Lua
// table is both a list and an object.
type Node interface {
	// Kind returns the JSON kind. An ambiguous node answers with want if it can
	// be read as that.
	Kind(want value.Kind) value.Kind
	// Scalar returns a null, boolean, number or string as a Value.
	Scalar() value.Value
	// Get returns the member named key, or nil if there is none.
	Get(key string) Node
	// Keys returns the keys of an object in a deterministic order.
	Keys() ([]string, error)
	// Items returns the items of a list.
	Items() ([]Node, error)
	// JSON converts the whole node; path leads to it in errors.
	JSON(path string) (value.Value, error)
	// Text shows the node in a message, shortened.
	Text() string
}

// An Error reports where a value departs from its [Type].
type Error struct {
	Path string // such as "decision.contexts[2].text"
	Msg  string
}

func (e *Error) Error() string { return e.Path + ": " + e.Msg }

func errorf(path, format string, args ...any) error {
	return &Error{path, fmt.Sprintf(format, args...)}
}

// Decode reads n as the Go value that t describes. Unknown members, missing
// required members and values of the wrong kind are an [*Error] that names the
// path, what was expected and what was there, and for a misspelt name the
// nearest one; nothing is coerced. A null stands for an absent optional member.
// The path names n itself in errors.
func (t *Type) Decode(path string, n Node) (any, error) {
	rv, err := t.decode(path, n)
	if err != nil {
		return nil, err
	}
	return rv.Interface(), nil
}

func (t *Type) decode(path string, n Node) (reflect.Value, error) {
	switch t.kind {
	case Union:
		return t.decodeUnion(path, n)
	case Object:
		return t.decodeStruct(path, n, false)
	case List:
		return t.decodeList(path, n)
	case JSON:
		v, err := n.JSON(path)
		return reflect.ValueOf(v), err
	case String, Bool, Number, Integer:
		return t.decodeScalar(path, n)
	}
	panic("schema: invalid type")
}

func (t *Type) decodeUnion(path string, n Node) (reflect.Value, error) {
	for _, v := range t.variants {
		if v.typ.short >= 0 && n.Kind(value.String) == value.String {
			return v.typ.decode(path, n)
		}
	}
	if kind := n.Kind(value.Object); kind != value.Object {
		return reflect.Value{}, errorf(path, "want %s, got %s", t.Describe(), n.Text())
	}
	tag := n.Get(TagField)
	if tag == nil {
		return reflect.Value{}, errorf(path+"."+TagField, "missing, want one of %s", t.tags())
	}
	text, ok := tag.Scalar().Str()
	if !ok {
		return reflect.Value{}, errorf(path+"."+TagField, "want one of %s, got %s", t.tags(), tag.Text())
	}
	v, ok := t.Variant(text)
	if !ok {
		return reflect.Value{}, errorf(path+"."+TagField, "%q is none of %s%s", text, t.tags(), t.tagHint(text))
	}
	return v.typ.decodeStruct(path, n, true)
}

func (t *Type) tagHint(text string) string {
	tags := make([]string, len(t.variants))
	for i, v := range t.variants {
		tags[i] = v.tag
	}
	return Hint(text, tags)
}

// Hint suggests the nearest of names as the end of a message; it is empty if
// none is near.
func Hint(got string, names []string) string {
	if near := nearest.Name(got, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

func (t *Type) decodeList(path string, n Node) (reflect.Value, error) {
	out := reflect.MakeSlice(t.rtype, 0, 0)
	if t.elem.hasShort() && n.Kind(value.List) == value.String {
		item, err := t.elem.decode(path, n)
		if err != nil {
			return reflect.Value{}, err
		}
		return reflect.Append(out, item), nil
	}
	if kind := n.Kind(value.List); kind != value.List {
		return reflect.Value{}, errorf(path, "want %s, got %s", t.Describe(), n.Text())
	}
	items, err := n.Items()
	if err != nil {
		return reflect.Value{}, errorf(path, "%v", err)
	}
	for i, item := range items {
		rv, err := t.elem.decode(fmt.Sprintf("%s[%d]", path, i+1), item)
		if err != nil {
			return reflect.Value{}, err
		}
		out = reflect.Append(out, rv)
	}
	return out, nil
}

// hasShort reports whether a string may stand for an object of t.
func (t *Type) hasShort() bool {
	if t.short >= 0 {
		return true
	}
	for _, v := range t.variants {
		if v.typ.short >= 0 {
			return true
		}
	}
	return false
}

func (t *Type) decodeScalar(path string, n Node) (reflect.Value, error) {
	v := n.Scalar()
	out := reflect.New(t.rtype).Elem()
	switch t.kind {
	case String:
		if s, ok := v.Str(); ok {
			if t.values != nil && !slices.Contains(t.values, s) {
				return reflect.Value{}, errorf(path, "%q is none of %s%s", s, quoted(t.values), Hint(s, t.values))
			}
			out.SetString(strings.ToValidUTF8(s, "\uFFFD"))
			return out, nil
		}
	case Bool:
		if b, ok := v.Bool(); ok {
			out.SetBool(b)
			return out, nil
		}
	case Number:
		if f, ok := v.Float(); ok {
			out.SetFloat(f)
			return out, nil
		}
	case Integer:
		if i, ok := v.Int(); ok {
			out.SetInt(i)
			return out, nil
		}
	case JSON, List, Object, Union:
	}
	return reflect.Value{}, errorf(path, "want %s, got %s", t.Describe(), n.Text())
}

// decodeStruct reads an object; tagged ones also have the member "kind".
func (t *Type) decodeStruct(path string, n Node, tagged bool) (reflect.Value, error) {
	st := t.rtype
	if st.Kind() == reflect.Pointer {
		st = st.Elem()
	}
	out := reflect.New(st).Elem()
	if f, ok := t.Short(); ok && n.Kind(value.String) == value.String {
		x, err := f.typ.decode(path, n)
		if err != nil {
			return reflect.Value{}, err
		}
		out.Field(f.index).Set(x)
		return t.result(out), nil
	}
	if kind := n.Kind(value.Object); kind != value.Object {
		return reflect.Value{}, errorf(path, "want %s, got %s", t.Describe(), n.Text())
	}
	if err := t.checkKeys(path, n, tagged); err != nil {
		return reflect.Value{}, err
	}
	for _, f := range t.fields {
		if err := f.decodeInto(out, path, n); err != nil {
			return reflect.Value{}, err
		}
	}
	return t.result(out), nil
}

// result returns the struct, or a pointer to it where t is a pointer type.
func (t *Type) result(out reflect.Value) reflect.Value {
	if t.rtype.Kind() == reflect.Pointer {
		return out.Addr()
	}
	return out
}

func (t *Type) checkKeys(path string, n Node, tagged bool) error {
	keys, err := n.Keys()
	if err != nil {
		return errorf(path, "%v", err)
	}
	for _, k := range keys {
		if _, ok := t.Field(k); !ok && (!tagged || k != TagField) {
			return errorf(path+"."+k, "no such field in %s%s", t.name, t.FieldHint(k))
		}
	}
	return nil
}

// FieldHint suggests the field of t whose name is nearest to name, as the end
// of a message; it is empty if none is near.
func (t *Type) FieldHint(name string) string {
	names := make([]string, len(t.fields))
	for i, f := range t.fields {
		names[i] = f.name
	}
	return Hint(name, names)
}

func (f Field) decodeInto(out reflect.Value, path string, n Node) error {
	member := n.Get(f.name)
	absent := member == nil || member.Kind(value.Null) == value.Null && f.typ.kind != JSON
	if absent {
		if f.optional {
			return nil
		}
		return errorf(path+"."+f.name, "missing, want %s", f.typ.Describe())
	}
	x, err := f.typ.decode(path+"."+f.name, member)
	if err != nil {
		return err
	}
	out.Field(f.index).Set(x)
	return nil
}
