package session

import (
	"fmt"

	"github.com/dsh-lua/dsh/runtime/internal/raw"
	"github.com/dsh-lua/dsh/runtime/value"
)

// member is one member of an object; an absent value leaves it out.
func member(key string, v value.Value) value.Member { return value.Member{Key: key, Value: v} }

// object is an object of members that are listed where it is made.
func object(members ...value.Member) value.Value { return value.OwnObject(raw.Access{}, members) }

func text(s string) value.Value { return value.OfString(s) }

// optional is text that is left out when it is empty.
func optional(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return text(s)
}

// positive is a number that is left out when it is 0.
func positive(i int64) value.Value {
	if i == 0 {
		return value.Value{}
	}
	return value.OfInt(i)
}

// EncodeMessage returns the JSON form of m, the same that extension points and
// the log use.
func EncodeMessage(m Message) value.Value {
	return object(
		member("id", optional(m.ID)), member("role", text(string(m.Role))),
		member("content", EncodeParts(m.Content)), member("source", encodeSource(m.Source)),
	)
}

// EncodeParts returns the JSON form of parts, which is a list.
func EncodeParts(parts []Part) value.Value {
	if len(parts) == 1 {
		return value.OfList(EncodePart(parts[0]))
	}
	items := make([]value.Value, len(parts))
	for i, p := range parts {
		items[i] = EncodePart(p)
	}
	return value.OfList(items...)
}

// EncodePart returns the JSON form of p. It is absent for nil.
func EncodePart(p Part) value.Value {
	switch p := p.(type) {
	case Text:
		return object(member("kind", text("text")), member("text", text(p.Text)))
	case Reasoning:
		return object(member("kind", text("reasoning")), member("text", text(p.Text)))
	case Image:
		return object(member("kind", text("image")), member("media_type", text(p.MediaType)), member("data", text(p.Data)))
	case ToolCall:
		return object(member("kind", text("tool-call")), member("id", text(p.ID)), member("tool", text(p.Tool)), member("arguments", orNull(p.Arguments)))
	case ToolResult:
		failed := value.Value{}
		if p.Failed {
			failed = value.OfBool(true)
		}
		return object(member("kind", text("tool-result")), member("call", text(p.Call)), member("content", EncodeParts(p.Content)), member("failed", failed))
	}
	return value.Value{}
}

func orNull(v value.Value) value.Value {
	if v.IsAbsent() {
		return value.NullValue()
	}
	return v
}

func encodeSource(s Source) value.Value {
	switch s := s.(type) {
	case User:
		return object(member("kind", text("user")))
	case Model:
		return object(member("kind", text("model")), member("name", optional(s.Name)), member("replay", s.Replay))
	case Extension:
		return object(member("kind", text("extension")), member("name", text(s.Name)))
	case Call:
		return object(member("kind", text("call")), member("id", text(s.ID)))
	case Runtime:
		return object(member("kind", text("runtime")), member("form", optional(s.Form)))
	}
	return value.Value{}
}

// DecodeMessage is the inverse of [EncodeMessage].
func DecodeMessage(v value.Value) (Message, error) {
	m := Message{ID: v.Get("id").String(), Role: Role(v.Get("role").String())}
	if v.Kind() != value.Object {
		return m, fmt.Errorf("a message is a %s", v.Kind())
	}
	if m.Role != RoleUser && m.Role != RoleAssistant && m.Role != RoleSystem {
		return m, fmt.Errorf("no role is called %q", m.Role)
	}
	var err error
	if m.Content, err = DecodeParts(v.Get("content")); err != nil {
		return m, err
	}
	if source := v.Get("source"); !source.IsAbsent() {
		m.Source, err = decodeSource(source)
	}
	return m, err
}

// DecodeParts is the inverse of [EncodeParts].
func DecodeParts(v value.Value) ([]Part, error) {
	if v.Kind() != value.List {
		return nil, fmt.Errorf("content is a %s, not a list", v.Kind())
	}
	parts := make([]Part, 0, v.Len())
	for i, item := range v.Items() {
		p, err := DecodePart(item)
		if err != nil {
			return nil, fmt.Errorf("content[%d]: %w", i, err)
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// DecodePart is the inverse of [EncodePart].
func DecodePart(v value.Value) (Part, error) {
	switch kind := v.Get("kind").String(); kind {
	case "text":
		return Text{v.Get("text").String()}, nil
	case "reasoning":
		return Reasoning{v.Get("text").String()}, nil
	case "image":
		return Image{MediaType: v.Get("media_type").String(), Data: v.Get("data").String()}, nil
	case "tool-call":
		return ToolCall{ID: v.Get("id").String(), Tool: v.Get("tool").String(), Arguments: v.Get("arguments")}, nil
	case "tool-result":
		content, err := DecodeParts(v.Get("content"))
		failed, _ := v.Get("failed").Bool()
		return ToolResult{Call: v.Get("call").String(), Content: content, Failed: failed}, err
	default:
		return nil, fmt.Errorf("no part is called %q", kind)
	}
}

func decodeSource(v value.Value) (Source, error) {
	switch kind := v.Get("kind").String(); kind {
	case "user":
		return User{}, nil
	case "model":
		return Model{Name: v.Get("name").String(), Replay: v.Get("replay")}, nil
	case "extension":
		return Extension{v.Get("name").String()}, nil
	case "call":
		return Call{v.Get("id").String()}, nil
	case "runtime":
		return Runtime{Form: v.Get("form").String()}, nil
	default:
		return nil, fmt.Errorf("no source is called %q", kind)
	}
}

// Clone returns a copy of m that shares nothing that could be written through.
func (m Message) Clone() Message {
	m.Content = CloneParts(m.Content)
	return m
}

// CloneMessages clones every message of list; it keeps nil.
func CloneMessages(list []Message) []Message {
	if list == nil {
		return nil
	}
	out := make([]Message, len(list))
	for i, m := range list {
		out[i] = m.Clone()
	}
	return out
}

// CloneParts copies parts, nested ones too; it keeps nil.
func CloneParts(parts []Part) []Part {
	if parts == nil {
		return nil
	}
	out := make([]Part, len(parts))
	for i, p := range parts {
		if r, ok := p.(ToolResult); ok {
			r.Content = CloneParts(r.Content)
			p = r
		}
		out[i] = p
	}
	return out
}

// Text returns the texts of m, line by line. What is not text is left out.
func (m Message) Text() string { return joinedText(m.Content) }

func joinedText(parts []Part) string {
	out, first := "", true
	for _, p := range parts {
		if t, ok := p.(Text); ok {
			if !first {
				out += "\n"
			}
			out, first = out+t.Text, false
		}
	}
	return out
}
