package schema

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/dsh-lua/dsh/runtime/value"
)

// Of describes the Go type T, which must be a struct or a sealed interface. A
// part without a JSON form, a field without a json tag and an interface without
// variants are mistakes in the declaration, for which Of panics, or whatever first
// looks at the fields of the part; the tests of the declaring package meet them by
// [Type.Visit]. Missing doc comments are [Undocumented].
func Of[T any](decls *Decls) *Type {
	b := &builder{decls: decls, seen: map[reflect.Type]*Type{}}
	return b.typeOf(reflect.TypeFor[T]())
}

var valueType = reflect.TypeFor[value.Value]()

// builder makes the types that one type is made of. Objects get their fields when
// these are first looked at: a hook process meets few of the many actions and
// Decisions that there are.
type builder struct {
	decls *Decls

	mu   sync.Mutex
	seen map[reflect.Type]*Type // also breaks cycles
	made []reflect.Type         // by the typeOf under way
}

// scalars maps the Go kinds with a JSON form of one word to ours.
var scalars = [...]Kind{
	reflect.String: String, reflect.Bool: Bool, reflect.Float64: Number,
	reflect.Int: Integer, reflect.Int64: Integer,
}

func scalarOf(kind reflect.Kind) Kind {
	if int(kind) < len(scalars) {
		return scalars[kind]
	}
	return 0
}

func (b *builder) typeOf(rt reflect.Type) *Type {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made = b.made[:0]
	whole := false
	defer func() {
		if !whole { // whoever meets the mistake next must not find half a type
			for _, rt := range b.made {
				delete(b.seen, rt)
			}
		}
	}()
	t := b.locked(rt)
	whole = true
	return t
}

// locked is typeOf for who holds the lock.
func (b *builder) locked(rt reflect.Type) *Type {
	if t := b.seen[rt]; t != nil {
		return t
	}
	t := &Type{rtype: rt, builder: b, short: -1}
	b.seen[rt] = t
	b.made = append(b.made, rt)
	switch kind := rt.Kind(); {
	case rt == valueType:
		t.kind = JSON
	case scalarOf(kind) != 0:
		t.kind = scalarOf(kind)
		if rt.PkgPath() == "" { // a type of the language has no methods
			break
		}
		if v, ok := reflect.Zero(rt).Interface().(interface{ Values() []string }); ok {
			t.name, t.values = rt.String(), v.Values()
		}
	case kind == reflect.Slice:
		t.kind, t.elem = List, b.locked(rt.Elem())
	case kind == reflect.Pointer && rt.Elem().Kind() == reflect.Struct:
		t.kind, t.name = Object, rt.Elem().String()
	case kind == reflect.Struct:
		t.kind, t.name = Object, rt.String()
	case kind == reflect.Interface:
		b.union(t, rt)
	default:
		panic(fmt.Sprintf("schema: %v has no JSON form", rt))
	}
	return t
}

// open gives an object its fields.
func (t *Type) open() {
	defer func() { t.mistake = recover() }()
	rt := t.rtype
	if rt.Kind() == reflect.Pointer {
		rt = rt.Elem()
	}
	for i := range rt.NumField() {
		f := rt.Field(i)
		name, opts, _ := strings.Cut(jsonTag(f.Tag), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			panic(fmt.Sprintf("schema: %v.%s needs a json tag", rt, f.Name))
		}
		if name == TagField {
			panic(fmt.Sprintf("schema: %v.%s: the name %q is that of the tag", rt, f.Name, name))
		}
		if strings.Contains(string(f.Tag), `dsh:"short"`) {
			t.short = len(t.fields)
		}
		t.fields = append(t.fields, Field{
			name: name, goName: f.Name, owner: t, typ: t.builder.typeOf(f.Type),
			optional: opts == "omitempty" || opts == "omitzero", index: i,
		})
	}
	t.plain = t.rtype.Kind() == reflect.Struct
	for i := range t.fields {
		t.plain = t.plain && t.fields[i].typ.isPlain()
	}
}

// jsonTag is tag.Get("json"), for which it looks first where the tag mostly begins.
func jsonTag(tag reflect.StructTag) string {
	if rest, ok := strings.CutPrefix(string(tag), `json:"`); ok {
		if end := strings.IndexAny(rest, `"\\`); end >= 0 && rest[end] == '"' {
			return rest[:end]
		}
	}
	return tag.Get("json")
}

func (b *builder) union(t *Type, rt reflect.Type) {
	t.kind, t.name = Union, rt.String()
	for _, v := range b.decls.Variants(t.name) {
		vt := b.locked(reflect.TypeOf(v))
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

// kebab turns a name of ASCII letters such as "AllowOnce" into "allow-once" and "MCP" into "mcp".
func kebab(s string) string {
	b := make([]byte, 0, len(s)+4)
	for i := range len(s) {
		starts := i > 0 && !isLower(s[i]) && (isLower(s[i-1]) || i+1 < len(s) && isLower(s[i+1]))
		if starts {
			b = append(b, '-')
		}
		b = append(b, s[i])
	}
	return strings.ToLower(string(b))
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// Undocumented lists what t shows to readers without a doc comment, as
// "pkg.Type" and "pkg.Type.Field".
func (t *Type) Undocumented() []string {
	var missing []string
	t.visit(map[*Type]bool{}, func(x *Type) {
		if x.name != "" && x.Doc() == "" {
			missing = append(missing, x.name)
		}
		for _, f := range x.Fields() {
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
	for _, field := range t.Fields() {
		field.typ.visit(seen, f)
	}
	for _, v := range t.variants {
		v.typ.visit(seen, f)
	}
	f(t)
}
