package agent

import (
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/runtime/session"
)

// live is what extensions can do to the session of an agent. It acts at once.
type live struct{ agent *Agent }

var _ session.Recorder = live{}

// Inject implements [session.Live].
func (l live) Inject(m session.Message) error { return l.send(m, false) }

// Steer implements [session.Live].
func (l live) Steer(m session.Message) error { return l.send(m, true) }

// send adds a message of an extension to the next step. It can never be taken
// for one of the human. What would make a turn go on once too often is dropped.
func (l live) send(m session.Message, wake bool) error {
	a := l.agent
	if m.Source == nil || m.Source == session.Source(session.User{}) {
		m.Source = session.Extension{}
	}
	if err := m.Validate(); err != nil {
		return err
	}
	m.Content = cleanParts(m.Content)
	a.mu.Lock()
	t := a.run
	refused := t != nil && t.exhausted()
	a.mu.Unlock()
	if refused {
		a.refuseSteer(t)
		return nil
	}
	return a.send(a.base, m, session.NextStep, wake)
}

// Halt implements [session.Live]: it cancels the turn under way. What is pending
// stays, because it is not the extension's to drop. From a handler of session
// start it ends the first turn before its request.
func (l live) Halt(reason string) error {
	a := l.agent
	cause := session.Cause{Kind: session.CauseHook, Reason: clean(reason)}
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.started:
	default:
		if a.halted == nil {
			a.halted = &cause
		}
		return nil
	}
	if a.run != nil {
		a.run.abort(cause)
	}
	return nil
}

// Record implements [session.Recorder]. The policy for approval is the program's
// to change.
func (l live) Record(ev session.Event) error {
	if ev.Surface != (session.Surface{}) {
		return fmt.Errorf("record: %s is part of the conversation", ev.Type)
	}
	if ev.Type == session.EventPolicy {
		return fmt.Errorf("record: %s is not for extensions", ev.Type)
	}
	_, err := l.agent.log.Append(l.agent.base, ev)
	return err
}

// Tell implements [session.Live].
func (l live) Tell(text string) error {
	if l.agent.options.Tell == nil {
		return fmt.Errorf("tell: %w", session.ErrUnsupported)
	}
	l.agent.options.Tell(text)
	return nil
}

func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func cleanParts(parts []session.Part) []session.Part {
	out := session.CloneParts(parts)
	for i, p := range out {
		if t, ok := p.(session.Text); ok {
			out[i] = session.Text{Text: clean(t.Text)}
		}
	}
	return out
}

// Cancel cancels the turn or the task under way and, unless keepInbox is set,
// drops everything that is pending. The first cause of a turn stays. Cancelling
// is cooperative: the turn ends when what it waits for has ended. On an idle
// agent there is only the inbox to clear. It may be called from an observer of
// the log.
func (a *Agent) Cancel(cause session.Cause, keepInbox bool) {
	stop := func(error) {}
	a.mu.Lock()
	switch {
	case a.task != nil:
		stop = a.task.cancel
	case a.run != nil && a.run.cause == nil:
		a.run.cause = &cause
		stop = a.run.cancel
	}
	var dropped []session.Message
	var err error
	if !keepInbox {
		a.latch = false
		dropped, err = a.clear(a.base)
	}
	a.mu.Unlock()
	stop(cause) // whatever became of clearing
	a.warn(err)
	a.log.Publish(a.base)
	a.tellInbox(Discarded, 0, dropped...)
}
