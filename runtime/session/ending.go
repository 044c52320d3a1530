package session

import (
	"fmt"

	"github.com/dsh-lua/dsh/runtime/value"
)

// Failure says why a model gave no answer, or why a turn broke. It is JSON: it
// holds no error value and no stack.
type Failure struct {
	// Message is for people.
	Message string
	// Code is a stable word for programs; "UNKNOWN" if there is no better one.
	Code string
	// Status is the status of the transport, such as 429; 0 if there is none.
	Status int
	// RetryAfterMS is how long the provider asks to wait, in milliseconds.
	RetryAfterMS int
	// RequestID is the provider's name of the request.
	RequestID string
}

func (f Failure) encode() value.Value {
	return object(
		member("message", text(f.Message)), member("code", text(f.Code)), member("status", positive(int64(f.Status))),
		member("retry_after_ms", positive(int64(f.RetryAfterMS))), member("request_id", optional(f.RequestID)),
	)
}

// Encode returns the JSON form of f.
func (f Failure) Encode() value.Value { return f.encode() }

// DecodeFailure is the inverse of [Failure.Encode].
func DecodeFailure(v value.Value) Failure {
	return Failure{
		Message: v.Get("message").String(), Code: v.Get("code").String(), Status: number(v, "status"),
		RetryAfterMS: number(v, "retry_after_ms"), RequestID: v.Get("request_id").String(),
	}
}

func number(v value.Value, key string) int {
	i, _ := v.Get(key).Int()
	return int(i)
}

// CauseKind says who cancelled a turn.
type CauseKind string

// The kinds of causes.
const (
	CauseUser     CauseKind = "user"     // the human
	CauseParent   CauseKind = "parent"   // the agent that this one works for
	CauseHook     CauseKind = "hook"     // an extension
	CauseDisposed CauseKind = "disposed" // the agent was closed
	CauseTimeout  CauseKind = "timeout"  // the turn took longer than it may
)

// A Cause says why a turn was cancelled. It is kept in the log, and it is the
// cause of the contexts of everything that belonged to the turn.
type Cause struct {
	Kind CauseKind
	// Reason is an extension's own text.
	Reason string
}

// Error implements error.
func (c Cause) Error() string {
	if c.Reason != "" {
		return fmt.Sprintf("cancelled by %s: %s", c.Kind, c.Reason)
	}
	return "cancelled by " + string(c.Kind)
}

// EndKind says how a turn ended.
type EndKind string

// The ways in which a turn ends. Whoever meets another one takes it for a
// failure.
const (
	EndCompleted   EndKind = "completed"
	EndMaxTokens   EndKind = "max-tokens"  // the model's answer was cut off
	EndBlocked     EndKind = "blocked"     // an extension rejected a step
	EndAborted     EndKind = "aborted"     // somebody cancelled it
	EndError       EndKind = "error"       // something broke
	EndInterrupted EndKind = "interrupted" // the process died
)

// An End says how a turn ended and why.
type End struct {
	Kind EndKind
	// Reason is why a step was rejected.
	Reason string
	// Cause is who cancelled; only of aborted turns.
	Cause *Cause
	// Failure is what broke; only of errors.
	Failure *Failure
}

func (e End) encode() value.Value {
	cause, failure := value.Value{}, value.Value{}
	if e.Cause != nil {
		cause = object(member("kind", text(string(e.Cause.Kind))), member("reason", optional(e.Cause.Reason)))
	}
	if e.Failure != nil {
		failure = e.Failure.encode()
	}
	return object(member("kind", text(string(e.Kind))), member("reason", optional(e.Reason)), member("cause", cause), member("failure", failure))
}

// decodeEnd is the inverse of encode.
func decodeEnd(v value.Value) End {
	end := End{Kind: EndKind(v.Get("kind").String()), Reason: v.Get("reason").String()}
	if cause := v.Get("cause"); !cause.IsAbsent() {
		end.Cause = &Cause{CauseKind(cause.Get("kind").String()), cause.Get("reason").String()}
	}
	if failure := v.Get("failure"); !failure.IsAbsent() {
		f := DecodeFailure(failure)
		end.Failure = &f
	}
	return end
}
