package model

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/dsh-lua/dsh/runtime/session"
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

// noFinish is the reason of an answer that does not say how it ended.
const noFinish = "none"

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

	children map[string]*Scripted // by the call that starts the subagent

	mu   sync.Mutex
	next int
}

// Child returns the model of the subagent that a call of this model starts, with
// the answers that [ParseScript] found beside the call; with none if there are
// none.
func (s *Scripted) Child(call string) *Scripted {
	if child := s.children[call]; child != nil {
		return child
	}
	return &Scripted{}
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
	case reply.Finish != noFinish:
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
