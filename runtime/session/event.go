package session

import (
	"fmt"
	"slices"

	"github.com/dsh-lua/dsh/runtime/internal/raw"
	"github.com/dsh-lua/dsh/runtime/value"
)

// EventType names a kind of event in a log.
type EventType string

// The types of events. An extension may add its own, which must be ignorable.
const (
	EventTurnStart    EventType = "turn/start"
	EventTurnEnd      EventType = "turn/end"
	EventStepStart    EventType = "step/start"
	EventStepEnd      EventType = "step/end"
	EventUser         EventType = "user/message"
	EventChunk        EventType = "assistant/chunk"
	EventAssistant    EventType = "assistant/message"
	EventCall         EventType = "tool/call"
	EventResult       EventType = "tool/result"
	EventInbox        EventType = "agent/inbox/spliced"
	EventHeader       EventType = "request/header"
	EventContext      EventType = "request/context"
	EventSeedEnd      EventType = "session/end-seed"
	EventSteerRefused EventType = "turn/steer-refused"
	EventHookInvoked  EventType = "hook/invoked"
	EventHookResult   EventType = "hook/result"
	EventSubagent     EventType = "subagent/descriptor"
	EventAsked        EventType = "approval/asked"
	EventDecided      EventType = "approval/decided"
	EventPolicy       EventType = "approval/policy"
)

// rule says where an event may stand. What names a turn or a step must name the
// one that is open.
type rule struct {
	turn    bool // inside an open turn
	step    bool // inside an open step
	message bool // part of the conversation
}

// rules lists the events that every reader of a log understands.
var rules = map[EventType]rule{
	EventTurnStart: {}, EventTurnEnd: {}, EventStepStart: {}, EventStepEnd: {step: true},
	EventUser: {message: true}, EventInbox: {}, EventSeedEnd: {}, EventPolicy: {},
	EventChunk: {step: true}, EventCall: {step: true}, EventAsked: {step: true}, EventDecided: {step: true},
	EventAssistant: {step: true, message: true}, EventResult: {step: true, message: true},
	EventHeader: {turn: true}, EventContext: {turn: true}, EventSteerRefused: {turn: true},
	EventHookInvoked: {turn: true}, EventHookResult: {turn: true}, EventSubagent: {turn: true},
}

// Surface says what a message does to the conversation. The zero Surface is for
// events that are no part of it.
type Surface struct {
	// Op is "append" or "replace".
	Op SurfaceOp
	// Start and End are the sequence numbers of the first and the last message
	// that a replacement stands for.
	Start, End int64
}

// SurfaceOp is an operation on the conversation.
type SurfaceOp string

// The operations.
const (
	SurfaceAppend  SurfaceOp = "append"
	SurfaceReplace SurfaceOp = "replace"
)

// An Event is a fact that is about to be logged.
type Event struct {
	Type EventType
	// Data must survive being written as JSON and read again; see [ErrLossy].
	Data value.Value
	// Surface is needed by messages, and by nothing else.
	Surface Surface
	// Sources are the sequence numbers of the events that this one is made of.
	// Only that of an answer may be empty without being nil.
	Sources []int64
	// Ignorable lets a reader that does not know the type skip the event.
	Ignorable bool

	message *Message // that Data holds, where it is at hand
}

// An Entry is an event in a log. It never changes.
type Entry struct {
	Event
	// Seq counts the entries of a log, from 0 and without gaps.
	Seq int64
	// Time is when the event was logged, in milliseconds since 1970.
	Time int64
}

// Turn returns the turn that the entry names; 0 if it names none.
func (e Entry) Turn() int { return number(e.Data, "turn") }

// Step returns the step that the entry names; 0 if it names none.
func (e Entry) Step() int { return number(e.Data, "step") }

// End returns how a turn ended; it is for entries of type [EventTurnEnd].
func (e Entry) End() End { return decodeEnd(e.Data.Get("end")) }

// Message returns the message that the entry adds to the conversation.
func (e Entry) Message() (Message, error) {
	if e.message != nil {
		return *e.message, nil
	}
	v := e.Data
	if e.Type != EventUser {
		v = v.Get("message")
	}
	m, err := DecodeMessage(v)
	if err != nil {
		return m, fmt.Errorf("%s %d: %w", e.Type, e.Seq, err)
	}
	return m, nil
}

// decode is [Entry.Message] for an entry that may hold none.
func (e Entry) decode() (Message, error) {
	if !rules[e.Type].message {
		return Message{}, nil
	}
	return e.Message()
}

func at(turn, step int, members ...value.Member) value.Value {
	head := append(make([]value.Member, 0, len(members)+2), member("turn", value.OfInt(int64(turn))))
	if step > 0 {
		head = append(head, member("step", value.OfInt(int64(step))))
	}
	return value.OwnObject(raw.Access{}, append(head, members...))
}

// TurnStarted opens a turn.
func TurnStarted(turn int) Event { return Event{Type: EventTurnStart, Data: at(turn, 0)} }

// TurnEnded closes a turn.
func TurnEnded(turn int, end End) Event {
	return Event{Type: EventTurnEnd, Data: at(turn, 0, member("end", end.encode()))}
}

// StepStarted opens a step.
func StepStarted(turn, step int) Event {
	return Event{Type: EventStepStart, Data: at(turn, step)}
}

// StepEnded closes a step.
func StepEnded(turn, step int) Event { return Event{Type: EventStepEnd, Data: at(turn, step)} }

// Said adds a message of the user's side to the conversation.
func Said(m Message) Event {
	return Event{Type: EventUser, Data: EncodeMessage(m), Surface: Surface{Op: SurfaceAppend}, message: &m}
}

