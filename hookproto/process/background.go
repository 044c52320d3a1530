package process

import (
	"context"
	"errors"
	"sync"

	"github.com/dsh-lua/dsh/hookproto"
)

// ErrClosed is the cause with which a [Background] ends its runs.
var ErrClosed = errors.New("the hooks are disposed of")

// A Background owns the runs that nobody waits for. The zero value is ready.
type Background struct {
	lock   sync.Mutex
	stops  map[*Process]func()
	owed   int           // runs whose results are not handed over
	idle   chan struct{} // closed when none is owed; nil while none is
	closed bool
}

// Go starts c and returns. done, if not nil, gets the result, in a goroutine of
// the background. After Close nothing is started, and the result says so. A run
// is independent of any event: only its time-out and Close end it.
func (b *Background) Go(o Options, c Command, done func(hookproto.Result)) {
	ctx, stop := context.WithCancelCause(context.Background())
	b.lock.Lock()
	if b.closed {
		stop(ErrClosed)
	}
	p := o.Start(ctx, c) // under the lock, so that Close sees it
	b.own(p, func() { stop(ErrClosed) }, done)
	b.lock.Unlock()
}

// Adopt takes over a process that left its event. After Close it is ended.
func (b *Background) Adopt(d *Detached, done func(hookproto.Result)) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.closed {
		d.stop()
	}
	b.own(d.process, d.stop, done)
}

// own waits for p in a goroutine. The lock is held.
func (b *Background) own(p *Process, stop func(), done func(hookproto.Result)) {
	if b.stops == nil {
		b.stops = map[*Process]func(){}
	}
	b.stops[p] = stop
	if b.owed++; b.idle == nil {
		b.idle = make(chan struct{})
	}
	go func() {
		defer b.settle()
		r := p.Wait()
		b.lock.Lock()
		delete(b.stops, p)
		b.lock.Unlock()
		stop()
		if done != nil {
			done(r)
		}
	}()
}

// settle notes that a result is handed over.
func (b *Background) settle() {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.owed--; b.owed == 0 {
		close(b.idle)
		b.idle = nil
	}
}

// Drain waits until nothing runs, or ctx is done. What is started meanwhile is
// waited for too.
func (b *Background) Drain(ctx context.Context) error {
	b.lock.Lock()
	idle := b.idle
	b.lock.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close ends all runs and waits until none is left and all results are handed
// over. It may be called several times.
func (b *Background) Close(ctx context.Context) error {
	b.lock.Lock()
	b.closed = true
	for _, stop := range b.stops {
		stop()
	}
	b.lock.Unlock()
	return b.Drain(ctx)
}
