package agent

import (
	"context"

	"github.com/dsh-lua/dsh/runtime/session"
)

// SetApprovalPolicy changes what becomes of calls that need approval, from the
// next question on; one that somebody is asked already may still be answered. The
// change is in the log before it holds, and survives a loss of power when this
// returns. It may come at any time, also between turns. An error means that
// nothing changed, such as for a policy that is none, unless the log was written
// and could not be made safe: then the policy holds in this life.
func (a *Agent) SetApprovalPolicy(ctx context.Context, p session.ApprovalPolicy) error {
	if _, err := a.log.Append(ctx, session.PolicyChanged(p)); err != nil {
		return err
	}
	return a.log.Flush()
}

// ApprovalPolicy returns the policy that holds now. It is the strictest of three:
// the last one in the log, that of [Options.Never], and that of the pipeline's
// settings, which no log can loosen; see [tool.Approvals]. Where none of them says
// anything it is [session.PolicyAsk].
func (a *Agent) ApprovalPolicy() session.ApprovalPolicy {
	if settings := a.pipeline.Approvals; settings != nil && settings.Never || a.never() {
		return session.PolicyNever
	}
	return session.PolicyAsk
}

// never reports whether the session wants nobody to be asked.
func (a *Agent) never() bool {
	above := a.options.Never
	return a.log.ApprovalPolicy() == session.PolicyNever || above != nil && above()
}
