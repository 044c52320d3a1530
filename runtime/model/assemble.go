package model

import (
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// An Assembler makes a message out of chunks. Its zero value is ready. It is for
// one goroutine.
type Assembler struct {
	blocks []*block
	usage  *Usage
	finish *Finish
}

type block struct {
	index  int
	kind   string
	text   strings.Builder
	id     string
	tool   string
	closed session.Part
}

// Add takes the next chunk. What arrives for a closed block is ignored.
func (a *Assembler) Add(c Chunk) {
	switch c := c.(type) {
	case BlockStart:
		a.open(c.Index, c.Kind)
	case TextDelta:
		a.more(c.Index, "text", c.Text)
	case ReasoningDelta:
		a.more(c.Index, "reasoning", c.Text)
	case CallDelta:
		b := a.open(c.Index, "tool-call")
		if b.closed != nil {
			return
		}
		if b.id == "" {
			b.id = c.ID
		}
		if b.tool == "" {
			b.tool = c.Tool
		}
		b.text.WriteString(c.Arguments)
	case BlockEnd:
		if b := a.open(c.Index, ""); b.closed == nil {
			b.closed = c.Block
		}
	case Usage:
		a.usage = &c
	case Finish:
		a.finish = &c
	}
}

func (a *Assembler) open(index int, kind string) *block {
	for _, b := range a.blocks {
		if b.index == index {
			if b.kind == "" {
				b.kind = kind
			}
			return b
		}
	}
	b := &block{index: index, kind: kind}
	a.blocks = append(a.blocks, b)
	return b
}

func (a *Assembler) more(index int, kind, text string) {
	if b := a.open(index, kind); b.closed == nil {
		b.text.WriteString(text)
	}
}

// part returns the block; nil for one that holds nothing known.
func (b *block) part() session.Part {
	if b.closed != nil {
		if call, ok := b.closed.(session.ToolCall); ok && call.ID == "" {
			call.ID = fmt.Sprintf("call-%d", b.index)
			return call
		}
		return b.closed
	}
	switch b.kind {
	case "text":
		return session.Text{Text: b.text.String()}
	case "reasoning":
		return session.Reasoning{Text: b.text.String()}
	case "tool-call":
		id := b.id
		if id == "" {
			id = fmt.Sprintf("call-%d", b.index)
		}
		return session.ToolCall{ID: id, Tool: b.tool, Arguments: Arguments(b.text.String())}
	}
	return nil
}

// Arguments reads the arguments of a call as a model wrote them: no text is the
// empty object, and text that is not JSON is kept as the text it is, which no
// tool will accept.
func Arguments(text string) value.Value {
	if strings.TrimSpace(text) == "" {
		return value.OfObject()
	}
	v, err := value.ParseString(text)
	if err != nil {
		return value.OfString(text)
	}
	return tidy(v)
}

// Finish returns how the answer ended; one that only broke off counts as [Stop].
func (a *Assembler) Finish() Finish {
	if a.finish == nil {
		return Finish{Reason: Stop}
	}
	return *a.finish
}

// Usage returns the last usage reported; ok is false if there was none.
func (a *Assembler) Usage() (u Usage, ok bool) {
	if a.usage == nil {
		return Usage{}, false
	}
	return *a.usage, true
}

// Content returns the answer, block by block in the order in which they began,
// and what the provider wants back with it. The calls of an answer that was cut
// off are left out: the last of them may be half a call.
func (a *Assembler) Content() (parts []session.Part, replay value.Value) {
	cut := a.Finish().Reason == MaxTokens
	replay = a.Finish().Replay
	states := replay.Get("blocks")
	var kept []value.Value
	total := 0
	for _, b := range a.blocks {
		p := b.part()
		if p == nil {
			continue
		}
		total++
		if _, call := p.(session.ToolCall); call && cut {
			continue
		}
		parts = append(parts, p)
		kept = append(kept, states.At(total-1))
	}
	if states.IsAbsent() {
		return parts, replay
	}
	if states.Len() != total {
		return parts, value.Value{}
	}
	return parts, replay.With("blocks", value.OfList(kept...))
}

// Interrupted returns what can be kept of an answer that was cancelled: texts
// and reasoning that are more than white space. A call may be half a call.
func (a *Assembler) Interrupted() []session.Part {
	var parts []session.Part
	for _, b := range a.blocks {
		switch p := b.part().(type) {
		case session.Text:
			if strings.TrimSpace(p.Text) != "" {
				parts = append(parts, p)
			}
		case session.Reasoning:
			if strings.TrimSpace(p.Text) != "" {
				parts = append(parts, p)
			}
		case session.ToolCall, session.Image, session.ToolResult:
		}
	}
	return parts
}
