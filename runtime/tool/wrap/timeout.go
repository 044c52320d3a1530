package wrap

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// Timeout ends the context of bodies that take too long and makes a failure of
// such a call, whatever the body still returned. The body is waited for all the
// same. Waiting for approval and policy do not count. The zero value enforces
// the limits that tools declare.
type Timeout struct {
	// Default is the limit of tools that declare none; 0 means no limit.
	Default time.Duration
	// Tools restricts the wrapper to these tools; nil means all.
	Tools []string
}

// Name implements [point.Extension].
func (Timeout) Name() string { return "timeout" }

// Install implements [point.Extension].
func (t Timeout) Install(in *point.Installer) error {
	if t.Default < 0 {
		return errors.New("a time limit cannot be negative")
	}
	tool.OnExecute.HandleWith(in, t.handle, attach(t.Tools))
	return nil
}

// What ended first.
const (
	running int32 = iota
	ended
	expired
)

func (t Timeout) handle(ctx context.Context, call tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
	limit := call.Timeout()
	if limit == 0 {
		limit = t.Default
	}
	if limit == 0 {
		return next(ctx)
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	caller := tool.Caller(ctx)
	var state atomic.Int32
	timer := time.AfterFunc(limit, func() {
		if caller.Err() == nil && state.CompareAndSwap(running, expired) {
			cancel(context.DeadlineExceeded)
		}
	})
	defer timer.Stop()
	r, err := next(inner)
	if state.CompareAndSwap(running, ended) {
		return r, err
	}
	return tool.Failure{
		Message: fmt.Sprintf("tool call timed out after %dms", limit.Milliseconds()),
		Name:    "ToolTimeoutError", Code: tool.CodeTimeout,
	}, nil
}
