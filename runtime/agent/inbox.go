package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dsh-lua/dsh/runtime/session"
)

// An InboxEvent is what happened to one message. Every message is inserted once,
// and then either claimed by a turn or discarded.
type InboxEvent struct {
	// Kind is "inserted", "claimed" or "discarded".
	Kind    string
	Message session.Message
	// Turn is the turn that claimed it; 0 for the other kinds.
	Turn int
}

// The kinds of inbox events.
const (
	Inserted  = "inserted"
	Claimed   = "claimed"
	Discarded = "discarded"
)

// Followup queues m as the prompt of a turn of its own, and wakes the agent. When
// it returns on an idle agent, the turn is open and has claimed the message.
// Its ID, role and source are filled in if they are missing. An error means that
// nothing happened. It is no promise that a turn will run: what becomes of m is
// told by the log.
func (a *Agent) Followup(ctx context.Context, m session.Message) error {
	return a.send(ctx, m, session.NextTurn, true)
}

// Steer adds m to the next step of the turn under way, behind the results of the
// tools that run. On an idle agent it opens a turn.
func (a *Agent) Steer(ctx context.Context, m session.Message) error {
	return a.send(ctx, m, session.NextStep, true)
}

// Inject adds m to the next step whenever that is. It wakes nobody.
func (a *Agent) Inject(ctx context.Context, m session.Message) error {
	return a.send(ctx, m, session.NextStep, false)
}

// Said returns a message of the human.
func Said(text string) session.Message {
	return session.Message{Role: session.RoleUser, Content: []session.Part{session.Text{Text: text}}, Source: session.User{}}
}

var errNoContent = errors.New("a message needs content")

// admit copies m and fills in what is missing.
func (a *Agent) admit(m session.Message) (session.Message, error) {
	if len(m.Content) == 0 || slices.Contains(m.Content, nil) {
		return m, errNoContent
	}
	if err := m.Validate(); err != nil {
		return m, err
	}
	return a.complete(m.Clone(), session.User{}), nil
}

func (a *Agent) complete(m session.Message, source session.Source) session.Message {
	if m.ID == "" {
		m.ID = a.newID()
	}
	if m.Role == "" {
		m.Role = session.RoleUser
	}
	if m.Source == nil {
		m.Source = source
	}
	return m
}

func (a *Agent) send(ctx context.Context, m session.Message, to session.Target, wake bool) error {
	m, err := a.admit(m)
	if err != nil {
		return err
	}
	a.mu.Lock()
	if wake && a.run != nil && a.run.late() {
		to = session.NextTurn // it cannot join a turn that is being cancelled
	}
	_, err = a.log.Commit(ctx, session.Spliced(to, a.log.PendingLen(to), 0, []session.Message{m}, false))
	var opened *turn
	if err == nil && wake {
		opened = a.wake()
	}
	a.mu.Unlock()
	if err != nil {
		return err
	}
	a.log.Publish(ctx)
	a.tellInbox(Inserted, 0, m)
	if opened != nil {
		a.begin(ctx, opened)
	}
	return nil
}

// wake decides what a wake does. It returns the turn to begin, if it is one. The
// lock is held.
func (a *Agent) wake() *turn {
	switch {
	case a.ending:
	case a.run == nil && a.task == nil:
		a.run = a.newTurn()
		a.occupy()
		return a.run
	case a.task != nil || a.run.late():
		a.latch = true
	}
	return nil
}

// begin takes a waking call as far as the claim of its turn, and hands over to
// the driver.
func (a *Agent) begin(ctx context.Context, t *turn) {
	a.tellStatus()
	select {
	case <-a.started:
		t.open(ctx)
	default: // the driver waits for it
	}
	go a.drive(t)
}

func (a *Agent) tellInbox(kind string, turn int, list ...session.Message) {
	if a.options.Inbox == nil {
		return
	}
	for _, m := range list {
		a.options.Inbox(InboxEvent{kind, m.Clone(), turn})
	}
}

// claim takes what waits for the next step, and for a new turn one prompt. The
// lock is held.
func (a *Agent) claim(ctx context.Context, to session.Target) ([]session.Message, error) {
	batch := a.log.Pending(session.NextStep)
	if len(batch) > 0 {
		if _, err := a.log.Commit(ctx, session.Spliced(session.NextStep, 0, len(batch), nil, false)); err != nil {
			return nil, err
		}
	}
	prompts := a.log.Pending(session.NextTurn)
	if to == session.NextStep || len(prompts) == 0 {
		return batch, nil
	}
	if _, err := a.log.Commit(ctx, session.Spliced(session.NextTurn, 0, 1, nil, false)); err != nil {
		return batch, err
	}
	return append(batch, prompts[0]), nil
}

// pending reports whether anything waits.
func (a *Agent) pending() bool {
	return a.log.PendingLen(session.NextStep) > 0 || a.log.PendingLen(session.NextTurn) > 0
}

// Pending returns the messages that wait in a list.
func (a *Agent) Pending(t session.Target) []session.Message { return a.log.Pending(t) }

// Remove drops a pending message. It reports whether there was one.
func (a *Agent) Remove(ctx context.Context, id string) (bool, error) {
	return a.edit(ctx, id, nil)
}

// Replace puts m in the place of a pending message. It reports whether there was
// one.
func (a *Agent) Replace(ctx context.Context, id string, m session.Message) (bool, error) {
	m, err := a.admit(m)
	if err != nil {
		return false, err
	}
	return a.edit(ctx, id, []session.Message{m})
}

func (a *Agent) edit(ctx context.Context, id string, by []session.Message) (bool, error) {
	a.mu.Lock()
	var old session.Message
	found, err := false, error(nil)
	for _, to := range []session.Target{session.NextStep, session.NextTurn} {
		list := a.log.Pending(to)
		at := slices.IndexFunc(list, func(m session.Message) bool { return m.ID == id })
		if at >= 0 {
			found, old = true, list[at]
			_, err = a.log.Commit(ctx, session.Spliced(to, at, 1, by, true))
			break
		}
	}
	a.mu.Unlock()
	if !found || err != nil {
		return false, err
	}
	a.log.Publish(ctx)
	a.tellInbox(Discarded, 0, old)
	a.tellInbox(Inserted, 0, by...)
	return true, nil
}

// Prepend puts m in front of a list. It wakes nobody.
func (a *Agent) Prepend(ctx context.Context, to session.Target, m session.Message) error {
	m, err := a.admit(m)
	if err != nil {
		return err
	}
	a.mu.Lock()
	_, err = a.log.Commit(ctx, session.Spliced(to, 0, 0, []session.Message{m}, false))
	a.mu.Unlock()
	if err != nil {
		return err
	}
	a.log.Publish(ctx)
	a.tellInbox(Inserted, 0, m)
	return nil
}

// Clear drops everything that is pending.
func (a *Agent) Clear(ctx context.Context) error {
	a.mu.Lock()
	dropped, err := a.clear(ctx)
	a.mu.Unlock()
	a.log.Publish(ctx)
	a.tellInbox(Discarded, 0, dropped...)
	return err
}

// clear drops what waits for the next step, then what waits for a turn. The lock
// is held.
func (a *Agent) clear(ctx context.Context) (dropped []session.Message, err error) {
	for _, to := range []session.Target{session.NextStep, session.NextTurn} {
		list := a.log.Pending(to)
		if len(list) == 0 {
			continue
		}
		if _, err := a.log.Commit(ctx, session.Spliced(to, 0, len(list), nil, true)); err != nil {
			return dropped, fmt.Errorf("what is pending stays: %w", err)
		}
		dropped = append(dropped, list...)
	}
	return dropped, nil
}
