package agent

import (
	"context"
	"errors"
	"fmt"
)

// An Announcement tells that an agent or its session came or went. What came is
// in the [Directory], and what went is not.
type Announcement struct {
	// Kind is one of the constants below.
	Kind  string
	Agent Peer
}

// The announcements, in their order in the life of an agent. One that tells of
// a coming is always followed by the one that tells of the going.
const (
	SessionCreated  = "session/created"
	AgentCreated    = "agent/created"
	AgentDisposed   = "agent/disposed"
	SessionDisposed = "session/disposed"
)

// publish makes the agent known. If somebody objects, or ctx is done, nothing of
// it is left, and whoever heard of its coming has heard of its going.
func (a *Agent) publish(ctx context.Context) error {
	d := a.options.Directory
	if ctx.Err() != nil {
		d.release(a)
		return a.notCreated(ctx)
	}
	d.show(a, true, true)
	err := a.announce(SessionCreated)
	if err == nil {
		if err = a.announce(AgentCreated); err == nil && ctx.Err() != nil {
			err = a.notCreated(ctx)
		}
		if err != nil {
			d.show(a, false, true)
			a.warn(a.announce(AgentDisposed))
		}
	}
	if err != nil {
		d.release(a)
		a.warn(a.announce(SessionDisposed))
	}
	return err
}

func (a *Agent) notCreated(ctx context.Context) error {
	return fmt.Errorf("agent %q: creation cancelled: %w", a.ref.ID, context.Cause(ctx))
}

// retire takes the agent, and then its session, out of everybody's sight.
func (a *Agent) retire() {
	a.options.Directory.show(a, false, true)
	a.warn(a.announce(AgentDisposed))
	a.options.Directory.release(a)
	a.warn(a.announce(SessionDisposed))
}

// announce tells all, even if one fails or panics. The error is that of all who
// did.
func (a *Agent) announce(kind string) error {
	var err error
	for _, hear := range a.options.Announce {
		err = errors.Join(err, contained(kind, hear, Announcement{kind, Peer{a}}))
	}
	return err
}

func contained(kind string, hear func(Announcement) error, what Announcement) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: panic: %v", kind, r)
		}
	}()
	if err = hear(what); err != nil {
		err = fmt.Errorf("%s: %w", kind, err)
	}
	return err
}
