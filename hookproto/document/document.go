// Package document reads configuration files into trees that remember where
// everything stood: every value knows its line, objects keep the order of their
// members and all duplicates. What a client drops silently can only be told by a
// reader that still sees it.
//
// JSON and TOML give the same tree, so that a loader is written once for both.
package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Kind is what a value is.
type Kind string

// The kinds of values. JSON has no dates, TOML has no null.
const (
	Null   Kind = "null"
	Bool   Kind = "boolean"
	Number Kind = "number"
	String Kind = "string"
	Date   Kind = "date"
	Array  Kind = "array"
	Object Kind = "object"
)

// A Node is one value of a document.
type Node struct {
	Kind Kind
	Line int // where it begins, from 1
	// Text is the content of a string, or a number, boolean or date as written.
	Text    string
	Items   []*Node  // of an array
	Members []Member // of an object, as written, with duplicates
	// Lone tells that the string has half of a surrogate pair, which Text
	// replaces by U+FFFD.
	Lone bool
}

// A Member is one name and its value.
type Member struct {
	Name  string
	Line  int // of the name
	Value *Node
	Lone  bool // as in Node, for the name
}

// An Error is a document that cannot be read at all.
type Error struct {
	Line int // from 1; 0 is the document as a whole
	Text string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Text)
}

// Get returns the value of the last member with the name, or nil.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for _, m := range slices.Backward(n.Members) {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// Duplicates returns the members whose name an earlier member has too.
func (n *Node) Duplicates() []Member {
	seen := map[string]bool{}
	var again []Member
	for _, m := range n.Members {
		if seen[m.Name] {
			again = append(again, m)
		}
		seen[m.Name] = true
	}
	return again
}

// Any reports whether f holds for the node or anything below it.
func (n *Node) Any(f func(*Node) bool) bool {
	if f(n) || slices.ContainsFunc(n.Items, func(i *Node) bool { return i.Any(f) }) {
		return true
	}
	return slices.ContainsFunc(n.Members, func(m Member) bool { return m.Value.Any(f) })
}

// Depth is how deep arrays and objects nest; 0 for other values.
func (n *Node) Depth() int {
	depth := 0
	for _, i := range n.Items {
		depth = max(depth, i.Depth())
	}
	for _, m := range n.Members {
		depth = max(depth, m.Value.Depth())
	}
	if n.Kind == Array || n.Kind == Object {
		depth++
	}
	return depth
}

// JSON returns the value as compact JSON: members in their order, the last of
// duplicates, numbers as written, and no character escaped that need not be.
func (n *Node) JSON() json.RawMessage {
	var b bytes.Buffer
	n.encode(&b)
	return b.Bytes()
}

func (n *Node) encode(b *bytes.Buffer) {
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case Bool, Number:
		b.WriteString(n.Text)
	case String, Date:
		b.Write(Quote(n.Text))
	case Array:
		b.WriteByte('[')
		for i, item := range n.Items {
			separate(b, i)
			item.encode(b)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for i, m := range n.unique() {
			separate(b, i)
			b.Write(Quote(m.Name))
			b.WriteByte(':')
			m.Value.encode(b)
		}
		b.WriteByte('}')
	}
}

func separate(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}

// unique keeps each name's first place with its last value.
func (n *Node) unique() []Member {
	place := map[string]int{}
	var members []Member
	for _, m := range n.Members {
		if at, ok := place[m.Name]; ok {
			members[at].Value = m.Value
			continue
		}
		place[m.Name] = len(members)
		members = append(members, m)
	}
	return members
}

// Quote returns s as a JSON string the way the clients write it: only the quote,
// the backslash and control characters are escaped. Bytes that are not UTF-8
// become U+FFFD.
func Quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(strings.ToValidUTF8(s, "\ufffd")) // a string always encodes
	quoted := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return Unescape(quoted)
}

// plain are the escapes that encoding/json writes whatever it is told, and what
// the clients write.
var plain = [][2]string{{`\u2028`, "\u2028"}, {`\u2029`, "\u2029"}, {`\ufffd`, "\ufffd"}}

// Unescape puts back the characters that encoding/json escapes in spite of
// SetEscapeHTML(false). An escaped backslash in front of "u2028" is text.
func Unescape(encoded []byte) []byte {
	if !bytes.Contains(encoded, []byte(`\u`)) {
		return encoded
	}
	out := make([]byte, 0, len(encoded))
	for i := 0; i < len(encoded); i++ {
		if encoded[i] != '\\' {
			out = append(out, encoded[i])
			continue
		}
		raw, n := unescaped(encoded[i:])
		out = append(out, raw...)
		i += n - 1
	}
	return out
}

// unescaped returns what the escape at the front becomes, and its length.
func unescaped(encoded []byte) (string, int) {
	for _, p := range plain {
		if bytes.HasPrefix(encoded, []byte(p[0])) {
			return p[1], len(p[0])
		}
	}
	n := min(2, len(encoded))
	return string(encoded[:n]), n
}

// Is reports whether the node is a value with the text; a nil node is none.
func (n *Node) Is(text string) bool {
	return n != nil && n.Text == text && n.Kind != Object && n.Kind != Array
}
