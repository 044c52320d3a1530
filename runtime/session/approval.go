package session

import "fmt"

// ApprovalPolicy says what becomes of a question whether a call may run.
type ApprovalPolicy string

// The policies. A session without one leaves it to the program's settings.
const (
	PolicyAsk   ApprovalPolicy = "ask"   // whoever can answer is asked
	PolicyNever ApprovalPolicy = "never" // nobody is asked: it is rejected
)

// policies lists all there are.
var policies = map[ApprovalPolicy]bool{PolicyAsk: true, PolicyNever: true}

// PolicyChanged gives the session another policy for approval. It may stand
// anywhere, also between turns.
func PolicyChanged(p ApprovalPolicy) Event {
	return Event{Type: EventPolicy, Data: object(member("policy", text(string(p))))}
}

// ApprovalPolicy returns the policy that an entry of type [EventPolicy] holds.
// Whatever is none is an error, so that a log with it is refused: nobody can tell
// whether it would ask.
func (e Entry) ApprovalPolicy() (ApprovalPolicy, error) {
	word, _ := e.Data.Get("policy").Str()
	if p := ApprovalPolicy(word); policies[p] {
		return p, nil
	}
	return "", fmt.Errorf("%s %d: policy: expected %q or %q, got %s", e.Type, e.Seq, PolicyAsk, PolicyNever, orNull(e.Data.Get("policy")).AppendJSON(nil))
}

// ApprovalPolicy returns the last policy for approval that the log holds; empty
// if it holds none.
func (l *Log) ApprovalPolicy() ApprovalPolicy {
	return read(l, func(s *state) ApprovalPolicy { return s.policy })
}

// restrict takes the policy of the session that l is a fork of, if that is the
// stricter one: it may have been changed behind the boundary, and a fork must not
// be a way around it.
func (l *Log) restrict(parent *Log) error {
	if parent.ApprovalPolicy() != PolicyNever || l.state.policy == PolicyNever {
		return nil
	}
	e := Entry{Event: PolicyChanged(PolicyNever), Seq: l.state.next, Time: max(l.now(), l.state.time)}
	if err := l.take(e, nil); err != nil {
		return err
	}
	l.published = l.state.next
	return nil
}
