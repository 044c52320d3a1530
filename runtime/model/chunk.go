package model

import (
	"strings"

	"github.com/dsh-lua/dsh/runtime/internal/raw"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Chunk is a piece of an answer. Pieces of one block have its index; blocks may
// be interleaved.
//
//sumtype:decl
type Chunk interface{ isChunk() }

// BlockStart opens a block. It may be left out.
type BlockStart struct {
	Index int
	// Kind is "text", "reasoning" or "tool-call".
	Kind string
}

// TextDelta is more text of a block.
type TextDelta struct {
	Index int
	Text  string
}

// ReasoningDelta is more of what the model thinks.
type ReasoningDelta struct {
	Index int
	Text  string
}

// CallDelta is more of a tool call. ID and Tool may be left out of all but the
// first.
type CallDelta struct {
	Index int
	ID    string
	Tool  string
	// Arguments is more of the JSON text.
	Arguments string
}

// BlockEnd closes a block. What it holds is the block, whatever came before.
type BlockEnd struct {
	Index int
	Block session.Part
}

// Usage counts tokens. The counts do not overlap.
type Usage struct {
	Input, Output         int
	CacheRead, CacheWrite int
	Reasoning             int
}

// Finish ends an answer.
type Finish struct {
	Reason FinishReason
	// Failure says what went wrong; only of [Failed] and [Aborted].
	Failure *session.Failure
	// Replay is what the provider wants to be handed back with the message:
	// {"response": …, "blocks": […]} with one item for each block, or absent.
	Replay value.Value
}

// FinishReason says why an answer ended.
type FinishReason string

// The reasons.
const (
	Stop      FinishReason = "stop"
	ToolCalls FinishReason = "tool-calls"
	MaxTokens FinishReason = "max-tokens"
	Failed    FinishReason = "error"
	Aborted   FinishReason = "aborted"
)

func (BlockStart) isChunk()     {}
func (TextDelta) isChunk()      {}
func (ReasoningDelta) isChunk() {}
func (CallDelta) isChunk()      {}
func (BlockEnd) isChunk()       {}
func (Usage) isChunk()          {}
func (Finish) isChunk()         {}

// normal returns c with text that a log can keep; nil if it is no chunk.
func normal(c Chunk) Chunk {
	switch c := c.(type) {
	case BlockStart:
		return c
	case TextDelta:
		c.Text = clean(c.Text)
		return c
	case ReasoningDelta:
		c.Text = clean(c.Text)
		return c
	case CallDelta:
		c.ID, c.Tool, c.Arguments = clean(c.ID), clean(c.Tool), clean(c.Arguments)
		return c
	case BlockEnd:
		c.Block = cleanPart(c.Block)
		if c.Block == nil {
			return nil
		}
		return c
	case Usage:
		return c
	case Finish:
		return c
	}
	return nil
}

func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func cleanPart(part session.Part) session.Part {
	switch p := part.(type) {
	case session.Text:
		return session.Text{Text: clean(p.Text)}
	case session.Reasoning:
		return session.Reasoning{Text: clean(p.Text)}
	case session.Image:
		return p
	case session.ToolCall:
		p.ID, p.Tool, p.Arguments = clean(p.ID), clean(p.Tool), tidy(p.Arguments)
		if p.Arguments.IsAbsent() {
			p.Arguments = value.OfObject()
		}
		return p
	case session.ToolResult:
	}
	return nil
}

// tidy returns arguments with text and numbers that a log can keep: the negative
// zero is zero, for there is no tool to which it is anything else.
func tidy(v value.Value) value.Value {
	switch v.Kind() { //nolint:exhaustive // the others are kept as they are
	case value.String:
		s, _ := v.Str()
		return value.OfString(clean(s))
	case value.Number:
		if f, ok := v.Float(); ok && f == 0 && v.String()[0] == '-' {
			return value.OfInt(0)
		}
	case value.List:
		var items []value.Value
		for _, item := range v.Items() {
			items = append(items, tidy(item))
		}
		return value.OfList(items...)
	case value.Object:
		var members []value.Member
		for key, m := range v.Members() {
			members = append(members, value.Member{Key: clean(key), Value: tidy(m)})
		}
		return value.OfObject(members...)
	}
	return v
}

// Encode returns the JSON form of c, as a log keeps it.
func Encode(c Chunk) value.Value {
	switch c := c.(type) {
	case BlockStart:
		return object("block-start", index(c.Index), str("block", c.Kind))
	case TextDelta:
		return object("text-delta", index(c.Index), value.Member{Key: "text", Value: value.OfString(c.Text)})
	case ReasoningDelta:
		return object("reasoning-delta", index(c.Index), value.Member{Key: "text", Value: value.OfString(c.Text)})
	case CallDelta:
		return object("tool-call-delta", index(c.Index), str("id", c.ID), str("tool", c.Tool), value.Member{Key: "arguments", Value: value.OfString(c.Arguments)})
	case BlockEnd:
		return object("block-end", index(c.Index), value.Member{Key: "block", Value: session.EncodePart(c.Block)})
	case Usage:
		return object("usage", value.Member{Key: "usage", Value: c.Encode()})
	case Finish:
		failure := value.Value{}
		if c.Failure != nil {
			failure = c.Failure.Encode()
		}
		return object("finish", str("reason", string(c.Reason)), value.Member{Key: "failure", Value: failure}, value.Member{Key: "replay", Value: c.Replay})
	}
	return value.Value{}
}

// Encode returns the JSON form of u; counts of 0 are left out, apart from the
// first two.
func (u Usage) Encode() value.Value {
	return value.OfObject(
		value.Member{Key: "input", Value: value.OfInt(int64(u.Input))}, value.Member{Key: "output", Value: value.OfInt(int64(u.Output))},
		count("cache_read", u.CacheRead), count("cache_write", u.CacheWrite), count("reasoning", u.Reasoning),
	)
}

func object(kind string, members ...value.Member) value.Value {
	list := append(make([]value.Member, 0, len(members)+1), value.Member{Key: "kind", Value: value.OfString(kind)})
	return value.OwnObject(raw.Access{}, append(list, members...))
}

func index(i int) value.Member { return value.Member{Key: "index", Value: value.OfInt(int64(i))} }

func str(key, s string) value.Member {
	if s == "" {
		return value.Member{Key: key}
	}
	return value.Member{Key: key, Value: value.OfString(s)}
}

func count(key string, n int) value.Member {
	if n == 0 {
		return value.Member{Key: key}
	}
	return value.Member{Key: key, Value: value.OfInt(int64(n))}
}
