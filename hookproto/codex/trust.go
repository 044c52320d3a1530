package codex

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/document"
)

// StateKey is where the user's answer about a handler is kept in config.toml:
// [hooks.state."<key>"]. Group and handler count from 0, skipped ones included.
func StateKey(source, event string, group, handler int) string {
	e, _ := Lookup(event)
	return fmt.Sprintf("%s:%s:%d:%d", source, e.Snake, group, handler)
}

// An identity is what a trust hash is computed from.
type identity struct {
	event   Event
	matcher *string // nil on events that ignore it
	handler hookproto.Handler
	async   bool // as configured, also where it has no effect
	status  *string
	input   *document.Node
}

// hash is the client's trusted_hash: SHA-256 over compact JSON with sorted keys.
func (id identity) hash() string {
	var b bytes.Buffer
	b.WriteString(`{"event_name":`)
	b.Write(document.Quote(id.event.Snake))
	b.WriteString(`,"hooks":[{`)
	for i, m := range id.members() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(document.Quote(m.name))
		b.WriteByte(':')
		b.Write(m.json)
	}
	b.WriteString("}]")
	if id.matcher != nil {
		b.WriteString(`,"matcher":`)
		b.Write(document.Quote(*id.matcher))
	}
	b.WriteByte('}')
	sum := sha256.Sum256(b.Bytes())
	return "sha256:" + hex.EncodeToString(sum[:])
}

type member struct {
	name string
	json []byte
}

// members returns the handler's members, sorted by name.
func (id identity) members() []member {
	h := id.handler
	members := []member{
		{"type", document.Quote(string(h.Kind))},
		{"timeout", strconv.AppendInt(nil, int64(h.Timeout/time.Second), 10)},
	}
	if id.status != nil {
		members = append(members, member{"statusMessage", document.Quote(*id.status)})
	}
	if h.Kind == hookproto.MCPToolHandler {
		members = append(members, member{"server", document.Quote(h.Server)},
			member{"tool", document.Quote(h.Tool)}, member{"input", canonical(id.input)})
	} else {
		members = append(members, member{"command", document.Quote(h.Command)},
			member{"async", strconv.AppendBool(nil, id.async)})
		if h.ContextLimit >= 0 {
			members = append(members, member{"additionalContextLimit", strconv.AppendInt(nil, int64(h.ContextLimit), 10)})
		}
	}
	slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	return members
}

// canonical writes a tool's input as the client hashes it: names sorted, and
// every number as an object around its text.
func canonical(n *document.Node) []byte {
	switch {
	case n == nil:
		return []byte("{}")
	case n.Kind == document.Number:
		return append(append([]byte(`{"$serde_json::private::Number":`), document.Quote(number(n.Text))...), '}')
	case n.Kind == document.Array:
		items := make([][]byte, len(n.Items))
		for i, item := range n.Items {
			items[i] = canonical(item)
		}
		return slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]"))
	case n.Kind == document.Object:
		return canonicalObject(n)
	}
	return n.JSON()
}

func canonicalObject(n *document.Node) []byte {
	var names []string
	for _, m := range n.Members {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	members := make([][]byte, len(names))
	for i, name := range names {
		members[i] = slices.Concat(document.Quote(name), []byte(":"), canonical(n.Get(name)))
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}"))
}

// number is the client's text of a number: as written, but for a sign that every
// exponent has and a zero has not.
func number(text string) string {
	if text == "-0" {
		return "0"
	}
	mantissa, exponent, found := strings.Cut(strings.ToLower(text), "e")
	if !found {
		return text
	}
	if !strings.HasPrefix(exponent, "-") && !strings.HasPrefix(exponent, "+") {
		exponent = "+" + exponent
	}
	return mantissa + "e" + exponent
}

// A Trust is whether the client runs a handler without asking.
type Trust string

// The answers. Handlers of the system's own layers need no trust.
const (
	Managed   Trust = "managed"
	Trusted   Trust = "trusted"
	Untrusted Trust = "untrusted"
	Modified  Trust = "modified" // trusted once, with another hash
)

// A state is what the user's configuration says about one handler.
type state struct {
	hash string
	off  bool
}

// trust sets what the states say about a hook.
func (h *Hook) trust(states map[string]state) {
	s := states[h.Key]
	h.Enabled = !s.off || h.Source.managed()
	switch {
	case h.Source.managed():
		h.Trust = Managed
	case s.hash == "":
		h.Trust = Untrusted
	case s.hash == h.Hash:
		h.Trust = Trusted
	default:
		h.Trust = Modified
	}
}
