// Package model owns what the runtime asks of a language model and how an answer
// arrives.
//
// A [Model] streams an answer in chunks. [Stream] holds it to the contract: what
// an adapter does wrong, whether it returns an error, panics or stops early,
// arrives as one finish, so that the agent loop has one way to fail. An
// [Assembler] makes the message out of the chunks. [Scripted] is a model that
// follows a script, for tests and for running without a network; real providers
// live with the program that links a network stack.
package model

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Model answers requests. It is safe for concurrent use.
type Model interface {
	// Stream sends the request when the result is iterated over, and yields the
	// answer as it arrives: chunks, the usage, and last a [Finish]. An error ends
	// the iteration; one that wraps an [Error] says what kind it is. When ctx is
	// done it must stop soon, with what it has.
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// A Describer is a Model that knows its models.
type Describer interface {
	// Describe returns what is known of the named model.
	Describe(ctx context.Context, name string) (Info, error)
}

// Info is what is known of a model; zero fields are not known.
type Info struct {
	// Window is how much it can read, in tokens.
	Window int
}

// A Request is one question to a model. Its lists are shared with the session:
// nobody may change them.
type Request struct {
	// Model names the model, in the words of its provider.
	Model string
	// MaxTokens bounds the answer, in tokens; 0 leaves it to the provider.
	MaxTokens int
	// Options are settings in the provider's own terms; absent if there are none.
	Options value.Value
	// System is what the model is told before the conversation.
	System string
	// Tools are the tools that it may call, sorted by name.
	Tools []Tool
	// Messages are the conversation. Each tool call in it has its result in the
	// messages that follow.
	Messages []session.Message
	// Session, Turn, Step and Attempt say what the request is for; the attempts
	// of one request count from 1.
	Session             string
	Turn, Step, Attempt int
}

// Tool is a tool as a model is told of it.
type Tool struct {
	Name        string
	Description string
	// Parameters is the JSON Schema of the arguments.
	Parameters value.Value
}

// Error is an error of a provider, classified.
type Error struct {
	Failure session.Failure
	// Err is what it came from; it may be nil.
	Err error
}

func (e *Error) Error() string { return e.Failure.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Codes of failures that the runtime itself gives.
const (
	CodeUnknown = "UNKNOWN"
	CodeAborted = "ABORTED"
	CodeTimeout = "TIMEOUT"
)

// Stream sends r to m and hands every chunk to sink, in order. It returns how
// the answer finished: a finish that m leaves out counts as [Stop], and all that
// m does wrong is a finish with a failure, which sink is given too. The error is
// that of sink, which ends the answer.
func Stream(ctx context.Context, m Model, r Request, sink func(Chunk) error) (Finish, error) {
	s := &stream{sink: sink}
	err := s.run(ctx, m, r)
	switch {
	case s.refused != nil:
		return Finish{}, s.refused
	case s.finish != nil:
		return *s.finish, nil
	case err == nil:
		return Finish{Reason: Stop}, nil
	}
	f := failed(ctx, err)
	return f, sink(f)
}

type stream struct {
	sink    func(Chunk) error
	finish  *Finish
	refused error
}

func (s *stream) run(ctx context.Context, m Model, r Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the model adapter panicked: %v", p)
		}
	}()
	for chunk, err := range m.Stream(ctx, r) {
		if err != nil {
			return err
		}
		if chunk = normal(chunk); chunk == nil {
			return errors.New("the model adapter sent a chunk that is none")
		}
		if f, ok := chunk.(Finish); ok {
			f = f.classified(ctx)
			s.finish, chunk = &f, f
		}
		if s.refused = s.sink(chunk); s.refused != nil || s.finish != nil {
			return nil
		}
	}
	return nil
}

// failed is the finish for an error of an adapter.
func failed(ctx context.Context, err error) Finish {
	failure := failureOf(err)
	return Finish{Reason: Failed, Failure: &failure}.classified(ctx)
}

// failureOf is what an error says. It is total: an error may panic when it is
// asked, as a nil pointer does.
func failureOf(err error) (f session.Failure) {
	defer func() {
		if recover() != nil {
			f = session.Failure{} // which says that the adapter failed
		}
	}()
	if known := (*Error)(nil); errors.As(err, &known) {
		return known.Failure
	}
	return session.Failure{Message: err.Error(), Code: CodeUnknown}
}

// classified tells a failure that comes from cancelling from every other, and
// makes sure that a failure says something, and that a log can keep it.
func (f Finish) classified(ctx context.Context) Finish {
	if f.Reason != Failed && f.Reason != Aborted {
		f.Failure = nil
		return f
	}
	failure := session.Failure{}
	if f.Failure != nil {
		failure = *f.Failure
	}
	failure.Message, failure.Code, failure.RequestID = clean(failure.Message), clean(failure.Code), clean(failure.RequestID)
	if failure.Code == "" {
		failure.Code = CodeUnknown
	}
	if failure.Message == "" {
		failure.Message = "the model adapter failed"
	}
	f.Reason = Failed
	if failure.Code == CodeAborted || ctx.Err() != nil {
		f.Reason = Aborted
	}
	f.Failure = &failure
	return f
}
