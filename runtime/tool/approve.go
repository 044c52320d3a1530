package tool

import (
	"context"
	"errors"
	"fmt"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Approvals says how a call is approved that tools/pre-execute asked for. First
// the handlers of tools/approve are asked; what all of them pass is for the
// Approver. Only a grant lets the call go on, and only this one call.
type Approvals struct {
	// Never refuses every question before anybody is asked.
	Never bool
	// Approver speaks for the user; nil means that nobody does.
	Approver Approver
	// Record is told of every question, before anybody is asked, and of its
	// outcome. An error fails the call: nothing is granted off the record. nil
	// records nothing.
	Record func(ctx context.Context, r ApprovalRecord) error
}

// An Approver answers for the user. Approve may take as long as the user does;
// when ctx is done the question is void and Approve should return. A
// [context.Canceled] means that the user dismissed the question; another error
// fails the call.
type Approver interface {
	Approve(ctx context.Context, a Approval) (ApprovalDecision, error)
}

// ApproverFunc makes a function an [Approver].
type ApproverFunc func(ctx context.Context, a Approval) (ApprovalDecision, error)

// Approve implements [Approver].
func (f ApproverFunc) Approve(ctx context.Context, a Approval) (ApprovalDecision, error) {
	return f(ctx, a)
}

// An ApprovalRecord is one entry of the audit: a question if Outcome is empty,
// else its end. The arguments of the call are not part of it.
type ApprovalRecord struct {
	Call    string // the ID of the call
	Tool    string
	Reason  string
	Outcome ApprovalOutcome
}

// ApprovalOutcome is how a question for approval ended.
type ApprovalOutcome string

// The outcomes.
const (
	ApprovalGranted     ApprovalOutcome = "allowed-once"
	ApprovalRejected    ApprovalOutcome = "rejected"
	ApprovalCancelled   ApprovalOutcome = "cancelled"
	ApprovalUnavailable ApprovalOutcome = "unavailable" // nobody could answer
)

// approve settles a call unless it is approved.
func (x *execution) approve(ctx context.Context, d Ask) *Settled {
	switch approvals := x.rt.Approvals; {
	case !x.agent && approvals != nil:
		return x.deny(x.needsApproval(", but the call has no agent to route it through"))
	case !x.agent:
		return x.deny(x.unapproved(d.Reason))
	}
	outcome, refusal, err := x.question(ctx, d.Reason)
	if err != nil {
		return x.stopped(ctx, err)
	}
	if ctx.Err() != nil && outcome != ApprovalRejected {
		return x.refuse(Aborted(false))
	}
	switch outcome {
	case ApprovalGranted:
		return nil
	case ApprovalRejected:
		return x.deny(x.rejected(refusal))
	case ApprovalCancelled:
		return x.deny(fmt.Sprintf(`approval for tool "%s" was cancelled`, x.call.Tool))
	case ApprovalUnavailable:
	}
	if x.rt.Approvals == nil {
		return x.deny(x.unapproved(d.Reason))
	}
	return x.deny(x.needsApproval(", but no approval channel is available"))
}

func (x *execution) needsApproval(what string) string {
	return `tool "` + x.call.Tool + `" requires approval` + what
}

// unapproved is why a call is denied where nobody approves anything.
func (x *execution) unapproved(reason string) string {
	if reason != "" {
		return reason
	}
	return x.needsApproval(" (not yet supported)")
}

func (x *execution) rejected(refusal string) string {
	text := `the user rejected tool "` + x.call.Tool + `"`
	if refusal != "" {
		text += ": " + refusal
	}
	return text
}

// question asks, on the record.
func (x *execution) question(ctx context.Context, reason string) (outcome ApprovalOutcome, refusal string, err error) {
	approvals := x.rt.Approvals
	if approvals == nil {
		approvals = &Approvals{}
	}
	record := ApprovalRecord{Call: x.call.ID, Tool: x.call.Tool, Reason: reason}
	if err := approvals.record(ctx, record); err != nil {
		return "", "", err
	}
	if approvals.Never {
		outcome = ApprovalRejected
	} else {
		outcome, refusal, err = x.ask(ctx, approvals.Approver, reason)
	}
	if err != nil {
		return "", "", err
	}
	record.Outcome = outcome
	return outcome, refusal, approvals.record(ctx, record)
}

func (a *Approvals) record(ctx context.Context, r ApprovalRecord) error {
	if a.Record == nil {
		return nil
	}
	return contain(func() error { return a.Record(context.WithoutCancel(ctx), r) })
}

// ask asks the handlers of tools/approve and then the approver. A handler that
// fails is no answer; an approver that fails is an error.
func (x *execution) ask(ctx context.Context, last Approver, reason string) (ApprovalOutcome, string, error) {
	question := Approval{Call: x.call, Reason: reason, Live: x.call.Live}
	out := host.Fire(ctx, x.asks(), OnApprove, question, func(error) ApprovalDecision { return Pass{} })
	switch {
	case cancelledBy(ctx, out.Fault) || errors.Is(out.Fault, context.Canceled):
		return ApprovalCancelled, "", nil
	case out.Fault != nil:
		x.warn("tool %q (%s): %s", x.call.Tool, x.call.ID, messageOf(out.Fault))
		return ApprovalUnavailable, "", nil
	}
	d := out.Decision
	if _, pass := d.(Pass); pass && last != nil {
		var err error
		if d, err = approver(ctx, last, question); err != nil {
			if cancelledBy(ctx, err) || errors.Is(err, context.Canceled) {
				return ApprovalCancelled, "", nil
			}
			return "", "", err
		}
	}
	switch d := d.(type) {
	case Grant:
		return ApprovalGranted, "", nil
	case Refuse:
		return ApprovalRejected, d.Reason, nil
	case Pass:
	}
	return ApprovalUnavailable, "", nil
}

// approver asks the approver, whose answers no point has checked.
func approver(ctx context.Context, a Approver, question Approval) (d ApprovalDecision, err error) {
	err = contain(func() (err error) { d, err = a.Approve(ctx, question); return err })
	if err != nil {
		return nil, err
	}
	if err := OnApprove.Decision().Check(d); err != nil {
		return nil, &Error{Message: "invalid answer to a question for approval"}
	}
	return d, nil
}

// previewLen bounds what a user is shown of arguments.
const previewLen = 400

// Preview shows the arguments of a call for a human: compact JSON, cut after a
// few hundred characters.
func Preview(arguments value.Value) string {
	text := []rune(string(arguments.AppendJSON(nil)))
	if len(text) <= previewLen {
		return string(text)
	}
	return string(text[:previewLen]) + fmt.Sprintf("… (+%d more chars)", len(text)-previewLen)
}
