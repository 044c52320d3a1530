package model

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/runtime/internal/nearest"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// LoadScript reads the answers of a scripted model from a file: one JSON list of
// them, or one JSON object on each line. See [ParseScript].
func LoadScript(path string) (*Scripted, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := ParseScript(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// ParseScript reads the answers of a scripted model. An answer is an object with
// any of the members
//
//	reasoning, text   what the model thinks and says
//	tools             [{"id": …, "tool": …, "arguments": …, "answers": […]}]
//	usage             {"input": n, "output": n}
//	finish            "stop", "tool-calls", "max-tokens", "error", "none"
//	failure           {"message": …, "code": …, "status": n, "retry_after_ms": n}
//	hang              true: never ends
//	open              true: the blocks have no end
//	delay_ms          how long it thinks first
//
// The answers beside a call are those of the subagent that it starts, in the same
// form; see [Scripted.Child]. Whatever is not of this form is an error that says
// where.
func ParseScript(text []byte) (*Scripted, error) {
	items, err := scriptItems(text)
	if err != nil {
		return nil, err
	}
	return parseReplies(items, 1)
}

func scriptItems(text []byte) ([]value.Value, error) {
	whole, err := value.Parse(text)
	switch {
	case err == nil && whole.Kind() == value.List:
		return itemsOf(whole), nil
	case err == nil:
		return []value.Value{whole}, nil
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")):
		return nil, fmt.Errorf("the list of answers: %w", err)
	}
	var items []value.Value
	for i, line := range bytes.Split(text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v, err := value.Parse(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		items = append(items, v)
	}
	return items, nil
}

func itemsOf(list value.Value) []value.Value {
	items := make([]value.Value, 0, list.Len())
	for _, item := range list.Items() {
		items = append(items, item)
	}
	return items
}

// maxScriptDepth bounds how deep the answers of subagents nest.
const maxScriptDepth = 16

func parseReplies(items []value.Value, depth int) (*Scripted, error) {
	if depth > maxScriptDepth {
		return nil, fmt.Errorf("subagents nest deeper than %d", maxScriptDepth)
	}
	s := &Scripted{children: map[string]*Scripted{}}
	for i, item := range items {
		p := replyParser{script: s, number: i + 1, depth: depth}
		if err := members(item, p.members(), "an answer"); err != nil {
			return nil, fmt.Errorf("answer %d: %w", i+1, err)
		}
		if p.reply.Failure != nil && p.reply.Finish == "" {
			p.reply.Finish = Failed
		}
		s.Replies = append(s.Replies, p.reply)
	}
	return s, nil
}

// A reader takes the value of a member, or says what is wrong with it.
type reader func(v value.Value) error

// members reads an object of whose members each has a reader.
func members(v value.Value, readers map[string]reader, what string) error {
	if v.Kind() != value.Object {
		return unexpected("an object", v)
	}
	for key, m := range v.Members() {
		read := readers[key]
		if read == nil {
			known := slices.Sorted(maps.Keys(readers))
			hint := near(key, known)
			if hint == "" {
				hint = "; it may have " + strings.Join(known, ", ")
			}
			return fmt.Errorf("%s has no member %q%s", what, key, hint)
		}
		if err := read(m); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

func near(got string, from []string) string {
	if name := nearest.Name(got, from); name != "" {
		return fmt.Sprintf("; the nearest is %q", name)
	}
	return ""
}

func unexpected(what string, got value.Value) error {
	return fmt.Errorf("expected %s, got %s", what, got.Kind())
}

func textTo(to *string) reader {
	return func(v value.Value) error {
		s, ok := v.Str()
		if !ok {
			return unexpected("a string", v)
		}
		*to = s
		return nil
	}
}

func flagTo(to *bool) reader {
	return func(v value.Value) error {
		b, ok := v.Bool()
		if !ok {
			return unexpected("true or false", v)
		}
		*to = b
		return nil
	}
}

func countTo(to *int) reader {
	return func(v value.Value) error {
		n, ok := v.Int()
		if !ok || n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("expected a whole number from 0 to %d, got %s", math.MaxInt32, v)
		}
		*to = int(n)
		return nil
	}
}

// A replyParser reads one answer.
type replyParser struct {
	script        *Scripted
	number, depth int
	reply         Reply
}

func (p *replyParser) members() map[string]reader {
	r := &p.reply
	return map[string]reader{
		"reasoning": textTo(&r.Reasoning), "text": textTo(&r.Text), "hang": flagTo(&r.Hang), "open": flagTo(&r.Open),
		"finish": p.finish, "delay_ms": p.delay, "failure": p.failure, "usage": p.usage, "tools": p.tools,
	}
}

// finishes lists how an answer of a script may end.
var finishes = []string{string(Stop), string(ToolCalls), string(MaxTokens), string(Failed), noFinish}

func (p *replyParser) finish(v value.Value) error {
	s, ok := v.Str()
	if !ok || !slices.Contains(finishes, s) {
		return fmt.Errorf("expected one of %q, got %s%s", finishes, v.AppendJSON(nil), near(s, finishes))
	}
	p.reply.Finish = FinishReason(s)
	return nil
}

func (p *replyParser) delay(v value.Value) error {
	var ms int
	err := countTo(&ms)(v)
	p.reply.Delay = time.Duration(ms) * time.Millisecond
	return err
}

func (p *replyParser) failure(v value.Value) error {
	var f session.Failure
	p.reply.Failure = &f
	return members(v, map[string]reader{
		"message": textTo(&f.Message), "code": textTo(&f.Code), "request_id": textTo(&f.RequestID),
		"status": countTo(&f.Status), "retry_after_ms": countTo(&f.RetryAfterMS),
	}, "a failure")
}

func (p *replyParser) usage(v value.Value) error {
	var u Usage
	p.reply.Usage = &u
	return members(v, map[string]reader{
		"input": countTo(&u.Input), "output": countTo(&u.Output), "cache_read": countTo(&u.CacheRead),
		"cache_write": countTo(&u.CacheWrite), "reasoning": countTo(&u.Reasoning),
	}, "usage")
}

func (p *replyParser) tools(v value.Value) error {
	if v.Kind() != value.List {
		return unexpected("a list", v)
	}
	for i, item := range v.Items() {
		if err := p.call(item); err != nil {
			return fmt.Errorf("call %d: %w", i+1, err)
		}
	}
	return nil
}

func (p *replyParser) call(v value.Value) error {
	c := session.ToolCall{ID: fmt.Sprintf("call-%d-%d", p.number, len(p.reply.Calls)+1), Arguments: value.OfObject()}
	var child *Scripted
	err := members(v, map[string]reader{
		"id": textTo(&c.ID), "tool": textTo(&c.Tool),
		"arguments": func(v value.Value) error { c.Arguments = v; return nil },
		"answers": func(v value.Value) (err error) {
			if v.Kind() != value.List {
				return unexpected("a list", v)
			}
			child, err = parseReplies(itemsOf(v), p.depth+1)
			return err
		},
	}, "a call")
	switch {
	case err != nil:
		return err
	case c.Tool == "":
		return errors.New("it names no tool")
	case c.ID == "":
		return errors.New("its id is empty")
	}
	p.reply.Calls = append(p.reply.Calls, c)
	if child == nil {
		return nil
	}
	if p.script.children[c.ID] != nil {
		return fmt.Errorf("an earlier call with answers has the id %q too", c.ID)
	}
	p.script.children[c.ID] = child
	return nil
}
