package tool

import (
	"context"
	"fmt"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Approvals says how a call is approved that tools/pre-execute asked for. First
// the handlers of tools/approve are asked; what all of them pass is for the
// Approver. Only a grant lets the call go on, and only this one call.
type Approvals struct {
	// Never refuses every question before anybody is asked. It is the program's
	// setting, and [Scope.Never] is the session's: the stricter of the two holds,
	// because a log is a file that others may have written, and must not loosen
	// what a command line forbids today.
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
	Root    string // the ID of the model's call that it is, or is part of
	Tool    string
	Reason  string
	Outcome ApprovalOutcome
	// By says who decided; it is zero if nobody did.
	By Decider
}

// A Decider is who answered a question for approval.
type Decider struct {
	Kind DeciderKind
	// Extension and Rule are of an extension alone.
	Extension, Rule string
}

// DeciderKind says what kind of a Decider it is.
type DeciderKind string

// The kinds of deciders.
const (
	DecidedByExtension DeciderKind = "extension" // a handler of tools/approve
	DecidedByApprover  DeciderKind = "approver"  // who speaks for the user
	DecidedBySetting   DeciderKind = "setting"   // [Approvals.Never] or [Scope.Never]
)

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

// never reports whether nobody may be asked. It is read anew each time: a session
// can change its mind.
func (x *execution) never(a *Approvals) (never bool, err error) {
	if a.Never || x.scope.Never == nil {
		return a.Never, nil
	}
	err = contain(func() error { never = x.scope.Never(); return nil })
	return never, err
}

// question asks, on the record. Where there is nobody to ask there is no
// question.
func (x *execution) question(ctx context.Context, reason string) (outcome ApprovalOutcome, refusal string, err error) {
	approvals := x.rt.Approvals
	if approvals == nil {
		approvals = &Approvals{}
		if never, err := x.never(approvals); err != nil || !never && !x.asked(OnApprove) {
			return ApprovalUnavailable, "", err
		}
	}
	record := ApprovalRecord{Call: x.call.ID, Root: x.call.Root(), Tool: x.call.Tool, Reason: reason}
	if err := x.record(ctx, approvals, record); err != nil {
		return "", "", err
	}
	never, err := x.never(approvals)
	switch {
	case err != nil:
	case never:
		outcome, record.By.Kind = ApprovalRejected, DecidedBySetting
	default:
		outcome, refusal, err = x.ask(ctx, approvals, reason, &record.By)
	}
	switch {
	case err != nil:
		return "", "", err
	case ctx.Err() != nil && outcome != ApprovalRejected: // the answer came too late
		outcome, record.By = ApprovalCancelled, Decider{}
	}
	record.Outcome = outcome
	return outcome, refusal, x.record(ctx, approvals, record)
}

// record keeps r wherever questions are recorded.
func (x *execution) record(ctx context.Context, a *Approvals, r ApprovalRecord) error {
	for _, keep := range []func(context.Context, ApprovalRecord) error{x.scope.Record, a.Record} {
		if keep == nil {
			continue
		}
		if err := contain(func() error { return keep(context.WithoutCancel(ctx), r) }); err != nil {
			return err
		}
	}
	return nil
}

// witness sees which extension answers a question.
type witness struct {
	by   *Decider
	next point.Observer
}

// Handled implements [point.Observer]. Handlers return from the inside out, so
// the last one with an answer of its own is whose answer counts.
func (w witness) Handled(h point.Handled) {
	if _, pass := h.Answer.(Pass); h.Own && !pass && h.Err == nil {
		*w.by = Decider{DecidedByExtension, h.Extension, h.Rule}
	}
	if w.next != nil {
		w.next.Handled(h)
	}
}

// ask asks the handlers of tools/approve and then the approver. A handler that
// fails is no answer; an approver that fails is an error.
func (x *execution) ask(ctx context.Context, approvals *Approvals, reason string, by *Decider) (ApprovalOutcome, string, error) {
	question := Approval{Call: x.shown(), Reason: reason, Live: x.call.Live}
	asks := x.asks()
	asks.Run.Observer = witness{by, asks.Run.Observer}
	out := host.Fire(ctx, asks, OnApprove, question, func(error) ApprovalDecision { return Pass{} })
	if _, pass := out.Decision.(Pass); pass {
		*by = Decider{}
	}
	switch {
	case cancelledBy(ctx, out.Fault) || is(out.Fault, context.Canceled):
		return ApprovalCancelled, "", nil
	case out.Fault != nil:
		x.warn("tool %q (%s): %s", x.call.Tool, x.call.ID, told(out.Fault))
		return ApprovalUnavailable, "", nil
	}
	d := out.Decision
	if _, pass := d.(Pass); pass && approvals.Approver != nil {
		question.Call = x.shown()
		var err error
		if d, err = x.askLast(ctx, approvals, question, by); err != nil {
			if cancelledBy(ctx, err) || is(err, context.Canceled) {
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

// askLast asks the approver, unless nobody may be asked any more: the handlers
// took their time.
func (x *execution) askLast(ctx context.Context, a *Approvals, question Approval, by *Decider) (ApprovalDecision, error) {
	if never, err := x.never(a); never || err != nil {
		by.Kind = DecidedBySetting
		return Refuse{}, err
	}
	d, err := approver(ctx, a.Approver, question)
	if _, nobody := d.(Pass); !nobody && err == nil {
		by.Kind = DecidedByApprover
	}
	return d, err
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
