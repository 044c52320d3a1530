package process

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/internal/group"
)

// drain is how long to wait for the rest of the output of what was ended.
const drain = 200 * time.Millisecond

// why is a reason for which a command is not waited for any longer.
type why uint32

const (
	timeUp why = 1 << iota
	canceled
	outputHeld // it is over, but a child of it still could print
	impolite   // it was asked to end and did not
	undrained  // it was ended, but somebody still could print

	byItself why = 0
)

// reasons is how many there are.
const reasons = 5

// raise gives a reason. Any goroutine may.
func (p *Process) raise(w why) {
	p.raised.Or(uint32(w))
	p.pump.ring()
}

// after raises w when d has passed, unless it is stopped before.
func (p *Process) after(d time.Duration, w why) (stop func()) {
	if p.o.Clock != nil {
		return p.o.Clock.AfterFunc(d, func() { p.raise(w) })
	}
	return p.afterReal(d, w)
}

// afterReal is after by the real time. The pump waits no longer than that, which
// takes less than a timer.
func (p *Process) afterReal(d time.Duration, w why) (stop func()) {
	due := &p.due[bits.TrailingZeros32(uint32(w))]
	*due = time.Now().Add(d)
	return func() { *due = time.Time{} }
}

// await waits until over says so, or for the first of reasons, which it returns.
func (p *Process) await(over func() bool, reasons ...why) why {
	for !over() {
		patience := p.look()
		raised := why(p.raised.Load())
		for _, w := range reasons {
			if raised&w != 0 {
				return w
			}
		}
		p.pump.next(patience)
	}
	return byItself
}

// look raises the reasons that are due, and returns the time until the next will
// be. It is negative if there is none.
func (p *Process) look() time.Duration {
	next := time.Duration(-1)
	for i := range p.due {
		if p.due[i].IsZero() {
			continue
		}
		left := time.Until(p.due[i])
		if left <= 0 {
			p.raised.Or(1 << i)
			p.due[i] = time.Time{}
		} else if next < 0 || left < next {
			next = left
		}
	}
	return next
}

func (p *Process) hasExited() bool { return p.exited }

func (p *Process) isSilent() bool { return p.out[0].over && p.out[1].over }

// supervise sees the command to its end.
func (p *Process) supervise(ctx context.Context, limit time.Duration) {
	defer close(p.ended)
	if p.pump == nil {
		return
	}
	defer context.AfterFunc(ctx, func() { p.raise(canceled) })()
	if limit > 0 {
		defer p.after(limit, timeUp)()
	}
	cause := p.await(p.hasExited, canceled, timeUp)
	if cause == byItself {
		cause = p.awaitOutput()
	}
	if cause != byItself {
		p.end()
	}
	p.collect(cause)
}

// awaitOutput waits for the end of the output of a command that is over.
func (p *Process) awaitOutput() why {
	if !p.isSilent() && p.o.Held >= 0 {
		defer p.after(p.o.Held, outputHeld)()
	}
	return p.await(p.isSilent, outputHeld, canceled, timeUp)
}

// end ends the command with all that it started.
func (p *Process) end() {
	tree := group.NewTree(p.pid, holders(p.held[:])...)
	tree.Look()
	if p.o.Polite > 0 && !p.exited {
		group.Interrupt(p.pid)
		stop := p.after(p.o.Polite, impolite)
		p.await(p.hasExited, impolite)
		stop()
	}
	tree.Kill()
	if p.mark != "" {
		group.KillMarked(p.mark)
	}
	p.await(p.hasExited)
}

// collect makes the result. A process that nobody can find may still hold a
// stream: it is not waited for.
func (p *Process) collect(cause why) {
	if cause != byItself {
		stop := p.afterReal(drain, undrained)
		p.await(p.isSilent, undrained)
		stop()
	}
	p.pump.close()
	p.result = hookproto.Result{
		Exit: -1, Stdout: p.out[0].kept, Stderr: p.out[1].kept, Cut: p.out[0].cut || p.out[1].cut,
		TimedOut: cause == timeUp, Canceled: cause == canceled, Took: p.took(),
	}
	if p.how == nil {
		p.result.Err = errors.New("the process was waited for by somebody else")
		return
	}
	p.result.Exit, p.result.Signal = p.how.status, p.how.signal
}
