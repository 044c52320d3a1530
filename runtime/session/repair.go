package session

import "github.com/dsh-lua/dsh/runtime/value"

var emptyObject = value.OfObject()

// CodeOutcomeUnknown is the code of the result that a repair gives to a call
// which was under way when the process died.
const CodeOutcomeUnknown = "TOOL_OUTCOME_UNKNOWN"

// The texts that a model is shown in place of results that were lost.
const (
	notStarted     = "Error: the session was interrupted before this call was recorded as started. Make the call again if it is still needed."
	outcomeUnknown = "Error: the session was interrupted while this call was under way, and its result was lost: it may or may not have taken effect. Repeat it only if it reads, or does no harm when done twice; otherwise look first what it did, or ask the user."
)

// Closers returns the events that close a turn which a log ends in: the results
// of calls that have none, the end of the step, the end of the turn. There are
// none if no turn is open.
func (l *Log) Closers() []Event { return read(l, (*state).closers) }

func (s *state) closers() []Event {
	if !s.turnOpen {
		return nil
	}
	var list []Event
	if s.stepOpen {
		started := map[string]int{}
		for _, call := range s.asked {
			seq := int64(-1)
			if open := s.calls[call.ID]; started[call.ID] < len(open) {
				seq = open[started[call.ID]]
				started[call.ID]++
			}
			list = append(list, s.lost(call, seq))
		}
		list = append(list, StepEnded(s.turn, s.step))
	}
	return append(list, TurnEnded(s.turn, End{Kind: EndInterrupted}))
}

// lost is the result of a call that has none. seq is where it was logged.
func (s *state) lost(call ToolCall, seq int64) Event {
	shown, name, code := notStarted, "ToolNotStartedError", CodeNotStarted
	if seq >= 0 {
		shown, name, code = outcomeUnknown, "ToolOutcomeUnknownError", CodeOutcomeUnknown
	}
	m := ResultMessage(call.ID, []Part{Text{shown}}, true)
	return Returned(s.turn, s.step, m, name, code, value.Value{}, seq)
}

// ResultMessage returns the message that shows a model the result of a call.
func ResultMessage(call string, content []Part, failed bool) Message {
	return Message{
		ID: "result-" + call, Role: RoleUser, Source: Call{call},
		Content: []Part{ToolResult{Call: call, Content: content, Failed: failed}},
	}
}

// repair closes the turn that the log ends in. The closing events are given the
// time of the last one: nobody knows when the process died.
func (l *Log) repair() error {
	for _, ev := range l.state.closers() {
		if err := l.take(Entry{Event: ev, Seq: l.state.next, Time: l.state.time}, nil); err != nil {
			return err
		}
	}
	return nil
}
