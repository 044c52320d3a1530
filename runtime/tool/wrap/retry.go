package wrap

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// Retry runs the body again after failures that are known to pass: those with
// one of the given codes, and no other.
type Retry struct {
	// Codes are the codes of failures that are worth another attempt.
	Codes []tool.Code
	// Attempts is how often the body runs at most, from 2 to [MaxAttempts].
	Attempts int
	// Wait is the time before the second attempt; it doubles with each further
	// one, up to MaxWait.
	Wait time.Duration
	// MaxWait bounds the time between attempts; 0 means one minute.
	MaxWait time.Duration
	// Tools restricts the wrapper to these tools; nil means all.
	Tools []string
}

// MaxAttempts is how often a wrapper may run a body.
const MaxAttempts = 8

// Name implements [point.Extension].
func (Retry) Name() string { return "retry" }

// Install implements [point.Extension].
func (r Retry) Install(in *point.Installer) error {
	switch {
	case len(r.Codes) == 0:
		return errors.New("retry needs the codes of failures that are worth another attempt")
	case r.Attempts < 2 || r.Attempts > MaxAttempts:
		return errors.New("retry needs 2 to 8 attempts")
	case r.Wait < 0 || r.MaxWait < 0:
		return errors.New("the time between attempts cannot be negative")
	}
	if r.MaxWait == 0 {
		r.MaxWait = time.Minute
	}
	r.Codes = slices.Clone(r.Codes)
	tool.OnExecute.HandleWith(in, r.handle, attach(r.Tools))
	return nil
}

func (r Retry) handle(ctx context.Context, _ tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
	wait := r.Wait
	for attempt := 1; ; attempt++ {
		result, err := next(ctx)
		failure, failed := result.(tool.Failure)
		if err != nil || !failed || attempt == r.Attempts || !slices.Contains(r.Codes, failure.Code) {
			return result, err
		}
		if !sleep(ctx, min(wait, r.MaxWait)) {
			return result, nil
		}
		wait *= 2
	}
}

// sleep waits unless ctx is done before, as that of a time limit outside may be,
// or the call is cancelled.
func sleep(ctx context.Context, d time.Duration) bool {
	caller := tool.Caller(ctx)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil && caller.Err() == nil
	case <-caller.Done():
	case <-ctx.Done():
	}
	return false
}
