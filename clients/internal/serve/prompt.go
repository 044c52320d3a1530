package serve

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/session"
)

// prompt answers what the human wrote.
func (a *asking) prompt(ctx context.Context) {
	a.live()
	asked := host.Fire(ctx, a.host, agent.PreStep, *a.event.Step, func(fault error) agent.StepDecision { return rejecting(fault) })
	a.counts(agent.PreStep, asked.Decision, asked.Fault)
	out, err := a.entering(asked.Decision)
	if err != nil {
		a.counts(agent.PreStep, rejecting(err), err)
		out = blocked(rejecting(err).Reason)
	}
	out.Tell = Told(a.effects)
	a.print(out)
}

// entering writes what becomes of a prompt. A rejected one ends its turn, so that
// a halt has nothing to add.
func (a *asking) entering(d agent.StepDecision) (out Output, err error) {
	var added []string
	switch d := d.(type) {
	case agent.Enter:
		if added, err = beside(a.event.Step.Messages[0], d.Messages); err != nil {
			return Output{}, err
		}
		out.Stop, out.StopReason = a.halted()
	case agent.Reject:
		out = blocked(d.Reason)
	}
	out.Context, err = join(added, nil, a.effects)
	return out, err
}

// halted returns how the client is told to end the turn.
func (a *asking) halted() (stop bool, reason string) {
	reason, stop = a.effects.Halted()
	if !stop {
		return false, ""
	}
	return true, Or(reason, HaltReason)
}

var (
	errPrompt  = errors.New("enter.messages: this client's hooks cannot change or remove what the human wrote")
	errSpeaker = errors.New("enter.messages: this client's hooks cannot speak for the model")
)

// beside returns the texts of what enters beside the prompt, in order. A client
// shows them to the model behind it.
func beside(prompt session.Message, entering []session.Message) ([]string, error) {
	at := slices.IndexFunc(entering, func(m session.Message) bool { return reflect.DeepEqual(m, prompt) })
	if at < 0 {
		return nil, errPrompt
	}
	added := slices.Delete(slices.Clone(entering), at, at+1)
	if slices.ContainsFunc(added, func(m session.Message) bool { return m.Role == session.RoleAssistant }) {
		return nil, errSpeaker
	}
	return textsOf("enter", added)
}

func blocked(reason string) Output {
	return Output{Decision: "block", Reason: Or(reason, rejectReason)}
}

func rejecting(fault error) agent.Reject {
	return agent.Reject{Reason: "dsh blocks this prompt because it could not be judged: " + fault.Error()}
}
