package serve

import (
	"context"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// permit answers a client that would ask its user.
func (a *asking) permit(ctx context.Context) {
	a.unlisted(a.event.Approval.Call.Tool)
	a.live()
	asked := host.Fire(ctx, a.host, tool.OnApprove, *a.event.Approval, refusing)
	var ignored string
	if _, grant := asked.Decision.(tool.Grant); grant && !a.options.Approves {
		asked.Decision, ignored = tool.Pass{}, notApproved
	}
	a.counts(tool.OnApprove, asked.Decision, asked.Fault)
	out := answered(asked.Decision)
	if reason, halted := a.effects.Halted(); halted {
		d, refused := asked.Decision.(tool.Refuse)
		if !refused {
			d.Reason = Or(reason, HaltReason)
			a.counts(tool.OnApprove, d, nil)
			out = answered(d)
		}
		out.Answer.Interrupt = true
	}
	if ignored != "" && out.Answer.Behavior == "" {
		a.note(ignored)
		out.Tell = "dsh: " + ignored
	}
	out.Tell = lines(append(a.effects.Told(), out.Tell))
	a.print(out)
}

// notApproved is what the user is told of a grant that does not count.
const notApproved = "a policy approves this call; it does not count, because it has no grant to answer for you"

// answered writes an answer to a question for permission. Without one the client
// asks its user.
func answered(d tool.ApprovalDecision) (out Output) {
	switch d := d.(type) {
	case tool.Grant:
		out.Answer.Behavior = "allow"
	case tool.Refuse:
		out.Answer.Behavior, out.Answer.Message = "deny", Or(d.Reason, DenyReason)
	case tool.Pass:
	}
	return out
}

func refusing(fault error) tool.ApprovalDecision { return tool.Refuse{Reason: denial(fault)} }
