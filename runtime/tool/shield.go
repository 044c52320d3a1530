package tool

import (
	"github.com/dsh-lua/dsh/runtime/internal/box"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
)

// Every phase is given a call and a result of its own, but the handlers of one
// phase share theirs. A list can be written into, whoever was only meant to read
// it: what one handler writes there, no other reads.

// lent is a place that handlers can write to, and what it held when it was lent.
type lent[T any] struct {
	at  *T
	was T
}

func (l lent[T]) restore() { *l.at = l.was }

func lend[T any](list []T) []lent[T] {
	if len(list) == 0 {
		return nil
	}
	out := make([]lent[T], len(list))
	for i := range list {
		out[i] = lent[T]{&list[i], list[i]}
	}
	return out
}

// shared is what the handlers of a phase could write into.
type shared struct {
	content  []lent[session.Part] // those within others too
	contexts []lent[session.Context]
	files    []lent[File]
	agents   []lent[session.AgentRef] // at most one
}

// Restore implements [point.Shielded].
func (s *shared) Restore() {
	for _, l := range s.content {
		l.restore()
	}
	for _, l := range s.contexts {
		l.restore()
	}
	for _, l := range s.files {
		l.restore()
	}
	for _, l := range s.agents {
		l.restore()
	}
}

// Intact implements [point.Shielded].
func (s *shared) Intact() bool {
	for i := range s.content {
		if l := &s.content[i]; !box.Same(*l.at, l.was) {
			return false
		}
	}
	return len(s.contexts)+len(s.files)+len(s.agents) == 0 || intact(s.contexts) && intact(s.files) && intact(s.agents)
}

func intact[T comparable](list []lent[T]) bool {
	for i := range list {
		if *list[i].at != list[i].was {
			return false
		}
	}
	return true
}

// shieldCall shields the action and the session of a call. Most have nothing that
// could be written into.
func shieldCall(a Action, ref session.Ref) *shared {
	files := filesOf(a)
	if len(files) == 0 && ref.Agent == nil {
		return nil
	}
	s := &shared{files: lend(files)}
	if ref.Agent != nil {
		s.agents = []lent[session.AgentRef]{{ref.Agent, *ref.Agent}}
	}
	return s
}

// shielded is s for a point: nil is none.
func (s *shared) shielded() point.Shielded {
	if s == nil {
		return nil
	}
	return s
}

func (p *Proposal) shield() point.Shielded { return shieldCall(p.Action, p.Session).shielded() }

func (c *Call) shield() point.Shielded { return shieldCall(c.Action, c.Session).shielded() }

func (a *Approval) shield() point.Shielded { return a.Call.shield() }

func (d *Done) shield() point.Shielded {
	content, contexts := listsOf(d.Result)
	s := shieldCall(d.Call.Action, d.Call.Session)
	if s == nil && len(content)+len(contexts) == 0 {
		return nil
	}
	if s == nil {
		s = new(shared)
	}
	s.contexts = lend(contexts)
	s.shieldParts(content)
	return s
}

func (s *shared) shieldParts(parts []session.Part) {
	s.content = append(s.content, lend(parts)...)
	for _, part := range parts {
		if r, nests := part.(session.ToolResult); nests {
			s.shieldParts(r.Content)
		}
	}
}

func listsOf(r Result) ([]session.Part, []session.Context) {
	switch r := r.(type) {
	case Success:
		return r.Content, r.Contexts
	case Failure:
		return r.Content, r.Contexts
	}
	return nil, nil
}
