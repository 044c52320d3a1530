package agent

import (
	"errors"
	"reflect"
	"slices"

	"github.com/dsh-lua/dsh/runtime/session"
)

func rejects(d StepDecision) bool { _, no := d.(Reject); return no }

var errTwoMessages = errors.New("two extensions change the entering messages in different ways; let one ask the other with next")

// mergeStep rejects if anybody does. Of two entries, what one only adds to the
// proposed messages goes behind what the other enters; if both take something
// away, neither can stand without undoing the other.
func mergeStep(p Step, own, rest StepDecision) (StepDecision, error) {
	a, mine := own.(Enter)
	b, theirs := rest.(Enter)
	if !mine || !theirs {
		return rest, nil
	}
	if more, ok := added(p.Messages, a.Messages); ok {
		return Enter{slices.Concat(b.Messages, more)}, nil
	}
	if more, ok := added(p.Messages, b.Messages); ok {
		return Enter{slices.Concat(a.Messages, more)}, nil
	}
	return own, errTwoMessages
}

// added returns what entering has behind all the proposed messages, if nothing
// of them was taken away.
func added(proposed, entering []session.Message) ([]session.Message, bool) {
	n := len(proposed)
	if len(entering) < n || !sameMessages(entering[:n], proposed) {
		return nil, false
	}
	return entering[n:], true
}

func sameMessages(a, b []session.Message) bool {
	return slices.EqualFunc(a, b, func(x, y session.Message) bool { return reflect.DeepEqual(x, y) })
}

var errTwoConfigs = errors.New("two extensions change this request in different ways; let one ask the other with next")

// mergeRequest keeps the one change there is.
func mergeRequest(p Request, own, rest RequestDecision) (RequestDecision, error) {
	unchanged := Send{p.Config}
	switch {
	case reflect.DeepEqual(rest, unchanged) || reflect.DeepEqual(own, rest):
		return own, nil
	case reflect.DeepEqual(own, unchanged):
		return rest, nil
	}
	return own, errTwoConfigs
}

// mergeRetry retries if anybody wants to, after the longer wait.
func mergeRetry(_ RequestFailure, own, rest RequestErrorDecision) (RequestErrorDecision, error) {
	a, mine := own.(Retry)
	b, theirs := rest.(Retry)
	switch {
	case mine && theirs:
		return Retry{max(a.After, b.After)}, nil
	case mine:
		return own, nil
	}
	return rest, nil
}

func cancels(d CompactionDecision) bool { _, no := d.(Cancel); return no }

func mergeCompaction(_ Compaction, own, rest CompactionDecision) (CompactionDecision, error) {
	a, mine := own.(Proceed)
	b, theirs := rest.(Proceed)
	switch {
	case !mine:
		return own, nil
	case !theirs || a.Instructions == "":
		return rest, nil
	case b.Instructions == "":
		return own, nil
	}
	return Proceed{a.Instructions + "\n" + b.Instructions}, nil
}

// validReason is shared by the answers that refuse something.
func validReason(kind, reason string) error {
	if reason == "" {
		return errors.New(kind + " needs a reason")
	}
	return nil
}

// Validate requires a reason.
func (d Reject) Validate() error { return validReason("reject", d.Reason) }

// Validate requires a reason.
func (d Cancel) Validate() error { return validReason("cancel", d.Reason) }

// Validate refuses a limit of tokens below 0.
func (d Send) Validate() error {
	if d.Config.MaxTokens < 0 {
		return errors.New("send.config.max_tokens is negative")
	}
	return nil
}

// Validate refuses a negative wait.
func (d Retry) Validate() error {
	if d.After < 0 {
		return errors.New("retry.after is negative")
	}
	return nil
}

// Attribute names the extension as the source of messages that have none; nil if
// all have.
func (d Enter) Attribute(extension string) StepDecision {
	i := slices.IndexFunc(d.Messages, func(m session.Message) bool { return m.Source == nil })
	if i < 0 {
		return nil
	}
	d.Messages = slices.Clone(d.Messages)
	for j := range d.Messages {
		if d.Messages[j].Source == nil {
			d.Messages[j].Source = session.Extension{Name: extension}
		}
	}
	return d
}
