package hook

import (
	"context"
	"sync"
	"time"
)

// A deadline is a context that is done at a time. It starts a timer only for who
// waits for that, since the first timer of a process costs three system calls; the
// policies' machine just asks now and then whether the time is up.
type deadline struct {
	context.Context // the one that it is made from

	at    time.Time
	timed func() context.Context // the same with a timer, made once
}

// within returns ctx as it is until d is over, and then done with the given cause,
// and what releases it.
func within(ctx context.Context, d time.Duration, cause error) (context.Context, func()) {
	release := func() {}
	at := time.Now().Add(d)
	timed := sync.OnceValue(func() context.Context {
		timed, cancel := context.WithDeadlineCause(ctx, at, cause)
		release = cancel
		return timed
	})
	return deadline{ctx, at, timed}, func() { release() }
}

// Deadline implements [context.Context].
func (d deadline) Deadline() (time.Time, bool) { return d.timed().Deadline() }

// Done implements [context.Context].
func (d deadline) Done() <-chan struct{} { return d.timed().Done() }

// Err implements [context.Context].
func (d deadline) Err() error {
	if time.Now().Before(d.at) {
		return d.Context.Err()
	}
	return d.timed().Err()
}

// Value implements [context.Context].
func (d deadline) Value(key any) any {
	if time.Now().Before(d.at) {
		return d.Context.Value(key)
	}
	return d.timed().Value(key)
}
