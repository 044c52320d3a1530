package agent

import (
	"context"
	"fmt"
	"sync"

	"github.com/dsh-lua/dsh/runtime/session"
)

// A Directory holds the agents that live in a program, and their sessions, by the
// ID of the session. Of two agents with one ID only one can live. The zero value
// is ready. It is safe for concurrent use.
type Directory struct {
	mu   sync.Mutex
	live map[string]*resident
}

// resident is an agent that is coming, is there, or is going.
type resident struct {
	agent *Agent
	there bool // it can be found; its session can as long as it is listed
	shown bool // its session can be found
}

// Agent finds a live agent. Whoever finds one can talk to it, but not close it.
func (d *Directory) Agent(id string) (Peer, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.live[id]
	if r == nil || !r.there {
		return Peer{}, false
	}
	return Peer{r.agent}, true
}

// Log finds the record of a live session.
func (d *Directory) Log(id string) (*session.Log, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.live[id]
	if r == nil || !r.shown {
		return nil, false
	}
	return r.agent.log, true
}

// An ExistsError refuses an agent for a session that has one.
type ExistsError struct{ ID string }

func (e *ExistsError) Error() string { return fmt.Sprintf("session %q already exists", e.ID) }

// reserve takes the ID of a for it alone. A nil Directory knows nobody.
func (d *Directory) reserve(a *Agent) error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.live[a.ref.ID] != nil {
		return &ExistsError{a.ref.ID}
	}
	if d.live == nil {
		d.live = map[string]*resident{}
	}
	d.live[a.ref.ID] = &resident{agent: a}
	return nil
}

// show lets a and its session be found, or only one of them.
func (d *Directory) show(a *Agent, agent, session bool) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.live[a.ref.ID]; r != nil && r.agent == a {
		r.there, r.shown = agent, session
	}
}

// release gives the ID of a back.
func (d *Directory) release(a *Agent) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.live[a.ref.ID]; r != nil && r.agent == a {
		delete(d.live, a.ref.ID)
	}
}

// A Peer is a live agent in the hands of somebody who did not make it.
type Peer struct{ agent *Agent }

// Session returns what is known of its session.
func (p Peer) Session() session.Ref { return p.agent.Session() }

// Log returns the record of its session.
func (p Peer) Log() *session.Log { return p.agent.Log() }

// Status is [Agent.Status].
func (p Peer) Status() string { return p.agent.Status() }

// Live returns what extensions can do to its session.
func (p Peer) Live() session.Live { return p.agent.Live() }

// Followup is [Agent.Followup].
func (p Peer) Followup(ctx context.Context, m session.Message) error {
	return p.agent.Followup(ctx, m)
}

// Steer is [Agent.Steer].
func (p Peer) Steer(ctx context.Context, m session.Message) error { return p.agent.Steer(ctx, m) }

// Inject is [Agent.Inject].
func (p Peer) Inject(ctx context.Context, m session.Message) error { return p.agent.Inject(ctx, m) }

// Cancel is [Agent.Cancel].
func (p Peer) Cancel(cause session.Cause, keepInbox bool) { p.agent.Cancel(cause, keepInbox) }

// WhenIdle is [Agent.WhenIdle].
func (p Peer) WhenIdle(ctx context.Context) error { return p.agent.WhenIdle(ctx) }

// peerKey is the key of contexts that belong to an agent.
type peerKey struct{}

// FromContext returns the agent on whose behalf a context exists: handlers, tools
// and models are given such contexts. It says who began something, and gives no
// right to anything.
func FromContext(ctx context.Context) (Peer, bool) {
	p, ok := ctx.Value(peerKey{}).(Peer)
	return p, ok
}
