package schema

import "github.com/dsh-lua/dsh/runtime/value"

// Draft identifies the version of JSON Schema that this package writes.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// JSONSchema returns a JSON Schema of what t decodes. Named types stand once
// under "$defs"; members are in a fixed order, so equal types give equal texts.
func JSONSchema(t *Type) value.Value {
	return value.OfObject(
		member("$schema", value.OfString(Draft)),
		member("$ref", value.OfString(refTo(t))),
		member("$defs", Definitions(t)),
	)
}

// Definitions returns an object with the schema of every named type that the
// given types are made of, by name and in the order in which they are met. The
// variants of a union are part of it.
func Definitions(types ...*Type) value.Value {
	var defs []value.Member
	seen := map[string]bool{}
	for _, t := range types {
		inline := variantTypes(t)
		t.Visit(func(x *Type) {
			if x.name == "" || seen[x.name] || inline[x] {
				return
			}
			seen[x.name] = true
			defs = append(defs, member(x.name, x.definition()))
		})
	}
	return value.OfObject(defs...)
}

// variantTypes returns the types that are nothing but variants of unions in t.
func variantTypes(t *Type) map[*Type]bool {
	variants, plain := map[*Type]bool{}, map[*Type]bool{t: true}
	t.Visit(func(x *Type) {
		plain[x.elem] = true
		for _, f := range x.Fields() {
			plain[f.typ] = true
		}
		for _, v := range x.variants {
			variants[v.typ] = true
		}
	})
	for x := range plain {
		delete(variants, x)
	}
	return variants
}

// Reference returns the schema of t where it is used: a "$ref" into "$defs" for
// a named type.
func (t *Type) Reference() value.Value {
	if t.name != "" {
		return value.OfObject(member("$ref", value.OfString(refTo(t))))
	}
	switch t.kind {
	case List:
		list := value.OfObject(member("type", value.OfString("array")), member("items", t.elem.Reference()))
		if t.elem.hasShort() {
			return anyOf(text(), list)
		}
		return list
	case String:
		return text()
	case Bool:
		return value.OfObject(member("type", value.OfString("boolean")))
	case Number:
		return value.OfObject(member("type", value.OfString("number")))
	case Integer:
		return value.OfObject(member("type", value.OfString("integer")))
	case JSON, Object, Union:
	}
	return value.OfObject()
}

func refTo(t *Type) string { return "#/$defs/" + t.name }

// definition returns the schema of a named type in full.
func (t *Type) definition() value.Value {
	doc := member("description", value.OfString(oneLine(Sentence(t.Doc()))))
	switch t.kind {
	case Union:
		alternatives := make([]value.Value, 0, len(t.variants)+1)
		for _, v := range t.variants {
			alternatives = append(alternatives, v.typ.object(v.tag))
		}
		if t.hasShort() {
			alternatives = append(alternatives, text())
		}
		return value.OfObject(doc, member("oneOf", value.OfList(alternatives...)))
	case Object:
		if _, short := t.Short(); !short {
			return t.object("")
		}
		return anyOf(text(), t.object(""))
	case String:
		names := make([]value.Value, len(t.values))
		for i, v := range t.values {
			names[i] = value.OfString(v)
		}
		return value.OfObject(doc, member("enum", value.OfList(names...)))
	case Bool, Number, Integer, JSON, List:
	}
	return value.OfObject(doc)
}

// object returns the closed schema of a struct; with a tag, that of a variant.
func (t *Type) object(tag string) value.Value {
	var properties []value.Member
	var required []value.Value
	if tag != "" {
		properties = append(properties, member(TagField, value.OfObject(member("const", value.OfString(tag)))))
		required = append(required, value.OfString(TagField))
	}
	for _, f := range t.Fields() {
		doc := value.OfObject(member("description", value.OfString(oneLine(Sentence(f.Doc())))))
		for k, v := range f.typ.Reference().Members() {
			doc = doc.With(k, v)
		}
		properties = append(properties, member(f.name, doc))
		if !f.optional {
			required = append(required, value.OfString(f.name))
		}
	}
	members := []value.Member{
		member("title", value.OfString(t.name)),
		member("description", value.OfString(oneLine(Sentence(t.Doc())))),
		member("type", value.OfString("object")),
		member("properties", value.OfObject(properties...)),
	}
	if len(required) > 0 {
		members = append(members, member("required", value.OfList(required...)))
	}
	return value.OfObject(append(members, member("additionalProperties", value.OfBool(false)))...)
}

func member(key string, v value.Value) value.Member { return value.Member{Key: key, Value: v} }

func text() value.Value { return value.OfObject(member("type", value.OfString("string"))) }

func anyOf(alternatives ...value.Value) value.Value {
	return value.OfObject(member("anyOf", value.OfList(alternatives...)))
}
