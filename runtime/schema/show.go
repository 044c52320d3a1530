package schema

import (
	"fmt"
	"reflect"

	"github.com/dsh-lua/dsh/runtime/internal/raw"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Show is [Type.Encode] of the variable that p points to, whose Go type t
// describes. It makes members when they are read, so neither the variable nor what
// it refers to may change any more. What could not be encoded is an error all the
// same.
func (t *Type) Show(p any) (value.Value, error) { return t.show(reflect.ValueOf(p).Elem()) }

func (t *Type) show(rv reflect.Value) (value.Value, error) {
	switch t.kind {
	case Object:
		if rv.Kind() == reflect.Struct {
			return t.showObject(rv, "")
		}
	case Union:
		v, rv, err := t.dynamic(rv)
		if err != nil {
			return value.Value{}, err
		}
		if rv.Kind() == reflect.Struct {
			return v.typ.showObject(rv, v.tag)
		}
	case String, Bool, Number, Integer, JSON, List:
	}
	return t.encode(rv, 0)
}

// isPlain reports whether values of t can always be encoded, and refer to nothing
// that could change.
func (t *Type) isPlain() bool {
	switch t.kind {
	case String, Bool, Integer, JSON:
		return true
	case Object:
		if t.rtype.Kind() != reflect.Struct { // it may contain itself
			return false
		}
		t.opened.Do(t.open)
		return t.plain
	case Number, List, Union:
	}
	return false
}

// A record is a struct as a [value.Record].
type record struct {
	typ  *Type
	rv   reflect.Value
	tag  string
	made []made  // the members that had to be made at once
	some [1]made // room for them, as most objects have no more
	room value.Room
}

// made is the member of a field.
type made struct {
	field *Field
	value value.Value
}

func (t *Type) showObject(rv reflect.Value, tag string) (value.Value, error) {
	r := &record{typ: t, rv: rv, tag: tag}
	r.made = r.some[:0]
	fields := t.Fields()
	if !t.plain {
		for i := range fields {
			f := &fields[i]
			if f.canWait(rv.Field(f.index)) {
				continue
			}
			v, err := f.show(rv.Field(f.index))
			if err != nil {
				return value.Value{}, fmt.Errorf("%s.%s: %w", t.name, f.name, err)
			}
			r.made = append(r.made, made{f, v})
		}
	}
	return value.OfLazy(raw.Access{}, r, &r.room), nil
}

// canWait reports whether a member can be made when it is read: it is plain, or has
// nothing in it that is not.
func (f *Field) canWait(fv reflect.Value) bool {
	t := f.typ
	switch {
	case t.isPlain():
		return true
	case t.kind < JSON || t.kind == Union:
		return false
	case f.leftOut(fv):
		return true
	case t.kind == List || fv.Kind() == reflect.Pointer:
		return false
	}
	fields := t.Fields()
	for i := range fields {
		if inner := &fields[i]; !inner.typ.isPlain() && !inner.leftOut(fv.Field(inner.index)) {
			return false
		}
	}
	return true
}

// leftOut reports whether a member is absent.
func (f *Field) leftOut(fv reflect.Value) bool { return f.optional && fv.IsZero() }

// show is [Field.encode] without making the members of objects.
func (f *Field) show(fv reflect.Value) (value.Value, error) {
	if f.typ.kind < JSON || f.leftOut(fv) {
		return f.encode(fv, 0)
	}
	return f.typ.show(fv)
}

// Member implements [value.Record].
func (r *record) Member(key string) value.Value {
	if r.tag != "" && key == TagField {
		return value.OfString(r.tag)
	}
	fields := r.typ.Fields()
	for i := range fields {
		if f := &fields[i]; f.name == key {
			return r.member(f)
		}
	}
	return value.Value{}
}

func (r *record) member(f *Field) value.Value {
	for i := range r.made {
		if r.made[i].field == f {
			return f.present(r.made[i].value)
		}
	}
	v, _ := f.show(r.rv.Field(f.index)) // never fails, as it could wait
	return f.present(v)
}

// Members implements [value.Record].
func (r *record) Members() []value.Member {
	fields := r.typ.Fields()
	members := make([]value.Member, 0, 1+len(fields))
	if r.tag != "" {
		members = append(members, value.Member{Key: TagField, Value: value.OfString(r.tag)})
	}
	for i := range fields {
		f := &fields[i]
		if v := r.member(f); !v.IsAbsent() {
			members = append(members, value.Member{Key: f.name, Value: v})
		}
	}
	return members
}
