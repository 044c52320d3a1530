package agent

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// A turn is one drain of input. Its fields belong to its driver, apart from
// those that say otherwise.
type turn struct {
	agent  *Agent
	ctx    context.Context //nolint:containedctx // is the turn: it ends with it
	cancel context.CancelCauseFunc
	cause  *session.Cause // who cancelled it first; under the agent's lock

	ref    session.Ref
	scope  *tool.Scope // of its calls
	number int
	opened bool
	step   int  // the last one that was opened
	inside bool // of that step
	batch  []session.Message
	failed error // while it was opened

	stops      int  // how often in a row extensions made it go on
	prolonged  bool // they did at all
	asking     bool // turn-stopping is asked; under the agent's lock
	lastAnswer string
}

// newTurn returns a turn that is not open yet. It can be cancelled already.
func (a *Agent) newTurn() *turn {
	t := &turn{agent: a, ref: a.ref}
	t.ctx, t.cancel = context.WithCancelCause(a.base)
	return t
}

// late reports whether the turn is being cancelled by somebody who may be
// followed by other work. The agent's lock is held.
func (t *turn) late() bool { return t.cause != nil && t.cause.Kind != session.CauseDisposed }

// abort cancels t unless somebody did before. The agent's lock is held.
func (t *turn) abort(cause session.Cause) {
	if t.cause == nil {
		t.cause = &cause
		t.cancel(cause)
	}
}

func (t *turn) aborted() *session.Cause {
	t.agent.mu.Lock()
	defer t.agent.mu.Unlock()
	return t.cause
}

// open logs the start of the turn and claims its input. Nothing happens if it
// was cancelled before.
func (t *turn) open(ctx context.Context) {
	a := t.agent
	if t.aborted() != nil {
		return
	}
	last, _ := a.log.Turn()
	if _, err := a.log.Append(ctx, session.TurnStarted(last+1)); err != nil {
		t.failed = err
		return
	}
	t.number, t.opened = last+1, true
	t.ref.Turn = strconv.Itoa(t.number)
	t.failed = t.claim(ctx, session.NextTurn)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.halted != nil {
		t.abort(*a.halted)
		a.halted = nil
	}
}

// claim takes input for the next step.
func (t *turn) claim(ctx context.Context, to session.Target) (err error) {
	a := t.agent
	a.mu.Lock()
	t.batch, err = a.claim(ctx, to)
	a.mu.Unlock()
	a.log.Publish(ctx)
	a.tellInbox(Claimed, t.number, t.batch...)
	return err
}

// drive runs turns until nothing is left to do. It is the one goroutine that
// owns the loop.
func (a *Agent) drive(t *turn) {
	defer a.release()
	defer func() {
		if t != nil { // an extension, a tool or the model ended this goroutine
			a.finish(t, session.End{}, errLeft)
			a.converge(false)
		}
	}()
	for t != nil {
		normal := a.runTurn(t)
		t.cancel(context.Canceled)
		t = a.converge(normal)
	}
}

// converge decides what follows a turn. After one that ended by itself the next
// one follows at once; after any other, work waits for a wake.
func (a *Agent) converge(normal bool) *turn {
	a.mu.Lock()
	replay := a.latch && a.pending() && !a.ending
	a.latch = false
	if normal && a.pending() && !a.ending {
		t := a.newTurn()
		a.run = t
		a.mu.Unlock()
		t.open(a.base)
		return t
	}
	a.run = nil
	a.mu.Unlock()
	a.tellStatus()
	if !replay {
		return nil
	}
	return a.rewake()
}

// rewake begins a turn for a wake that came too late for the one before, unless
// somebody else began one or took the work away.
func (a *Agent) rewake() *turn {
	a.mu.Lock()
	if a.run != nil || a.task != nil || a.ending || !a.pending() {
		a.mu.Unlock()
		return nil
	}
	t := a.newTurn()
	a.run = t
	a.mu.Unlock()
	a.tellStatus()
	t.open(a.base)
	return t
}

// runTurn runs t from wherever its opening came to, to its end. It reports
// whether the turn ended by itself.
func (a *Agent) runTurn(t *turn) (normal bool) {
	if !t.opened && t.failed == nil {
		select {
		case <-a.started:
			t.open(a.base)
		case <-t.ctx.Done():
		}
	}
	if !t.opened {
		a.report(t, t.failed)
		return false
	}
	if a.options.TurnTimeout > 0 {
		timer := time.AfterFunc(a.options.TurnTimeout, func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			t.abort(session.Cause{Kind: session.CauseTimeout})
		})
		defer timer.Stop()
	}
	end, normal, err := t.steps()
	return a.finish(t, end, err) && normal
}

// finish closes the step and the turn. It reports whether both are in the log
// and the turn was not broken.
func (a *Agent) finish(t *turn, end session.End, err error) bool {
	whole := true
	if t.inside {
		if stepErr := t.endStep(); stepErr != nil {
			a.report(t, stepErr)
			whole = false
		}
	}
	cause := t.aborted()
	switch {
	case cause != nil && (err != nil || t.ctx.Err() != nil):
		end, err = session.End{Kind: session.EndAborted, Cause: cause}, nil
	case err != nil:
		failure := failureOf(err)
		end = session.End{Kind: session.EndError, Failure: &failure}
	}
	if _, logErr := a.log.Append(a.base, session.TurnEnded(t.number, end)); logErr != nil {
		a.report(t, logErr)
		whole = false
	}
	a.report(t, err)
	if end.Kind == session.EndAborted && cause.Kind == session.CauseUser {
		a.interrupted(t, cause)
	}
	return whole && err == nil && end.Kind != session.EndAborted
}

// interrupted tells that the human cancelled a turn.
func (a *Agent) interrupted(t *turn, cause *session.Cause) {
	tell(a.base, a, OnInterrupt, Interrupted{Session: t.ref, Turn: t.number, Cause: string(cause.Kind)})
}

// report tells that a turn broke.
func (a *Agent) report(t *turn, err error) {
	if err == nil {
		return
	}
	number := t.number
	if !t.opened {
		number, _ = a.log.Turn()
	}
	f := failureOf(err)
	tell(a.base, a, OnError, Error{Session: t.ref, Turn: number, Step: t.step, Message: f.Message, Code: f.Code})
}

// failureOf is what a log keeps of an error: what a provider said as it said it,
// and of everything else the text.
func failureOf(err error) session.Failure {
	if known := (*model.Error)(nil); errors.As(point.Sound(err), &known) && known != nil {
		f := known.Failure
		if f.Code == "" {
			f.Code = model.CodeUnknown
		}
		return f
	}
	return session.Failure{Message: clean(messageOf(err)), Code: model.CodeUnknown}
}

// messageOf returns the text of an error. It is total: an error may panic when
// it is asked for its text.
func messageOf(err error) (text string) {
	defer func() {
		if recover() != nil || text == "" {
			text = "an error without a text"
		}
	}()
	return err.Error()
}

// errLeft ends a turn whose goroutine somebody else ended, by [runtime.Goexit].
var errLeft = errors.New("an extension, a tool or the model ended the goroutine of the turn")

// errStopped ends a turn that was cancelled. What is reported is the cause.
var errStopped = errors.New("the turn was cancelled")

// live returns an error if the turn was cancelled.
func (t *turn) live() error {
	if t.ctx.Err() != nil {
		return errStopped
	}
	return nil
}
