package schema

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/dsh-lua/dsh/runtime/internal/raw"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Encode converts x, of the Go type that t describes, to a Value: members in
// declared order, absent optional members left out, the tag of a union first. A
// union rejects nil and any dynamic type that is not a listed variant, so that
// the pointer form of a variant cannot slip past a type switch; see [Type.Check].
// What is nested deeper than [value.MaxDepth], as a list within itself is, is an
// error too.
func (t *Type) Encode(x any) (value.Value, error) { return t.encode(reflect.ValueOf(x), 0) }

// errDeep gets no path: that of a cycle has no end.
var errDeep = fmt.Errorf("nested deeper than %d, or a cycle", value.MaxDepth)

// Check reports whether x is a variant of union t, in its value form.
func (t *Type) Check(x any) error {
	_, err := t.variantOf(reflect.ValueOf(x))
	return err
}

func (t *Type) variantOf(rv reflect.Value) (Variant, error) {
	if !rv.IsValid() {
		return Variant{}, within(t.name, errorf("nil is not a variant; want one of %s", t.tags()))
	}
	rt := rv.Type()
	for _, v := range t.variants {
		if rt == v.typ.rtype {
			return v, nil
		}
	}
	return Variant{}, within(t.name, errorf("%v is not a variant; want one of %s", rt, t.tags()))
}

// dynamic returns the alternative of union t that rv holds, and the value itself.
func (t *Type) dynamic(rv reflect.Value) (Variant, reflect.Value, error) {
	for rv.IsValid() && rv.Kind() == reflect.Interface {
		rv = rv.Elem()
	}
	v, err := t.variantOf(rv)
	return v, rv, err
}

// encode converts a value that stands depth levels deep.
func (t *Type) encode(rv reflect.Value, depth int) (value.Value, error) {
	switch t.kind {
	case Union:
		v, rv, err := t.dynamic(rv)
		if err != nil {
			return value.Value{}, err
		}
		return v.typ.encodeObject(rv, v.tag, depth)
	case Object:
		return t.encodeObject(rv, "", depth)
	case List:
		return t.encodeList(rv, depth)
	case JSON:
		if rv.CanAddr() { // spares a copy on the heap
			return *rv.Addr().Interface().(*value.Value), nil
		}
		return rv.Interface().(value.Value), nil
	case String:
		return value.OfString(rv.String()), nil
	case Bool:
		return value.OfBool(rv.Bool()), nil
	case Integer:
		return value.OfInt(rv.Int()), nil
	case Number:
		v := value.OfFloat(rv.Float())
		if v.IsAbsent() {
			return v, within(t.rtype.String(), errorf("%v is not a JSON number", rv.Float()))
		}
		return v, nil
	}
	panic("schema: invalid type")
}

func (t *Type) encodeObject(rv reflect.Value, tag string, depth int) (value.Value, error) {
	if depth > value.MaxDepth {
		return value.Value{}, errDeep
	}
	if rv.Kind() == reflect.Pointer {
		if rv.IsNil() {
			return value.NullValue(), nil
		}
		rv = rv.Elem()
	}
	var room [manyMembers]value.Member
	members := room[:0]
	if tag != "" {
		members = append(members, value.Member{Key: TagField, Value: value.OfString(tag)})
	}
	fields := t.Fields()
	for i := range fields {
		f := &fields[i]
		v, err := f.encode(rv.Field(f.index), depth+1)
		switch {
		case errors.Is(err, errDeep):
			return value.Value{}, err
		case err != nil:
			return value.Value{}, fmt.Errorf("%s.%s: %w", t.name, f.name, err)
		}
		if v = f.present(v); !v.IsAbsent() {
			members = append(members, value.Member{Key: f.name, Value: v})
		}
	}
	return value.OfRecord(raw.Access{}, members), nil
}

// manyMembers is the number of members up to which an object is collected on the
// stack.
const manyMembers = 12

// present returns the member v of an object; a required one is there, even if
// nobody filled it.
func (f *Field) present(v value.Value) value.Value {
	if v.IsAbsent() && !f.optional {
		return value.NullValue()
	}
	return v
}

// encode converts a member; it is absent if it is optional and zero.
func (f *Field) encode(fv reflect.Value, depth int) (value.Value, error) {
	switch {
	case f.typ.kind == String: // as most are
		if s := fv.String(); s != "" || !f.optional {
			return value.OfString(s), nil
		}
		return value.Value{}, nil
	case f.leftOut(fv):
		return value.Value{}, nil
	}
	return f.typ.encode(fv, depth)
}

func (t *Type) encodeList(rv reflect.Value, depth int) (value.Value, error) {
	items := make([]value.Value, rv.Len())
	for i := range items {
		v, err := t.elem.encode(rv.Index(i), depth+1)
		if err != nil {
			return value.Value{}, err
		}
		items[i] = v
	}
	return value.OfList(items...), nil
}