// Chunk keeps a piece of a model's answer as it arrived.
func Chunk(turn, step int, chunk value.Value) Event {
	return Event{Type: EventChunk, Data: at(turn, step, member("chunk", chunk))}
}

// Answered adds a model's answer to the conversation. sources are the chunks
// that it is made of. usage may be absent; interrupted says that only the
// beginning of an answer is there.
func Answered(turn, step int, m Message, usage value.Value, interrupted bool, sources []int64) Event {
	cut := value.Value{}
	if interrupted {
		cut = value.OfBool(true)
	}
	if sources == nil {
		sources = []int64{}
	}
	return Event{
		Type:    EventAssistant,
		Data:    at(turn, step, member("message", EncodeMessage(m)), member("usage", usage), member("interrupted", cut)),
		Surface: Surface{Op: SurfaceAppend}, Sources: sources, message: &m,
	}
}

// Called tells that a call starts. original is what the model wrote, if that is
// not what runs, else absent; reason is why it is not, where that is known.
func Called(turn, step int, call ToolCall, original value.Value, reason string) Event {
	return Event{Type: EventCall, Data: at(turn, step,
		member("id", text(call.ID)), member("tool", text(call.Tool)), member("arguments", orNull(call.Arguments)),
		member("original_arguments", original), member("rewrite_reason", optional(reason)))}
}

// A Question asks whether a call may run.
type Question struct {
	// Call is the ID of the call. Root is that of the model's call which it is
	// part of; empty if it is that one itself.
	Call, Root string
	Tool       string
	// Reason is why somebody has to be asked.
	Reason string
}

// An Answer is how a question ended.
type Answer struct {
	// Outcome says whether the call may run, in the words of the pipeline.
	Outcome string
	// By says what kind of decider it was; empty if nobody decided. Extension and
	// Rule name an extension.
	By, Extension, Rule string
}

func (q Question) members(more ...value.Member) []value.Member {
	return append([]value.Member{
		member("call", text(q.Call)), member("root", optional(q.Root)), member("tool", text(q.Tool)), member("reason", optional(q.Reason)),
	}, more...)
}

// Asked tells that somebody is asked whether a call may run.
func Asked(turn, step int, q Question) Event {
	return Event{Type: EventAsked, Data: at(turn, step, q.members()...)}
}

// Decided tells what came of a question.
func Decided(turn, step int, q Question, a Answer) Event {
	by := value.Value{}
	if a.By != "" {
		by = object(member("kind", text(a.By)), member("extension", optional(a.Extension)), member("rule", optional(a.Rule)))
	}
	return Event{Type: EventDecided, Data: at(turn, step, q.members(member("outcome", text(a.Outcome)), member("by", by))...)}
}

// Returned adds the result of a call to the conversation. name and code classify
// a failure, meta is for front ends; each may be empty. call is the sequence
// number of the call, negative if it was never logged.
func Returned(turn, step int, m Message, name, code string, meta value.Value, call int64) Event {
	problem := value.Value{}
	if name != "" || code != "" {
		problem = object(member("name", optional(name)), member("code", optional(code)))
	}
	e := Event{
		Type:    EventResult,
		Data:    at(turn, step, member("message", EncodeMessage(m)), member("error", problem), member("meta", meta)),
		Surface: Surface{Op: SurfaceAppend}, message: &m,
	}
	if call >= 0 {
		e.Sources = []int64{call}
	}
	return e
}

// Target is one of the two lists of an inbox.
type Target string

// The lists. What waits for the next step is context and steering; of what waits
// for a turn, each message opens one.
const (
	NextStep Target = "next-step"
	NextTurn Target = "next-turn"
)

// Spliced changes a list of an inbox: from start on, removed messages go and the
// inserted ones come. cancelled says that what goes was dropped, not claimed.
func Spliced(to Target, start, removed int, inserted []Message, cancelled bool) Event {
	items := make([]value.Value, len(inserted))
	for i, m := range inserted {
		items[i] = EncodeMessage(m)
	}
	outcome := value.Value{}
	if cancelled {
		outcome = text(outcomeCancelled)
	}
	return Event{Type: EventInbox, Data: object(
		member("target", text(string(to))), member("start", value.OfInt(int64(start))), member("removed", positive(int64(removed))),
		member("inserted", value.OfList(items...)), member("outcome", outcome))}
}

const outcomeCancelled = "cancelled"

// HeaderChanged keeps what is sent with a request beside the conversation.
func HeaderChanged(turn int, header value.Value, reason string) Event {
	return Event{Type: EventHeader, Data: at(turn, 0, member("header", header), member("reason", text(reason)))}
}

// ContextChanged keeps which model answers and how much it can read; a window of
// 0 is not known.
func ContextChanged(turn int, model string, window int) Event {
	return Event{Type: EventContext, Data: at(turn, 0, member("model", text(model)), member("window", positive(int64(window))))}
}

// SteerRefused keeps that a turn ended although an extension wanted it to go on,
// because it had been made to go on too often.
func SteerRefused(turn, stops int) Event {
	return Event{Type: EventSteerRefused, Data: at(turn, 0, member("stops", value.OfInt(int64(stops))))}
}

// known reports whether every reader understands events of this type.
func (t EventType) known() bool { _, ok := rules[t]; return ok }

// KnownEvents lists the types of events that every reader understands, sorted.
func KnownEvents() []EventType {
	list := make([]EventType, 0, len(rules))
	for t := range rules {
		list = append(list, t)
	}
	slices.Sort(list)
	return list
}
