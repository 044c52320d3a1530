package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
	"time"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Reply is one answer of a [Scripted] model. It is sent in this order: the
// reasoning, the text, the calls, the usage, and how it ends.
type Reply struct {
	Reasoning string
	Text      string
	Calls     []session.ToolCall
	// Partial is the beginning of a call that never ends.
	Partial *CallDelta
	Usage   *Usage
	// Finish is the reason; empty means tool-calls or stop, "none" leaves it out.
	Finish  FinishReason
	Failure *session.Failure
	// Throw makes the adapter fail after the blocks.
	Throw error
	// Hang waits after the blocks until the request is cancelled, and fails.
	Hang bool
	// Open leaves the blocks without an end.
	Open bool
	// Delay is how long the model thinks before it answers.
	Delay time.Duration
}

// Scripted is a model that gives prepared answers, one for each request. It
// needs no network.
type Scripted struct {
	// Replies are the answers. When there are no more a request fails with the
	// code "SCRIPT_ENDED".
	Replies []Reply
	// Before is called with every request before it is answered; it may be nil.
	Before func(ctx context.Context, n int, r Request) error
	// Hanging is called when an answer hangs, and again, with the context done,
	// when it goes on; it may be nil.
	Hanging func(ctx context.Context, n int)

	mu   sync.Mutex
	next int
}

// Stream implements [Model].
func (s *Scripted) Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		s.mu.Lock()
		n := s.next
		s.next++
		s.mu.Unlock()
		if s.Before != nil {
			if err := s.Before(ctx, n+1, r); err != nil {
				yield(nil, err)
				return
			}
		}
		if n >= len(s.Replies) {
			yield(nil, &Error{Failure: session.Failure{Message: fmt.Sprintf("the script has no answer number %d", n+1), Code: "SCRIPT_ENDED"}})
			return
		}
		s.answer(ctx, n, yield)
	}
}

func (s *Scripted) answer(ctx context.Context, n int, yield func(Chunk, error) bool) {
	reply := &s.Replies[n]
	if err := wait(ctx, reply.Delay); err != nil {
		yield(nil, err)
		return
	}
	for _, c := range reply.chunks() {
		if !yield(c, nil) {
			return
		}
	}
	switch {
	case reply.Hang:
		if s.Hanging != nil {
			s.Hanging(ctx, n+1)
		}
		<-ctx.Done()
		if s.Hanging != nil {
			s.Hanging(ctx, n+1)
		}
		yield(nil, &Error{Failure: session.Failure{Message: "the request was cancelled", Code: CodeAborted}, Err: context.Cause(ctx)})
	case reply.Throw != nil:
		yield(nil, reply.Throw)
	case reply.Finish != "none":
		yield(reply.finish(), nil)
	}
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return &Error{Failure: session.Failure{Message: "the request was cancelled", Code: CodeAborted}, Err: context.Cause(ctx)}
	}
}

// chunks returns everything before the end of the answer.
func (r *Reply) chunks() []Chunk {
	var list []Chunk
	n := 0
	add := func(kind string, delta Chunk, whole session.Part) {
		list = append(list, BlockStart{n, kind}, delta)
		if !r.Open && whole != nil {
			list = append(list, BlockEnd{n, whole})
		}
		n++
	}
	if r.Reasoning != "" {
		add("reasoning", ReasoningDelta{n, r.Reasoning}, session.Reasoning{Text: r.Reasoning})
	}
	if r.Text != "" {
		add("text", TextDelta{n, r.Text}, session.Text{Text: r.Text})
	}
	for _, c := range r.Calls {
		add("tool-call", CallDelta{n, c.ID, c.Tool, c.Arguments.String()}, c)
	}
	if r.Partial != nil {
		partial := *r.Partial
		partial.Index = n
		add("tool-call", partial, nil)
	}
	if r.Usage != nil {
		list = append(list, *r.Usage)
	}
	return list
}

func (r *Reply) finish() Finish {
	reason := r.Finish
	if reason == "" {
		reason = Stop
		if len(r.Calls) > 0 {
			reason = ToolCalls
		}
	}
	return Finish{Reason: reason, Failure: r.Failure}
}

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
//	tools             [{"id": …, "tool": …, "arguments": …}]
//	usage             {"input": n, "output": n}
//	finish            "stop", "tool-calls", "max-tokens", "error", "none"
//	failure           {"message": …, "code": …, "status": n, "retry_after_ms": n}
//	hang              true: never ends
//	delay_ms          how long it thinks first
func ParseScript(text []byte) (*Scripted, error) {
	items, err := scriptItems(text)
	if err != nil {
		return nil, err
	}
	s := &Scripted{}
	for i, item := range items {
		r, err := parseReply(item)
		if err != nil {
			return nil, fmt.Errorf("answer %d: %w", i+1, err)
		}
		for j := range r.Calls {
			if r.Calls[j].ID == "" {
				r.Calls[j].ID = fmt.Sprintf("call-%d-%d", i+1, j+1)
			}
		}
		s.Replies = append(s.Replies, r)
	}
	return s, nil
}

func scriptItems(text []byte) ([]value.Value, error) {
	if whole, err := value.Parse(text); err == nil && whole.Kind() == value.List {
		var items []value.Value
		for _, item := range whole.Items() {
			items = append(items, item)
		}
		return items, nil
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

// replyMembers reads the members of an answer.
var replyMembers = map[string]func(r *Reply, v value.Value){
	"reasoning": func(r *Reply, v value.Value) { r.Reasoning = v.String() },
	"text":      func(r *Reply, v value.Value) { r.Text = v.String() },
	"finish":    func(r *Reply, v value.Value) { r.Finish = FinishReason(v.String()) },
	"hang":      func(r *Reply, v value.Value) { r.Hang, _ = v.Bool() },
	"open":      func(r *Reply, v value.Value) { r.Open, _ = v.Bool() },
	"delay_ms": func(r *Reply, v value.Value) {
		ms, _ := v.Int()
		r.Delay = time.Duration(ms) * time.Millisecond
	},
	"failure": func(r *Reply, v value.Value) {
		f := session.DecodeFailure(v)
		r.Failure = &f
		if r.Finish == "" {
			r.Finish = Failed
		}
	},
	"usage": func(r *Reply, v value.Value) {
		input, _ := v.Get("input").Int()
		output, _ := v.Get("output").Int()
		r.Usage = &Usage{Input: int(input), Output: int(output)}
	},
	"tools": func(r *Reply, v value.Value) {
		for _, item := range v.Items() {
			call := session.ToolCall{ID: item.Get("id").String(), Tool: item.Get("tool").String(), Arguments: item.Get("arguments")}
			if call.Arguments.IsAbsent() {
				call.Arguments = value.OfObject()
			}
			r.Calls = append(r.Calls, call)
		}
	},
}

func parseReply(v value.Value) (Reply, error) {
	var r Reply
	if v.Kind() != value.Object {
		return r, errors.New("it is no object")
	}
	for key, m := range v.Members() {
		read := replyMembers[key]
		if read == nil {
			return r, fmt.Errorf("an answer has no member %q", key)
		}
		read(&r, m)
	}
	return r, nil
}
