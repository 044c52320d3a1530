package session

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/dsh-lua/dsh/runtime/value"
)

// A RelationError says that an event does not fit the entries before it. The log
// is as it was.
type RelationError struct {
	Type EventType
	Seq  int64
	Msg  string
}

func (e *RelationError) Error() string {
	return fmt.Sprintf("event %d: %s: %s", e.Seq, e.Type, e.Msg)
}

// check decides whether e may follow what the state has seen, and reads what
// apply needs of it.
func (s *state) check(e Entry) (Message, *splice, error) {
	var m Message
	if err := s.order(e); err != nil {
		return m, nil, err
	}
	r := rules[e.Type]
	if r.message != (e.Surface.Op != "") {
		return m, nil, s.refuse(e, "only messages, and all of them, say what they do to the conversation")
	}
	if r.message {
		var err error
		if m, err = e.Message(); err != nil {
			return m, nil, err
		}
		if err := s.surface(e); err != nil {
			return m, nil, err
		}
	}
	switch e.Type {
	case EventResult:
		return m, nil, s.owed(e, m)
	case EventInbox:
		p, err := s.fits(e)
		return m, p, err
	case EventAsked, EventDecided:
		return m, nil, s.approval(e)
	case EventPolicy:
		_, err := e.ApprovalPolicy()
		return m, nil, err
	default:
		return m, nil, nil
	}
}

func (s *state) refuse(e Entry, format string, args ...any) error {
	return &RelationError{e.Type, e.Seq, fmt.Sprintf(format, args...)}
}

// order holds turns and steps to their order.
func (s *state) order(e Entry) error {
	turn, step := e.Turn(), e.Step()
	switch e.Type {
	case EventTurnStart:
		switch {
		case s.turnOpen:
			return s.refuse(e, "turn %d would start while turn %d is open", turn, s.turn)
		case turn != s.turn+1:
			return s.refuse(e, "turn %d follows turn %d", turn, s.turn)
		}
		return nil
	case EventTurnEnd:
		switch {
		case !s.turnOpen || turn != s.turn:
			return s.refuse(e, "turn %d is not the open one (%s)", turn, s.place())
		case s.stepOpen:
			return s.refuse(e, "turn %d would end while step %d is open", turn, s.step)
		}
		return nil
	case EventStepStart:
		switch {
		case !s.turnOpen || turn != s.turn:
			return s.refuse(e, "turn %d is not the open one (%s)", turn, s.place())
		case s.stepOpen:
			return s.refuse(e, "step %d would start while step %d is open", step, s.step)
		case step != s.step+1:
			return s.refuse(e, "step %d follows step %d", step, s.step)
		}
		return nil
	default:
		return s.within(e, turn, step)
	}
}

// within holds an event that names a turn or a step to the open one.
func (s *state) within(e Entry, turn, step int) error {
	r := rules[e.Type]
	switch {
	case r.step && (!s.stepOpen || turn != s.turn || step != s.step):
		return s.refuse(e, "it names turn %d, step %d, but open is %s", turn, step, s.place())
	case r.turn && (!s.turnOpen || turn != 0 && turn != s.turn):
		return s.refuse(e, "it belongs into an open turn, but open is %s", s.place())
	}
	return nil
}

func (s *state) place() string {
	switch {
	case s.stepOpen:
		return fmt.Sprintf("turn %d, step %d", s.turn, s.step)
	case s.turnOpen:
		return fmt.Sprintf("turn %d, no step", s.turn)
	}
	return "no turn"
}

// CodeNotStarted is the code of the result that a repair gives to a call which
// was never logged as started.
const CodeNotStarted = "TOOL_NOT_STARTED"

// owed holds a result to a call of the open step.
func (s *state) owed(e Entry, m Message) error {
	id := resultOf(m)
	switch {
	case id == "":
		return s.refuse(e, "it holds no result")
	case e.Surface.Op == SurfaceReplace, len(s.calls[id]) > 0:
		return nil
	case e.Data.Get("error").Get("code").String() == CodeNotStarted:
		return nil
	}
	return s.refuse(e, "no call %q waits for a result in this step", id)
}

// approval holds a question to a call that waits for its result, and an outcome
// to a question that has none.
func (s *state) approval(e Entry) error {
	call, root := questionOf(e)
	switch {
	case call == "":
		return s.refuse(e, "it names no call")
	case len(s.calls[root]) == 0:
		return s.refuse(e, "no call %q waits for a result in this step", root)
	case e.Type == EventDecided && s.questions[call] == 0:
		return s.refuse(e, "no question about call %q is open", call)
	case e.Type == EventDecided && e.Data.Get("outcome").String() == "":
		return s.refuse(e, "it has no outcome")
	}
	return nil
}

