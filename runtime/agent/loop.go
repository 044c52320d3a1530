package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
)

// steps runs the steps of a turn. normal is true if it ended by itself, so that
// the next turn may follow. An error while the turn is cancelled is that.
func (t *turn) steps() (end session.End, normal bool, err error) {
	end = session.End{Kind: session.EndCompleted}
	if t.failed != nil {
		return end, false, t.failed
	}
	owed := true // the model has not said all it has to, as long as it said nothing
	for first := true; ; first = false {
		if !first {
			if err := t.claim(t.ctx, session.NextStep); err != nil {
				return end, false, err
			}
		}
		entering, prompt, err := t.propose()
		if err != nil {
			return end, false, err
		}
		if reject, no := entering.(Reject); no {
			return session.End{Kind: session.EndBlocked, Reason: reject.Reason}, false, nil
		}
		messages := entering.(Enter).Messages
		if len(messages) == 0 && (first || !owed) {
			return end, !first, nil
		}
		out, err := t.takeStep(messages, prompt)
		if err != nil {
			return end, false, err
		}
		if out.cut {
			end.Kind = session.EndMaxTokens
		}
		owed = out.owed
		if t.agent.log.PendingLen(session.NextStep) > 0 || owed {
			continue
		}
		if on, err := t.stopping(end); err != nil || !on {
			return end, err == nil, err
		}
	}
}

// A Proposal is a step for which a prompt is made.
type Proposal struct {
	Session    session.Ref
	Turn, Step int
}

// propose asks what enters the conversation with the next step.
func (t *turn) propose() (StepDecision, Prompt, error) {
	a := t.agent
	if err := t.live(); err != nil {
		return nil, Prompt{}, err
	}
	prompt, err := a.prompt(t.ctx, Proposal{t.ref, t.number, t.step + 1})
	if err == nil {
		err = t.live()
	}
	if err != nil {
		return nil, prompt, err
	}
	if a.options.FlushBeforeEffects {
		if err := a.log.Flush(); err != nil {
			return nil, prompt, err
		}
	}
	out := t.decide(prompt)
	if err := t.live(); err != nil {
		return nil, prompt, err
	}
	return out.Decision, prompt, out.Fault
}

// decide fires agent/pre-step. Where nobody has a handler there is nothing to
// make a payload for.
func (t *turn) decide(prompt Prompt) host.Outcome[StepDecision] {
	a := t.agent
	enter := func(context.Context) StepDecision { // not the copies that handlers were given
		return Enter{Messages: append(session.CloneMessages(t.batch), a.snapshot(prompt)...)}
	}
	if !PreStep.Asks(a.host.Run, point.Subject{}) {
		return host.Outcome[StepDecision]{Decision: enter(t.ctx)}
	}
	batch := session.CloneMessages(t.batch)
	payload := Step{Session: t.ref, Turn: t.number, Step: t.step + 1, Messages: batch, Prompt: promptOf(batch)}
	return host.FireTo(t.ctx, a.host, PreStep, payload, enter, func(error) StepDecision { return nil })
}

// promptOf joins the texts that the human wrote.
func promptOf(batch []session.Message) string {
	var texts []string
	for _, m := range batch {
		if _, human := m.Source.(session.User); human {
			texts = append(texts, m.Text())
		}
	}
	return strings.Join(texts, "\n")
}

// outcome is what came of a step.
type outcome struct {
	owed bool // the model must see the results of its calls
	cut  bool // its answer was cut off
}

// takeStep runs one step: the messages enter, the model is asked, its calls run.
func (t *turn) takeStep(messages []session.Message, prompt Prompt) (outcome, error) {
	a := t.agent
	if _, err := a.log.Append(t.ctx, session.StepStarted(t.number, t.step+1)); err != nil {
		return outcome{}, err
	}
	t.step++
	t.inside = true
	for _, m := range messages {
		if err := m.Validate(); err != nil {
			return outcome{}, err
		}
		m = a.complete(m.Clone(), session.Extension{})
		if len(m.Content) == 0 {
			return outcome{}, errNoContent
		}
		if _, human := m.Source.(session.User); human {
			t.stops, t.prolonged = 0, false
		}
		if _, err := a.log.Append(t.ctx, session.Said(m)); err != nil {
			return outcome{}, err
		}
	}
	answer, err := t.ask(prompt)
	if err != nil {
		return outcome{}, err
	}
	t.lastAnswer = answer.text
	out := outcome{cut: answer.cut}
	if len(answer.calls) > 0 {
		t.stops = 0
		concluded, err := t.runCalls(answer.calls)
		if err != nil {
			return out, err
		}
		out.owed = !concluded
	}
	if err := t.live(); err != nil {
		return out, err
	}
	if err := t.endStep(); err != nil {
		return out, err
	}
	return out, t.live()
}

func (t *turn) endStep() error {
	t.inside = false
	_, err := t.agent.log.Append(t.agent.base, session.StepEnded(t.number, t.step))
	return err
}

// stopping tells that the turn is about to end. It reports whether somebody
// made it go on.
func (t *turn) stopping(end session.End) (bool, error) {
	a := t.agent
	t.setAsking(true)
	err := host.Tell(t.ctx, a.host, OnTurnStopping, Stopping{
		Session: t.ref, Turn: t.number, Reason: string(end.Kind), LastMessage: t.lastAnswer,
		StopActive: t.prolonged, Stops: t.stops,
	})
	t.setAsking(false)
	if stopped := t.live(); stopped != nil {
		return false, stopped
	}
	if err != nil {
		return false, err
	}
	if a.log.PendingLen(session.NextStep) == 0 {
		return false, nil
	}
	t.stops++
	t.prolonged = true
	return true, nil
}

func (t *turn) setAsking(on bool) {
	t.agent.mu.Lock()
	defer t.agent.mu.Unlock()
	t.asking = on
}

// exhausted reports whether extensions made the turn go on too often already to
// do it once more.
func (t *turn) exhausted() bool {
	limit := t.agent.options.MaxStops
	return t.asking && limit > 0 && t.stops >= limit
}

// refuseSteer keeps that somebody wanted a turn to go on once too often.
func (a *Agent) refuseSteer(t *turn) {
	a.warn(fmt.Errorf("turn %d of session %s ends: extensions made it go on %d times in a row", t.number, a.ref.ID, t.stops))
	if _, err := a.log.Append(t.ctx, session.SteerRefused(t.number, t.stops)); err != nil {
		a.warn(err)
	}
}
