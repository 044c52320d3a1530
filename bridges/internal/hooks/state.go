package hooks

import (
	"sync"

	"github.com/dsh-lua/dsh/hookproto/process"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A judged is what hooks said about a call that did not run yet.
type judged struct {
	arguments value.Value // that the call must have for this to be about it
	fired
}

// A state is what a bridge remembers of one session. Calls, batch and halt are
// of the turn under way.
type state struct {
	background process.Background

	lock   sync.Mutex
	parent *session.Ref // of a subagent's session
	turn   string
	calls  map[string]judged
	batch  []Batched
	halt   *string
	kept   []session.Context // for the next prompt
}

// state returns that of a session.
func (b *Bridge) state(s session.Ref) *state {
	b.lock.Lock()
	st := b.sessions[s.ID]
	if st == nil {
		st = &state{calls: map[string]judged{}}
		b.sessions[s.ID] = st
	}
	b.lock.Unlock()
	st.lock.Lock()
	defer st.lock.Unlock()
	if s.Turn != "" && s.Turn != st.turn {
		st.turn, st.batch, st.halt = s.Turn, nil, nil
		clear(st.calls)
	}
	return st
}

// forget drops what is known of a session.
func (b *Bridge) forget(s session.Ref) *state {
	b.lock.Lock()
	defer b.lock.Unlock()
	st := b.sessions[s.ID]
	delete(b.sessions, s.ID)
	return st
}

// main returns the session of the main agent that s works for, in its last turn.
func (b *Bridge) main(s session.Ref) session.Ref {
	b.lock.Lock()
	defer b.lock.Unlock()
	for range maxDepth {
		st := b.sessions[s.ID]
		if st == nil {
			return s
		}
		st.lock.Lock()
		parent, turn := st.parent, st.turn
		st.lock.Unlock()
		if parent == nil {
			s.Turn = turn
			return s
		}
		s = *parent
	}
	return s
}

// maxDepth bounds the way up from a subagent.
const maxDepth = 64

func (s *state) keep(id string, j judged) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.calls[id] = j
}

// take returns what was kept about a call, and drops it.
func (s *state) take(id string) (judged, bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	j, ok := s.calls[id]
	delete(s.calls, id)
	return j, ok
}

// stop remembers that the turn is to end before its next request. The first
// reason stays.
func (s *state) stop(reason string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.halt == nil {
		s.halt = &reason
	}
}

func (s *state) stopped() (reason string, yes bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.halt == nil {
		return "", false
	}
	return *s.halt, true
}

func (s *state) done(id string, shown Shown, d tool.Done) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.batch = append(s.batch, Batched{ID: id, Shown: shown, Done: d})
}

// takeBatch returns the calls of the last answer.
func (s *state) takeBatch() []Batched {
	s.lock.Lock()
	defer s.lock.Unlock()
	batch := s.batch
	s.batch = nil
	return batch
}

// spare keeps contexts for the next prompt, and takeSpared returns them.
func (s *state) spare(list []session.Context) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.kept = append(s.kept, list...)
}

func (s *state) takeSpared() []session.Context {
	s.lock.Lock()
	defer s.lock.Unlock()
	kept := s.kept
	s.kept = nil
	return kept
}