// questionOf returns the call that is asked about, and the model's call that it
// is part of.
func questionOf(e Entry) (call, root string) {
	call, root = e.Data.Get("call").String(), e.Data.Get("root").String()
	return call, cmp.Or(root, call)
}

// surface checks what a message does to the conversation and what it cites.
func (s *state) surface(e Entry) error {
	if err := s.cited(e); err != nil {
		return err
	}
	switch e.Surface.Op {
	case SurfaceAppend:
		return nil
	case SurfaceReplace:
		return s.replaces(e)
	}
	return s.refuse(e, "no operation on the conversation is called %q", e.Surface.Op)
}

func (s *state) cited(e Entry) error {
	if e.Sources != nil && len(e.Sources) == 0 && e.Type != EventAssistant {
		return s.refuse(e, "only an answer may cite an empty list of events")
	}
	sorted := e.Sources
	if !slices.IsSorted(sorted) {
		sorted = slices.Sorted(slices.Values(e.Sources))
	}
	for i, seq := range sorted {
		switch {
		case seq < 0 || seq >= e.Seq:
			return s.refuse(e, "it cites event %d, which is not before it", seq)
		case i > 0 && sorted[i-1] == seq:
			return s.refuse(e, "it cites event %d twice", seq)
		}
	}
	return nil
}

func (s *state) replaces(e Entry) error {
	first, last := slices.Index(s.nodes, e.Surface.Start), slices.Index(s.nodes, e.Surface.End)
	switch {
	case first < 0 || last < 0:
		return s.refuse(e, "it replaces %d to %d, which are not both in the conversation", e.Surface.Start, e.Surface.End)
	case first > last:
		return s.refuse(e, "it replaces %d to %d, which is backwards", e.Surface.Start, e.Surface.End)
	case e.Type == EventResult && first != last:
		return s.refuse(e, "a result replaces one result only")
	}
	for _, seq := range s.nodes[first : last+1] {
		if !slices.Contains(e.Sources, seq) {
			return s.refuse(e, "it replaces event %d without citing it", seq)
		}
	}
	return nil
}

// fits checks a splice against the lists.
func (s *state) fits(e Entry) (*splice, error) {
	p := &splice{
		to: Target(e.Data.Get("target").String()), start: number(e.Data, "start"), removed: number(e.Data, "removed"),
		cancelled: e.Data.Get("outcome").String() == outcomeCancelled,
	}
	if p.to != NextStep && p.to != NextTurn {
		return nil, s.refuse(e, "an inbox has no list %q", p.to)
	}
	for i, item := range e.Data.Get("inserted").Items() {
		m, err := DecodeMessage(item)
		if err != nil {
			return nil, s.refuse(e, "inserted[%d]: %v", i, err)
		}
		p.inserted = append(p.inserted, m)
	}
	if e.Seq < s.seed {
		return p, nil
	}
	if have := len(s.pending[p.to]); p.start < 0 || p.removed < 0 || p.start > have || p.removed > have-p.start {
		return nil, s.refuse(e, "it takes %d from %d on out of a list of %d", p.removed, p.start, have)
	}
	return p, s.fresh(e, p)
}

// fresh makes sure that a message waits once only.
func (s *state) fresh(e Entry, p *splice) error {
	for i, m := range p.inserted {
		same := func(x Message) bool { return x.ID == m.ID }
		kept := slices.Concat(s.pending[p.to][:p.start], s.pending[p.to][p.start+p.removed:], s.pending[p.to.other()], p.inserted[:i])
		if slices.ContainsFunc(kept, same) {
			return s.refuse(e, "message %q is already pending", m.ID)
		}
	}
	return nil
}

func (t Target) other() Target {
	if t == NextStep {
		return NextTurn
	}
	return NextStep
}

// lossless reports whether v is the same after it was written and read.
func lossless(v value.Value, depth int) bool {
	if depth > value.MaxDepth {
		return false
	}
	switch v.Kind() {
	case value.Absent:
		return false
	case value.String:
		s, _ := v.Str()
		return utf8.ValidString(s)
	case value.Number:
		f, ok := v.Float()
		return !ok || f != 0 || v.String()[0] != '-'
	case value.List:
		for _, item := range v.Items() {
			if !lossless(item, depth+1) {
				return false
			}
		}
	case value.Object:
		for key, m := range v.Members() {
			if !utf8.ValidString(key) || !lossless(m, depth+1) {
				return false
			}
		}
	case value.Null, value.Bool:
	}
	return true
}
