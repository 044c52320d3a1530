package tool

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/internal/box"
	"github.com/dsh-lua/dsh/runtime/session"
)

// Every phase is given a call and a result of its own, but the handlers of one
// phase share theirs. A list can be written into, whoever was only meant to read
// it: what one handler writes there, no other reads.

// A lent list is one that handlers are given, and what it held when it was.
type lent[T any] struct{ live, was []T }

func lend[T any](list []T) lent[T] { return lent[T]{list, slices.Clone(list)} }

func (l lent[T]) restore() { copy(l.live, l.was) }

// shared is what the handlers of a phase could write into.
type shared struct {
	files    lent[File]
	contexts lent[session.Context]
	content  []lent[session.Part] // those within others too
	agent    *session.AgentRef
	was      session.AgentRef // what agent pointed to
}

// restore writes all back if anything has changed. Else it only reads, as others
// may be doing too.
func (s *shared) restore() {
	if s.intact() {
		return
	}
	s.files.restore()
	s.contexts.restore()
	for _, parts := range s.content {
		parts.restore()
	}
	if s.agent != nil {
		*s.agent = s.was
	}
}

// intact is asked around every handler, and as a rule it is.
func (s *shared) intact() bool {
	for i := range s.files.live {
		if s.files.live[i] != s.files.was[i] {
			return false
		}
	}
	for i := range s.contexts.live {
		if s.contexts.live[i] != s.contexts.was[i] {
			return false
		}
	}
	for _, parts := range s.content {
		for i := range parts.live {
			if !box.Same(parts.live[i], parts.was[i]) {
				return false
			}
		}
	}
	return s.agent == nil || *s.agent == s.was
}

// keepCall shields the action and the session of a call. Most have nothing that
// could be written into.
func keepCall(a Action, ref session.Ref) *shared {
	files := filesOf(a)
	if len(files) == 0 && ref.Agent == nil {
		return nil
	}
	s := &shared{files: lend(files), agent: ref.Agent}
	if ref.Agent != nil {
		s.was = *ref.Agent
	}
	return s
}

func (s *shared) restorer() func() {
	if s == nil {
		return nil
	}
	return s.restore
}

func (p *Proposal) keep() func() { return keepCall(p.Action, p.Session).restorer() }

func (c *Call) keep() func() { return keepCall(c.Action, c.Session).restorer() }

func (a *Approval) keep() func() { return a.Call.keep() }

func (d *Done) keep() func() {
	content, contexts := listsOf(d.Result)
	s := keepCall(d.Call.Action, d.Call.Session)
	if s == nil && len(content)+len(contexts) == 0 {
		return nil
	}
	if s == nil {
		s = new(shared)
	}
	s.contexts = lend(contexts)
	s.keepParts(content)
	return s.restore
}

func (s *shared) keepParts(parts []session.Part) {
	if len(parts) == 0 {
		return
	}
	s.content = append(s.content, lend(parts))
	for _, part := range parts {
		if r, nests := part.(session.ToolResult); nests {
			s.keepParts(r.Content)
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
