package tool

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/session"
)

// Every phase is given a call and a result of its own, but the handlers of one
// phase share theirs. A list can be written into, whoever was only meant to read
// it: what one handler writes there, no other reads.

// A lent list is one that handlers are given, and what it held when it was.
type lent[T any] struct{ live, was []T }

func lend[T any](list []T) lent[T] { return lent[T]{list, slices.Clone(list)} }

// restore writes back what has changed. A list that is as it was is only read:
// others may be reading it too.
func (l lent[T]) restore(same func(a, b T) bool) {
	if !slices.EqualFunc(l.live, l.was, same) {
		copy(l.live, l.was)
	}
}

// shared is what the handlers of a phase could write into.
type shared struct {
	files    lent[File]
	contexts lent[session.Context]
	content  []lent[session.Part]
	agent    *session.AgentRef
	was      session.AgentRef // what agent pointed to
}

func (s *shared) restore() {
	s.files.restore(equal[File])
	s.contexts.restore(equal[session.Context])
	for _, parts := range s.content {
		parts.restore(samePart)
	}
	if s.agent != nil && *s.agent != s.was {
		*s.agent = s.was
	}
}

func equal[T comparable](a, b T) bool { return a == b }

// samePart compares two parts; of lists within them it is enough that they are
// the same lists.
func samePart(a, b session.Part) bool {
	r, nests := a.(session.ToolResult)
	if !nests {
		return a == b
	}
	other, nests := b.(session.ToolResult)
	return nests && r.Call == other.Call && r.Failed == other.Failed && sameList(r.Content, other.Content)
}

func sameList[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
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
