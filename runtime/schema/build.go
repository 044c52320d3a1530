package schema

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/dsh-lua/dsh/runtime/value"
)

// Of describes the Go type T, which must be a struct or a sealed interface. It
// panics if T has a part without a JSON form, a field without a json tag or an
// interface without variants: each is a mistake in the declaration, which the
// tests of the declaring package meet. Missing doc comments are [Undocumented].
func Of[T any](decls *Decls) *Type {
	b := builder{decls: decls, seen: map[reflect.Type]*Type{}}
	t := b.typeOf(reflect.TypeFor[T]())
	t.Visit((*Type).judge)
	return t
}

var valueType = reflect.TypeFor[value.Value]()

type builder struct {
	decls *Decls
	seen  map[reflect.Type]*Type // also breaks cycles
}

// scalars maps the Go kinds with a JSON form of one word to ours.
var scalars = map[reflect.Kind]Kind{
	reflect.String: String, reflect.Bool: Bool, reflect.Float64: Number,
	reflect.Int: Integer, reflect.Int64: Integer,
}

func (b *builder) typeOf(rt reflect.Type) *Type {
	if t := b.seen[rt]; t != nil {
		return t
	}
	t := &Type{rtype: rt, decls: b.decls, short: -1}
	b.seen[rt] = t
	switch kind := rt.Kind(); {
	case rt == valueType:
		t.kind = JSON
	case scalars[kind] != 0:
		t.kind = scalars[kind]
		if v, ok := reflect.Zero(rt).Interface().(interface{ Values() []string }); ok {
			t.name, t.values = rt.String(), v.Values()
		}
	case kind == reflect.Slice:
		t.kind, t.elem = List, b.typeOf(rt.Elem())
	case kind == reflect.Pointer && rt.Elem().Kind() == reflect.Struct:
		b.object(t, rt.Elem())
	case kind == reflect.Struct:
		b.object(t, rt)
	case kind == reflect.Interface:
		b.union(t, rt)
	default:
		panic(fmt.Sprintf("schema: %v has no JSON form", rt))
	}
	return t
}

func (b *builder) object(t *Type, rt reflect.Type) {
	t.kind, t.name = Object, rt.String()
	for i := range rt.NumField() {
		f := rt.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			panic(fmt.Sprintf("schema: %v.%s needs a json tag", rt, f.Name))
		}
		if name == TagField {
			panic(fmt.Sprintf("schema: %v.%s: the name %q is that of the tag", rt, f.Name, name))
		}
		if f.Tag.Get("dsh") == "short" {
			t.short = len(t.fields)
		}
		t.fields = append(t.fields, Field{
			name: name, goName: f.Name, owner: t, typ: b.typeOf(f.Type),
			optional: opts == "omitempty" || opts == "omitzero", index: i,
		})
	}
}

func (b *builder) union(t *Type, rt reflect.Type) {
	t.kind, t.name = Union, rt.String()
	for _, v := range b.decls.Variants(t.name) {
		vt := b.typeOf(reflect.TypeOf(v))
		t.variants = append(t.variants, Variant{kebab(vt.rtype.Name()), vt})
	}
	if len(t.variants) == 0 {
		panic(fmt.Sprintf("schema: %v is not a sealed interface with variants", rt))
	}
}

// Tags returns the tags of the sealed interface U, without the cost of building
// its descriptor.
func Tags[U any](decls *Decls) []string {
	variants := decls.Variants(reflect.TypeFor[U]().String())
	tags := make([]string, len(variants))
	for i, v := range variants {
		tags[i] = kebab(reflect.TypeOf(v).Name())
	}
	return tags
}

// kebab turns "AllowOnce" into "allow-once" and "MCP" into "mcp".
func kebab(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		starts := i > 0 && unicode.IsUpper(r) &&
			(unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if starts {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Undocumented lists what t shows to readers without a doc comment, as
// "pkg.Type" and "pkg.Type.Field".
func (t *Type) Undocumented() []string {
	var missing []string
	t.visit(map[*Type]bool{}, func(x *Type) {
		if x.name != "" && x.Doc() == "" {
			missing = append(missing, x.name)
		}
		for _, f := range x.fields {
			if f.Doc() == "" {
				missing = append(missing, x.name+"."+f.goName)
			}
		}
	})
	return missing
}

// Visit calls f for t and for every type it is made of, each once, parts before
// the whole.
func (t *Type) Visit(f func(*Type)) { t.visit(map[*Type]bool{}, f) }

func (t *Type) visit(seen map[*Type]bool, f func(*Type)) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	t.elem.visit(seen, f)
	for _, field := range t.fields {
		field.typ.visit(seen, f)
	}
	for _, v := range t.variants {
		v.typ.visit(seen, f)
	}
	f(t)
}
