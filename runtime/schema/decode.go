package schema

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

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
	// Member returns the member named key if it is a scalar or absent; ok is
	// false if it must be read with Get.
	Member(key string) (v value.Value, ok bool)
	// Len returns the number of members of an object, as many as it has Keys.
	Len() (int, error)
	// Keys returns the keys of an object in a deterministic order.
	Keys() ([]string, error)
	// Items returns the items of a list.
	Items() ([]Node, error)
	// JSON converts the whole node. Its errors name the place themselves.
	JSON() (value.Value, error)
	// Text shows the node in a message, shortened.
	Text() string
}

// An Error reports where a value departs from its [Type].
type Error struct {
	Path string // such as "decision.contexts[2].text"
	Msg  string
}

func (e *Error) Error() string { return e.Path + ": " + e.Msg }

func (t *Type) mismatch(n Node) error { return errorf("want %s, got %s", t.Describe(), n.Text()) }

// errorf makes an error about the value at hand; see [within].
func errorf(format string, args ...any) error { return &Error{Msg: fmt.Sprintf(format, args...)} }

// within puts a step in front of the path of err. Paths are built on the way
// out, because most values are as they should be.
func within(step string, err error) error {
	if e := (*Error)(nil); errors.As(err, &e) {
		e.Path = step + e.Path
	}
	return err
}

// Decode reads n as the Go value that t describes. Unknown members, missing
// required members and values of the wrong kind are an [*Error] that names the
// path, what was expected and what was there, and for a misspelt name the
// nearest one; nothing is coerced. A null stands for an absent optional member.
// The path names n itself in errors.
func (t *Type) Decode(path string, n Node) (any, error) {
	if t.kind == Union {
		d, err := t.decodeVariant(n)
		if err != nil {
			return nil, within(path, err)
		}
		return d.Interface(), nil
	}
	out := reflect.New(t.rtype).Elem()
	if err := t.decode(out, n); err != nil {
		return nil, within(path, err)
	}
	return out.Interface(), nil
}

// DecodeInto is [Type.Decode] into a variable of the Go type that t describes, to
// which into points. After an error it holds nothing of use.
func (t *Type) DecodeInto(into any, path string, n Node) error {
	out := reflect.ValueOf(into).Elem()
	if out.Type() != t.rtype {
		return errorf("%v cannot hold a %v", out.Type(), t.rtype)
	}
	return within(path, t.decode(out, n))
}

// decode reads n into out, which is addressable and of the Go type.
func (t *Type) decode(out reflect.Value, n Node) error {
	switch t.kind {
	case Union:
		return t.decodeUnion(out, n)
	case Object:
		return t.decodeStruct(out, n, false)
	case List:
		return t.decodeList(out, n)
	case JSON:
		v, err := n.JSON()
		if err != nil {
			return err
		}
		return setJSON(out, v)
	case String, Bool, Number, Integer:
		ok, err := t.decodeScalar(out, n.Scalar())
		if err == nil && !ok {
			return t.mismatch(n)
		}
		return err
	}
	panic("schema: invalid type")
}

func (t *Type) decodeUnion(out reflect.Value, n Node) error {
	v, err := t.decodeVariant(n)
	if err == nil {
		out.Set(v)
	}
	return err
}

// decodeVariant reads the alternative of union t that n is.
func (t *Type) decodeVariant(n Node) (reflect.Value, error) {
	v, err := t.choose(n)
	if err != nil {
		return reflect.Value{}, err
	}
	out := reflect.New(v.typ.rtype).Elem()
	return out, v.typ.decodeStruct(out, n, true)
}

// choose finds the alternative of union t that n names.
func (t *Type) choose(n Node) (v Variant, err error) {
	for _, v := range t.variants {
		if _, short := v.typ.Short(); short && n.Kind(value.String) == value.String {
			return v, nil
		}
	}
	if kind := n.Kind(value.Object); kind != value.Object {
		return v, t.mismatch(n)
	}
	tag, ok := n.Member(TagField)
	if !ok {
		tag = n.Get(TagField).Scalar()
	}
	text, ok := tag.Str()
	if !ok {
		return v, within("."+TagField, t.noTag(n.Get(TagField)))
	}
	if v, ok = t.Variant(text); !ok {
		return v, within("."+TagField, errorf("%q is none of %s%s", text, t.tags(), t.tagHint(text)))
	}
	return v, nil
}

// noTag says that there is no tag, or one that is no string.
func (t *Type) noTag(tag Node) error {
	if tag == nil {
		return errorf("missing, want one of %s", t.tags())
	}
	return errorf("want one of %s, got %s", t.tags(), tag.Text())
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

func (t *Type) decodeList(out reflect.Value, n Node) error {
	if t.elem.hasShort() && n.Kind(value.List) == value.String {
		out.Set(reflect.MakeSlice(t.rtype, 1, 1))
		return t.elem.decode(out.Index(0), n)
	}
	if kind := n.Kind(value.List); kind != value.List {
		return t.mismatch(n)
	}
	items, err := n.Items()
	if err != nil {
		return errorf("%v", err)
	}
	out.Set(reflect.MakeSlice(t.rtype, len(items), len(items)))
	for i, item := range items {
		if err := t.elem.decode(out.Index(i), item); err != nil {
			return within(fmt.Sprintf("[%d]", i+1), err)
		}
	}
	return nil
}

// hasShort reports whether a string may stand for an object of t.
func (t *Type) hasShort() bool {
	if _, short := t.Short(); short {
		return true
	}
	for _, v := range t.variants {
		if _, short := v.typ.Short(); short {
			return true
		}
	}
	return false
}

// decodeScalar puts v into out, and says false if it is of another kind.
func (t *Type) decodeScalar(out reflect.Value, v value.Value) (ok bool, err error) {
	switch t.kind {
	case String:
		s, ok := v.Str()
		if ok && t.values != nil && !slices.Contains(t.values, s) {
			return true, errorf("%q is none of %s%s", s, quoted(t.values), Hint(s, t.values))
		}
		if !utf8.ValidString(s) {
			s = strings.ToValidUTF8(s, "\uFFFD")
		}
		out.SetString(s)
		return ok, nil
	case Bool:
		b, ok := v.Bool()
		out.SetBool(b)
		return ok, nil
	case Number:
		f, ok := v.Float()
		out.SetFloat(f)
		return ok, nil
	case Integer:
		i, ok := v.Int()
		out.SetInt(i)
		return ok, nil
	case JSON, List, Object, Union:
	}
	return false, nil
}

func setJSON(out reflect.Value, v value.Value) error {
	at, ok := out.Addr().Interface().(*value.Value)
	if !ok {
		return errorf("%v holds no JSON", out.Type())
	}
	*at = v
	return nil
}

// decodeStruct reads an object; tagged ones also have the member "kind".
func (t *Type) decodeStruct(out reflect.Value, n Node, tagged bool) error {
	if out.Kind() == reflect.Pointer {
		out.Set(reflect.New(t.rtype.Elem()))
		out = out.Elem()
	}
	if f, ok := t.Short(); ok && n.Kind(value.String) == value.String {
		return f.typ.decode(out.Field(f.index), n)
	}
	if kind := n.Kind(value.Object); kind != value.Object {
		return t.mismatch(n)
	}
	known, err := t.decodeFields(out, n)
	if tagged {
		known++ // that of the tag, which was found already
	}
	if size, sizeErr := n.Len(); err != nil || sizeErr != nil || size != known {
		return cmp.Or(t.checkKeys(n, tagged), err)
	}
	return nil
}

// decodeFields reads the members that t has and returns how many there were.
func (t *Type) decodeFields(out reflect.Value, n Node) (known int, err error) {
	fields := t.Fields()
	for i := range fields {
		f := &fields[i]
		found, err := f.decode(out.Field(f.index), n)
		if err != nil {
			return known, within("."+f.name, err)
		}
		if found {
			known++
		}
	}
	return known, nil
}

// checkKeys finds the member that t does not have.
func (t *Type) checkKeys(n Node, tagged bool) error {
	keys, err := n.Keys()
	if err != nil {
		return errorf("%v", err)
	}
	for _, k := range keys {
		if err := t.checkKey(k, tagged); err != nil {
			return err
		}
	}
	return nil
}

func (t *Type) checkKey(k string, tagged bool) error {
	if tagged && k == TagField {
		return nil
	}
	for _, f := range t.Fields() {
		if f.name == k {
			return nil
		}
	}
	return within("."+k, errorf("no such field in %s%s", t.name, t.FieldHint(k)))
}

// FieldHint suggests the field of t whose name is nearest to name, as the end
// of a message; it is empty if none is near.
func (t *Type) FieldHint(name string) string {
	names := make([]string, len(t.Fields()))
	for i, f := range t.Fields() {
		names[i] = f.name
	}
	return Hint(name, names)
}

// decode reads the member of object n that f describes into out, and says
// whether there is one, be it null.
func (f *Field) decode(out reflect.Value, n Node) (found bool, err error) {
	if f.typ.kind < JSON {
		if v, ok := n.Member(f.name); ok {
			return !v.IsAbsent(), f.decodeValue(out, n, v)
		}
	}
	member := n.Get(f.name)
	if member == nil || member.Kind(value.Null) == value.Null && f.typ.kind != JSON {
		return member != nil, f.absent()
	}
	return true, f.typ.decode(out, member)
}

// decodeValue reads the member v of n, which is a scalar or absent. It spares
// most members a Node.
func (f *Field) decodeValue(out reflect.Value, n Node, v value.Value) error {
	if v.IsAbsent() || v.Kind() == value.Null {
		return f.absent()
	}
	ok, err := f.typ.decodeScalar(out, v)
	if err == nil && !ok {
		return f.typ.mismatch(n.Get(f.name))
	}
	return err
}

func (f *Field) absent() error {
	if f.optional {
		return nil
	}
	return errorf("missing, want %s", f.typ.Describe())
}
