package serve

import (
	"context"
	"fmt"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// Before is what was decided about a call that is about to run.
type Before struct {
	// Call is the call as it would run.
	Call tool.Call
	// Rewrite is what the call was rewritten to; nil if it was not.
	Rewrite *tool.Rewrite
	// Decision is the answer. Its reason may be blank.
	Decision tool.PreDecision
	// Effects is what extensions did to the session.
	Effects *session.Effects
	// Note adds a line for whoever reads the client's log.
	Note func(text string)
}

// before fires the points of a call that is about to run, and answers.
func (a *asking) before(ctx context.Context) {
	a.unlisted(a.event.Proposal.Tool)
	a.live()
	b := &Before{Call: callOf(*a.event.Proposal), Effects: a.effects, Note: a.note}
	a.decide(ctx, b)
	a.halt(b)
	out, err := a.client.Before(b)
	if err != nil {
		a.deny(b, err)
		b.Effects = session.NewEffects()
		out, _ = a.client.Before(b)
	}
	a.print(out)
}

// decide asks the points in order. A refusal ends it: no later point could
// overrule it.
func (a *asking) decide(ctx context.Context, b *Before) {
	if !a.rewrite(ctx, b) {
		return
	}
	pre := host.Fire(ctx, a.host, tool.PreExecute, b.Call, refusal)
	b.Decision = pre.Decision
	if a.counts(tool.PreExecute, pre.Decision, pre.Fault); pre.Fault != nil {
		return
	}
	if _, denied := pre.Decision.(tool.Deny); denied {
		return
	}
	guard := host.FireGuard(ctx, a.host, tool.OnGuard, b.Call, forbiddance)
	if f, forbidden := guard.Decision.(tool.Forbid); forbidden {
		b.Decision = tool.Deny{Reason: f.Reason, Contexts: contextsOf(pre.Decision)}
		a.counts(tool.OnGuard, guard.Decision, guard.Fault)
	}
}

// rewrite lets the call be changed before anybody judges it. It says false if
// that ended in a denial.
func (a *asking) rewrite(ctx context.Context, b *Before) bool {
	asked := host.Fire(ctx, a.host, tool.OnRewrite, *a.event.Proposal, func(error) tool.Rewriting { return tool.Keep{} })
	if asked.Fault != nil {
		a.deny(b, asked.Fault)
		return false
	}
	r, changed := asked.Decision.(tool.Rewrite)
	if !changed {
		return true
	}
	if err := a.client.Fits(b.Call.Tool, r.Arguments); err != nil {
		a.deny(b, fmt.Errorf("%s: rewrite.arguments: %w", tool.OnRewrite.Name(), err))
		return false
	}
	b.Rewrite, a.served.Rewritten = &r, r.Arguments
	b.Call.Arguments = r.Arguments
	b.Call.Action, _ = a.client.Tools.Read(b.Call.Tool, r.Arguments, a.event.place)
	return true
}

// halt denies a call whose turn was ended: a client that ends the turn still
// runs the call before it.
func (a *asking) halt(b *Before) {
	reason, halted := b.Effects.Halted()
	if _, denied := b.Decision.(tool.Deny); denied || !halted {
		return
	}
	b.Decision = tool.Deny{Reason: Or(reason, HaltReason), Contexts: contextsOf(b.Decision)}
	a.counts(tool.PreExecute, b.Decision, nil)
}

func (a *asking) deny(b *Before, fault error) {
	b.Decision = refusal(fault)
	a.counts(tool.PreExecute, b.Decision, fault)
}

// counts records whose answer it is that the client is given.
func (a *asking) counts(p point.Point, decision any, fault error) {
	a.served.Point, a.served.Decision, a.served.Fault = p, decision, fault
	a.logStack(fault)
}

func refusal(fault error) tool.PreDecision { return tool.Deny{Reason: denial(fault)} }

func forbiddance(fault error) tool.GuardDecision { return tool.Forbid{Reason: denial(fault)} }

func denial(fault error) string {
	return "dsh denies this call because it could not be judged: " + fault.Error()
}

func contextsOf(d tool.PreDecision) []session.Context {
	switch d := d.(type) {
	case tool.Allow:
		return d.Contexts
	case tool.Deny:
		return d.Contexts
	case tool.Ask:
		return d.Contexts
	}
	return nil
}

// Contexts returns what the model is to be told, in the order in which it was
// said. A reason for a rewrite counts only if the call may run.
func (b *Before) Contexts() (string, error) {
	var texts []string
	if _, denied := b.Decision.(tool.Deny); b.Rewrite != nil && !denied {
		texts = append(texts, b.Rewrite.Reason)
	}
	return join(texts, contextsOf(b.Decision), b.Effects)
}
