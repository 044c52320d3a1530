// Package document writes the documents that are derived from the extension
// points: a reference page for people, JSON Schemas for programs, and
// annotations for the language server of an editor.
//
// Nothing is said here a second time: structure, names and texts come from the
// points' own declarations. What cannot be derived, because it is about Lua and
// not about any point, is one text in the file lua.go.
//
// Equal points give equal bytes, so a committed document can be compared with a
// fresh one.
package document

import (
	"strings"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
)

// typesOf returns the payloads and Decisions of points, in their order.
func typesOf(points []point.Point) []*schema.Type {
	var types []*schema.Type
	for _, p := range points {
		types = append(types, p.Payload())
		if d := p.Decision(); d != nil {
			types = append(types, d)
		}
	}
	return types
}

// named calls f for every named type that the given types are made of, each
// once, parts before the whole. The tag is that of a variant, else empty.
func named(types []*schema.Type, f func(t *schema.Type, tag string)) {
	tags := map[string]string{}
	for _, t := range types {
		t.Visit(func(x *schema.Type) {
			for _, v := range x.Variants() {
				tags[v.Type().Name()] = v.Tag()
			}
		})
	}
	seen := map[string]bool{"": true}
	for _, t := range types {
		t.Visit(func(x *schema.Type) {
			if !seen[x.Name()] {
				seen[x.Name()] = true
				f(x, tags[x.Name()])
			}
		})
	}
}

// kinds returns the tags of a union.
func kinds(t *schema.Type) []string {
	tags := make([]string, len(t.Variants()))
	for i, v := range t.Variants() {
		tags[i] = v.Tag()
	}
	return tags
}

// sentence returns a doc comment as one line that does not begin with the name.
func sentence(doc string) string { return schema.Sentence(strings.Join(strings.Fields(doc), " ")) }
