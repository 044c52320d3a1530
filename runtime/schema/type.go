// Package schema describes the payloads and Decisions of extension points.
//
// A [Type] is derived once from a Go type and its doc comments. Everything that
// a reader meets elsewhere (the codec between Go and scripts, the JSON Schema,
// the LuaCATS editor file, the reference page) is a rendering of it.
//
// # How a Go type becomes a Type
//
// A struct is an object: each exported field has a json tag with its wire name
// (snake_case), and omitempty means that the zero value stands for "absent". A
// field tagged json:"-" is not part of the wire. A sealed interface is a union
// of its variants, told apart by the member "kind": the Go name of the variant
// in lower case with hyphens. [value.Value] is any JSON. A string field tagged
// dsh:"short" may be written alone in place of its object, and a single item in
// place of a list of such objects. A string type with a method Values() []string
// admits only those texts.
//
// Doc texts and lists of variants cannot be had by reflection: a generator
// reads them from the sources and writes [Decls] beside each points.go.
package schema

import (
	"reflect"
	"strings"
	"sync"
)

// Kind classifies a [Type].
type Kind int

// The kinds of a [Type].
const (
	String Kind = iota + 1
	Bool
	Number  // a float64
	Integer // a whole number
	JSON    // any JSON value, held as a [value.Value]
	List    // of Elem
	Object  // with Fields
	Union   // of Variants, told apart by the member [TagField]
)

// TagField is the member that tells the variants of a union apart.
const TagField = "kind"

// Decls is what the generator found in the sources of one package. Both
// functions must be safe for concurrent use.
type Decls struct {
	// Doc returns the doc comment of "pkg.Type", "pkg.Type.Field" or of the
	// point with the given name; empty if there is none.
	Doc func(key string) string
	// Variants returns the variants of the sealed interface named "pkg.Type",
	// each as its zero value, in the order of the sources.
	Variants func(name string) []any
}

// A Type is one immutable shape descriptor; see [Of].
type Type struct {
	kind     Kind
	name     string
	elem     *Type
	variants []Variant
	values   []string // of a string type with a closed list
	rtype    reflect.Type
	builder  *builder

	opened  sync.Once // makes what follows, of an object
	mistake any       // in its declaration, with which every look at the fields panics
	fields  []Field
	short   int  // index of the field that may stand for its object, or -1
	plain   bool // can always be encoded, and refers to nothing that could change
}

// A Field is one member of an [Object].
type Field struct {
	name     string
	goName   string
	owner    *Type
	typ      *Type
	optional bool
	index    int
}

// A Variant is one alternative of a [Union].
type Variant struct {
	tag string
	typ *Type
}

// Kind returns the kind of t.
func (t *Type) Kind() Kind { return t.kind }

// Name returns the qualified Go name, such as "tool.Deny"; empty for JSON,
// lists and plain scalars.
func (t *Type) Name() string { return t.name }

// Doc returns the doc comment of the Go type.
func (t *Type) Doc() string { return t.builder.decls.Doc(t.name) }

// Elem returns the item type of a list, else nil.
func (t *Type) Elem() *Type { return t.elem }

// Fields returns the members of an object, in declared order. The caller must
// not change the slice.
func (t *Type) Fields() []Field {
	if t.kind == Object {
		t.opened.Do(t.open)
		if t.mistake != nil {
			panic(t.mistake)
		}
	}
	return t.fields
}

// Variants returns the alternatives of a union, in declared order. The caller
// must not change the slice.
func (t *Type) Variants() []Variant { return t.variants }

// Values returns the texts that a string type admits; nil if any text is fine.
func (t *Type) Values() []string { return t.values }

// Short returns the member that may be written alone in place of the object,
// if there is one.
func (t *Type) Short() (Field, bool) {
	if fields := t.Fields(); t.short >= 0 {
		return fields[t.short], true
	}
	return Field{}, false
}

// TakesText reports whether a text may be written for a value of t: that it is
// a string, or has a short form.
func (t *Type) TakesText() bool {
	plain := t.kind == String && t.values == nil
	return plain || t.hasShort() || t.kind == List && t.elem.hasShort()
}

// Field returns the member with the given wire name.
func (t *Type) Field(name string) (Field, bool) {
	fields := t.Fields()
	for i := range fields {
		if fields[i].name == name {
			return fields[i], true
		}
	}
	return Field{}, false
}

// Variant returns the alternative with the given tag.
func (t *Type) Variant(tag string) (Variant, bool) {
	for _, v := range t.variants {
		if v.tag == tag {
			return v, true
		}
	}
	return Variant{}, false
}

// Name returns the wire name.
func (f Field) Name() string { return f.name }

// Type returns the type of the member.
func (f Field) Type() *Type { return f.typ }

// Optional reports whether the member may be absent.
func (f Field) Optional() bool { return f.optional }

// Doc returns the doc comment of the Go field, with the field's wire name in
// place of its Go name.
func (f Field) Doc() string {
	doc := f.owner.builder.decls.Doc(f.owner.name + "." + f.goName)
	if rest, ok := strings.CutPrefix(doc, f.goName+" "); ok {
		return f.name + " " + rest
	}
	return doc
}

// Tag returns the value of the member "kind".
func (v Variant) Tag() string { return v.tag }

// Type returns the object that the variant is.
func (v Variant) Type() *Type { return v.typ }

// Describe names t in a message, such as "a string" or "a list of tool.Part".
func (t *Type) Describe() string {
	switch t.kind {
	case String:
		if t.values != nil {
			return "one of " + quoted(t.values)
		}
		return "a string"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case Integer:
		return "a whole number"
	case JSON:
		return "any JSON value"
	case List:
		return "a list of " + strings.TrimPrefix(strings.TrimPrefix(t.elem.Describe(), "a "), "an ")
	case Object:
		return "an object (" + t.name + ")"
	case Union:
		return "a table with kind = " + t.tags()
	}
	return "nothing"
}

// tags lists the tags of a union for messages.
func (t *Type) tags() string {
	tags := make([]string, len(t.variants))
	for i, v := range t.variants {
		tags[i] = v.tag
	}
	return quoted(tags)
}

func quoted(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }
