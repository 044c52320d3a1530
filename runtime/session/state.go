package session

import (
	"slices"

	"github.com/dsh-lua/dsh/runtime/value"
)

// state is what a log says so far. It is a pure fold over the entries: reading a
// log again leads to the same state. It keeps the conversation and what is
// pending, and none of the rest, so a long log needs little memory.
type state struct {
	seed int64 // entries below it came from another session
	next int64 // the sequence number of the next entry
	time int64 // of the last entry

	turn     int // the last one that was opened
	turnOpen bool
	step     int // the last one of the turn
	stepOpen bool
	calls    map[string][]int64 // of the open step, without a result, by ID
	asked    []ToolCall         // by the answer of the open step, without a result

	questions map[string]int // about calls of the open step, without an outcome

	nodes   []int64   // sequence numbers of the conversation
	history []Message // what a model is sent; grows in place, so prefixes stay valid
	indexes []int     // of nodes in history; -1 for an answer without content

	snapshot string // the last one in the conversation

	policy ApprovalPolicy // the last one; empty if there is none

	header  value.Value
	context value.Value
	pending map[Target][]Message

	ended   int64 // the last end of a turn
	work    Work
	stepped bool // the open turn took a step
	claimed bool // the open turn took input
	output  []Part
	deltas  []byte // of an answer that is not complete, while there is no output
	sealed  bool   // the last entry ends a seed
}

// Work says what became of what was asked of a session.
type Work struct {
	// Turn is the last turn that did something; 0 if none did.
	Turn int
	// End is how that turn ended.
	End End
	// Dropped is true if input was dropped after that turn, before it ran.
	Dropped bool
}

func newState(seed int64) *state {
	return &state{seed: seed, calls: map[string][]int64{}, questions: map[string]int{}, pending: map[Target][]Message{}, ended: -1}
}

// apply takes e into the state. The entry was checked before.
func (s *state) apply(e Entry, message Message, splice *splice) {
	s.next, s.time, s.sealed = e.Seq+1, e.Time, e.Type == EventSeedEnd
	switch e.Type {
	case EventTurnStart:
		s.turn, s.turnOpen, s.step = e.Turn(), true, 0
		s.stepped, s.claimed = false, false
	case EventTurnEnd:
		s.endTurn(e)
	case EventStepStart:
		s.step, s.stepOpen, s.stepped = e.Step(), true, true
	case EventStepEnd:
		s.stepOpen, s.asked = false, nil
		clear(s.calls)
		clear(s.questions)
	case EventCall:
		id := e.Data.Get("id").String()
		s.calls[id] = append(s.calls[id], e.Seq)
	case EventAsked:
		call, _ := questionOf(e)
		s.questions[call]++
	case EventDecided:
		call, _ := questionOf(e)
		s.questions[call]--
	case EventPolicy:
		s.policy, _ = e.ApprovalPolicy() // it was checked
	case EventUser, EventAssistant, EventResult:
		s.say(e, message)
	case EventHeader:
		s.header = e.Data.Get("header")
	case EventContext:
		s.context = e.Data
	case EventInbox:
		s.splice(e, splice)
	case EventChunk:
		s.stream(e)
	case EventSeedEnd, EventSteerRefused, EventHookInvoked, EventHookResult, EventSubagent:
	}
}

func (s *state) endTurn(e Entry) {
	end := e.End()
	if s.stepped || s.claimed && end.Kind != EndCompleted {
		s.work = Work{Turn: e.Turn(), End: end}
	}
	s.turnOpen, s.ended = false, e.Seq
}

// say takes a message into the conversation.
func (s *state) say(e Entry, m Message) {
	switch e.Type {
	case EventAssistant:
		s.asked = nil
		for _, p := range m.Content {
			if call, ok := p.(ToolCall); ok {
				s.asked = append(s.asked, call)
			}
		}
		if len(m.Content) > 0 && e.Seq >= s.seed {
			s.output, s.deltas = m.Content, nil
		}
	case EventResult:
		s.answer(m)
	default:
	}
	if e.Surface.Op == SurfaceReplace {
		s.replace(e, m)
		return
	}
	s.add(e.Seq, m)
}

func (s *state) add(seq int64, m Message) {
	if r, ok := m.Source.(Runtime); ok && r.Form == FormSnapshot {
		s.snapshot = m.Text()
	}
	s.nodes = append(s.nodes, seq)
	if len(m.Content) == 0 {
		s.indexes = append(s.indexes, -1)
		return
	}
	s.indexes = append(s.indexes, len(s.history))
	s.history = append(s.history, m)
}

// replace puts m in the place of the messages from e.Surface.Start to End.
func (s *state) replace(e Entry, m Message) {
	first, last := slices.Index(s.nodes, e.Surface.Start), slices.Index(s.nodes, e.Surface.End)
	nodes, indexes, history := s.nodes, s.indexes, s.history
	s.nodes, s.indexes, s.history, s.snapshot = nil, nil, nil, ""
	for i, seq := range nodes {
		switch {
		case i == first:
			s.add(e.Seq, m)
		case i < first || i > last:
			kept := Message{}
			if indexes[i] >= 0 {
				kept = history[indexes[i]]
			}
			s.add(seq, kept)
		}
	}
}

// answer takes the result of a call off what is owed.
func (s *state) answer(m Message) {
	id := resultOf(m)
	if open := s.calls[id]; len(open) > 1 {
		s.calls[id] = open[1:]
	} else {
		delete(s.calls, id)
	}
	if i := slices.IndexFunc(s.asked, func(c ToolCall) bool { return c.ID == id }); i >= 0 {
		s.asked = slices.Delete(s.asked, i, i+1)
	}
}

// resultOf returns the ID of the call whose result m is; empty if it is none.
func resultOf(m Message) string {
	for _, p := range m.Content {
		if r, ok := p.(ToolResult); ok {
			return r.Call
		}
	}
	return ""
}

// maxDeltas bounds what is kept of an answer that never became complete.
const maxDeltas = 1 << 20

func (s *state) stream(e Entry) {
	if s.output != nil || e.Seq < s.seed || len(s.deltas) > maxDeltas {
		return
	}
	if chunk := e.Data.Get("chunk"); chunk.Get("kind").String() == "text-delta" {
		s.deltas = append(s.deltas, chunk.Get("text").String()...)
	}
}

// A splice is a change of one list of an inbox.
type splice struct {
	to             Target
	start, removed int
	inserted       []Message
	cancelled      bool
}

func (s *state) splice(e Entry, p *splice) {
	switch {
	case p.cancelled && len(p.inserted) == 0 && p.removed > 0:
		s.work.Dropped = true
	case !p.cancelled && p.removed > 0 && s.turnOpen:
		s.claimed = true
	}
	if e.Seq < s.seed {
		return // what waited in the parent is not the child's to do
	}
	s.pending[p.to] = slices.Concat(s.pending[p.to][:p.start], p.inserted, s.pending[p.to][p.start+p.removed:])
}
