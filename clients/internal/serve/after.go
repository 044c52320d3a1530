package serve

import (
	"context"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// After is what was decided about the result of a call.
type After struct {
	// Done is the call with its result.
	Done tool.Done
	// Decision is the answer. Its feedback may be blank.
	Decision tool.PostDecision
	// Effects is what extensions did to the session.
	Effects *session.Effects
	// Note adds a line for whoever reads the client's log.
	Note func(text string)
}

// after fires the points of a call that ran, and answers.
func (a *asking) after(ctx context.Context) {
	a.unlisted(a.event.Done.Call.Tool)
	a.live()
	d := &After{Done: *a.event.Done, Effects: a.effects, Note: a.note}
	post := host.Fire(ctx, a.host, tool.PostExecute, d.Done, withholding)
	d.Decision = post.Decision
	a.counts(tool.PostExecute, post.Decision, post.Fault)
	told := d.Done
	told.Result = outcome(told.Result, post.Decision)
	if err := host.Tell(ctx, a.host, tool.OnResult, told); err != nil {
		a.logStack(err)
		a.note(err.Error())
	}
	out, err := a.client.After(d)
	if err != nil {
		d.Decision, d.Effects = withholding(err), session.NewEffects()
		a.counts(tool.PostExecute, d.Decision, err)
		out, _ = a.client.After(d)
	}
	a.print(out)
}

func withholding(fault error) tool.PostDecision {
	return tool.Block{Feedback: []session.Part{session.Text{
		Text: "dsh withholds this result because it could not be judged: " + fault.Error(),
	}}}
}

// outcome is the result as it is after the decision about it.
func outcome(r tool.Result, d tool.PostDecision) tool.Result {
	switch d := d.(type) {
	case tool.Block:
		return tool.Failure{Message: Text(d.Feedback), Content: d.Feedback, Contexts: d.Contexts}
	case tool.Accept:
		s, ok := r.(tool.Success)
		if !ok {
			return r
		}
		if s.Contexts = d.Contexts; d.Content != nil {
			s.Content = d.Content
		}
		if !d.Value.IsAbsent() {
			s.Value, s.Content = d.Value, Show(d.Value)
		}
		return s
	}
	return r
}

// Contexts returns what the model is to be told beside the result.
func (d *After) Contexts() (string, error) {
	switch decision := d.Decision.(type) {
	case tool.Accept:
		return join(nil, decision.Contexts, d.Effects)
	case tool.Block:
		return join(nil, decision.Contexts, d.Effects)
	}
	return join(nil, nil, d.Effects)
}
