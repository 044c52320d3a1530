package point

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrNextTwice is returned by a next that has been called as often as its point
// allows.
var ErrNextTwice = errors.New("next called twice")

// nextSpent is [ErrNextTwice] at a point where next may be called more than once:
// so many times.
type nextSpent int

func (n nextSpent) Error() string { return fmt.Sprintf("next called more than %d times", int(n)) }

// Is implements the interface of [errors.Is].
func (n nextSpent) Is(target error) bool { return target == ErrNextTwice }

// ErrNextLate is returned by a next that is called after its handler returned.
var ErrNextLate = errors.New("next called after the handler returned")

// ErrNextRunning fails a handler that returned while a next it had called on
// another goroutine was still under way: its answer cannot account for it.
var ErrNextRunning = errors.New("the handler returned before its next did")

// A HandlerError says which handler ended a run.
type HandlerError struct {
	Point     string
	Extension string // the extension that attached the handler
	Rule      string // the name of its rule; empty if that is the extension's
	Err       error
	Stack     []byte // of a panic, for a log only; never part of the message
}

// Error reads "point: extension NAME: cause", with the rule where it has a name.
func (e *HandlerError) Error() string {
	if e.Rule != "" && e.Rule != e.Extension {
		return fmt.Sprintf("%s: extension %s: rule %s: %v", e.Point, e.Extension, e.Rule, e.Err)
	}
	return fmt.Sprintf("%s: extension %s: %v", e.Point, e.Extension, e.Err)
}

// Unwrap returns the cause.
func (e *HandlerError) Unwrap() error { return e.Err }

// A PanicError is a panic of a handler, turned into an error. Its message holds
// the panic value but no stack.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic value if it is an error.
func (e *PanicError) Unwrap() error {
	if err, ok := e.Value.(error); ok {
		return Sound(err)
	}
	return nil
}

// fault makes the HandlerError for what handler e did, or passes on the one
// that a handler behind it already caused.
func (e *entry) fault(point string, err error) (fault error) {
	defer func() {
		if recover() != nil { // an error may be sound once and not again
			fault = &HandlerError{Point: point, Extension: e.owner.name, Rule: e.at.Rule, Err: errUnsound}
		}
	}()
	err = Sound(err)
	if inner := (*HandlerError)(nil); errors.As(err, &inner) && inner.Point == point {
		return err
	}
	out := &HandlerError{Point: point, Extension: e.owner.name, Rule: e.at.Rule, Err: err}
	if p := (*PanicError)(nil); errors.As(err, &p) {
		out.Stack = p.Stack
	}
	return out
}

// errUnsound stands for an error that cannot be asked what it is.
var errUnsound = errors.New("an error that panics when it is asked what it is")

// Sound returns err, or another error if asking err with [errors.Is] or
// [errors.As] panics. Most often that is a nil pointer that was returned as an
// error. Whoever takes an error from an extension takes it through Sound.
func Sound(err error) (sound error) {
	defer func() {
		if recover() != nil {
			sound = errUnsound
		}
	}()
	var nobody interface {
		error
		nobody()
	}
	_ = errors.Is(err, errUnsound) || errors.As(err, &nobody)
	return err
}

// recovered turns a panic into an error; it is deferred around every call into
// an extension, because an extension's bug must neither take the host down nor
// let a call through.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = panicked(p)
	}
}

func panicked(p any) error { return &PanicError{p, debug.Stack()} }
