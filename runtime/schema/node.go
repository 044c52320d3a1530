package schema

import (
	"fmt"
	"unicode/utf8"

	"github.com/dsh-lua/dsh/runtime/value"
)

// NodeOf returns v as a [Node]; nil if v is absent.
func NodeOf(v value.Value) Node {
	if v.IsAbsent() {
		return nil
	}
	return valueNode{v}
}

type valueNode struct{ v value.Value }

func (n valueNode) Kind(value.Kind) value.Kind { return n.v.Kind() }

func (n valueNode) Scalar() value.Value { return n.v }

func (n valueNode) Get(key string) Node { return NodeOf(n.v.Get(key)) }

func (n valueNode) Member(key string) (value.Value, bool) {
	v := n.v.Get(key)
	return v, v.Kind() != value.List && v.Kind() != value.Object
}

func (n valueNode) Len() (int, error) { return n.v.Len(), nil }

func (n valueNode) Keys() ([]string, error) {
	keys := make([]string, 0, n.v.Len())
	for k := range n.v.Members() {
		keys = append(keys, k)
	}
	return keys, nil
}

func (n valueNode) Items() ([]Node, error) {
	items := make([]Node, 0, n.v.Len())
	for _, item := range n.v.Items() {
		items = append(items, valueNode{item})
	}
	return items, nil
}

func (n valueNode) JSON() (value.Value, error) { return n.v, nil }

func (n valueNode) Text() string { return Shorten(string(n.v.AppendJSON(nil))) }

// maxText is how many bytes of a foreign value a message shows.
const maxText = 60

// Shorten cuts text for a message.
func Shorten(text string) string {
	if len(text) <= maxText {
		return text
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:cut], len(text))
}
