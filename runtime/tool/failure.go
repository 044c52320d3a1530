package tool

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
)

// A Code tells programs why a call has no value. The values are part of the log
// format. Denials, blocks and plain errors have none.
type Code string

// The codes that the pipeline gives. Tools add their own with [Error].
const (
	CodeUnknownTool      Code = "UNKNOWN_TOOL"
	CodeInvalidArguments Code = "INVALID_ARGS"
	CodeInvalidOutput    Code = "INVALID_TOOL_OUTPUT"
	CodeNotDispatched    Code = "ABORTED_BEFORE_DISPATCH" // cancelled before the body began
	CodeAborted          Code = "ABORTED"                 // cancelled while the body ran, or later
	CodeTimeout          Code = "TOOL_TIMEOUT"
)

// An Error is an error with a code. A body or a handler returns it to have its
// failure carry the code; anywhere in a chain of wrapped errors it is found.
type Error struct {
	Message string
	Name    string // the kind of error, for people
	Code    Code
}

func (e *Error) Error() string { return e.Message }

// Coded returns the parts of e. An error of another package that has this method
// counts as an Error with what it returns; scripts raise such errors.
func (e *Error) Coded() (message, name, code string) { return e.Message, e.Name, string(e.Code) }

// failed makes a failure whose content is what a model is shown of an error.
func failed(message, name string, code Code) Failure {
	message = strings.ToValidUTF8(message, "\uFFFD")
	return Failure{
		Message: message, Name: strings.ToValidUTF8(name, "\uFFFD"), Code: Code(strings.ToValidUTF8(string(code), "\uFFFD")),
		Content: []session.Part{session.Text{Text: "Error: " + message}},
	}
}

func unknownTool(name string) Failure {
	return failed(`unknown tool "`+name+`"`, "ToolNotFoundError", CodeUnknownTool)
}

func invalidOutput(tool, what string) Failure {
	return failed(`tool "`+tool+`" returned invalid output: `+what, "ToolOutputError", CodeInvalidOutput)
}

// Aborted returns the failure of a call that was cancelled: before its body
// began, or once it had.
func Aborted(ran bool) Failure {
	if ran {
		return failed("tool call aborted", "AbortError", CodeAborted)
	}
	return failed("tool call aborted before dispatch", "AbortError", CodeNotDispatched)
}

// The texts of failures that are nobody's error message.
const (
	lossyArguments = "tool execution arguments must be losslessly JSON-serializable"
	lossyResult    = "tool result must be losslessly JSON-serializable"
	bothReplaced   = "tools/post-execute accept decision cannot replace both value and content"
	valueOfFailure = "tools/post-execute cannot replace the value of a failed result"
	blockedText    = "tool result blocked by post-execute policy"
	goroutineEnded = "the goroutine of the call was ended" // by runtime.Goexit
	unprintable    = "<unprintable thrown value>"
	internalError  = "internal error" // of a panic of the Go runtime, whose text may hold addresses
)

// failureOf makes the failure for what a handler or a body did. The extension's
// name is for the log; the model is told the cause alone. It is total: an error
// may panic when it is asked for its parts.
func failureOf(err error) (f Failure) {
	defer func() {
		if recover() != nil {
			f = failed(unprintable, "", "")
		}
	}()
	if h := (*point.HandlerError)(nil); errors.As(err, &h) {
		err = h.Err
	}
	var coded interface {
		Coded() (message, name, code string)
	}
	if errors.As(err, &coded) {
		message, name, code := coded.Coded()
		return failed(message, name, Code(code))
	}
	return failed(messageOf(err), "", "")
}

// told is what a log is told of err: unlike a model, who did it and all of a panic.
// It is total, as messageOf is.
func told(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = unprintable
		}
	}()
	return err.Error()
}

// confess tells the log of a panic of which a model is told only that it was one.
// It is total, as messageOf is.
func (x *execution) confess(where string, err error) {
	defer func() { _ = recover() }()
	p := (*point.PanicError)(nil)
	if !errors.As(err, &p) {
		return
	}
	if _, internal := p.Value.(runtime.Error); internal {
		x.warn("tool %q (%s): %s: %s", x.call.Tool, x.call.ID, where, told(err))
	}
}

// messageOf returns the text of an error or panic. It is total: an error may
// panic when it is asked for its text.
func messageOf(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = unprintable
		}
	}()
	if p := (*point.PanicError)(nil); errors.As(err, &p) {
		return thrown(p.Value)
	}
	return err.Error()
}

func thrown(x any) string {
	switch x := x.(type) {
	case runtime.Error:
		return internalError
	case error:
		return x.Error()
	case string:
		return x
	case fmt.Stringer:
		return x.String()
	case map[string]any:
		if text, ok := x["message"].(string); ok {
			return text
		}
	}
	if v, err := Snapshot(x); err == nil {
		return v.String()
	}
	return fmt.Sprintf("panic with a %T", x)
}

// contain calls f and turns a panic into an error, which can be asked what it is.
func contain(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &point.PanicError{Value: r}
		}
	}()
	if err = f(); err != nil {
		return point.Sound(err)
	}
	return nil
}

// textOf is what a failure says that is shown as parts: their texts, line by
// line, and the kind of what is not text.
func textOf(parts []session.Part) string {
	lines := make([]string, 0, len(parts))
	for _, part := range parts {
		switch part := part.(type) {
		case session.Text:
			lines = append(lines, part.Text)
		case session.Reasoning:
			lines = append(lines, "[reasoning content]")
		case session.Image:
			lines = append(lines, "[image content]")
		case session.ToolCall:
			lines = append(lines, "[tool-call content]")
		case session.ToolResult:
			lines = append(lines, "[tool-result content]")
		}
	}
	return strings.Join(lines, "\n")
}
