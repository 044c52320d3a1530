package hooks

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/value"
)

// step ends the turn if hooks want that, tells of the calls of the last answer,
// and offers prompts to hooks.
func (b *Bridge) step(ctx context.Context, s agent.Step, next point.Next[agent.StepDecision]) (agent.StepDecision, error) {
	if why, halted := b.state(s.Session).stopped(); halted {
		return b.stop(s.Live, why), nil
	}
	more, decision, err := b.batch(ctx, s)
	if decision != nil || err != nil {
		return decision, err
	}
	before, said, decision, err := b.prompt(ctx, s)
	if decision != nil || err != nil {
		return decision, err
	}
	rest, err := next(ctx)
	enter, entered := rest.(agent.Enter)
	if err != nil || !entered {
		return rest, err
	}
	enter.Messages = slices.Concat(b.messages(before), enter.Messages, b.messages(more), b.messages(said))
	return enter, nil
}

// stop ends the turn before a step.
func (b *Bridge) stop(live session.Live, why string) agent.StepDecision {
	why = or(why, "a hook ended the turn")
	b.halt(live, why)
	return agent.Reject{Reason: why}
}

// batch tells of all calls of the last answer, when all are done.
func (b *Bridge) batch(ctx context.Context, s agent.Step) ([]session.Context, agent.StepDecision, error) {
	calls := b.state(s.Session).takeBatch()
	if len(calls) == 0 {
		return nil, nil, nil
	}
	out, err := b.fire(ctx, &Firing{Event: PostToolBatch, Session: s.Session, Live: s.Live, Batch: calls})
	if err == nil && out.kind == reject {
		return nil, b.stop(s.Live, out.HaltReason), nil
	}
	return b.contexts(out), nil, err
}

// prompt offers what the human says to hooks. What they say stands behind it; in
// front is what was kept from before.
func (b *Bridge) prompt(ctx context.Context, s agent.Step) (before, behind []session.Context, d agent.StepDecision, err error) {
	human := slices.ContainsFunc(s.Messages, func(m session.Message) bool { _, is := m.Source.(session.User); return is })
	if !human || isChild(s.Session) && !b.client.ChildPrompts {
		return nil, nil, nil, nil
	}
	out, err := b.fire(ctx, &Firing{Event: UserPromptSubmit, Session: s.Session, Live: s.Live, Prompt: s.Prompt})
	if err != nil {
		return nil, nil, nil, err
	}
	st, contexts := b.state(s.Session), b.contexts(out)
	if out.kind == enter {
		return st.takeSpared(), contexts, nil, nil
	}
	if b.client.KeepsContexts {
		st.spare(contexts)
	}
	if out.Decision == hookproto.NoDecision {
		return nil, nil, b.stop(s.Live, out.HaltReason), nil
	}
	return nil, nil, agent.Reject{Reason: or(reason(out), "a hook blocked the prompt")}, nil
}

// inject adds contexts to the next request.
func (b *Bridge) inject(live session.Live, list []session.Context) {
	for _, m := range b.messages(list) {
		if live == nil {
			return
		}
		if err := live.Inject(m); err != nil {
			b.warn(fmt.Sprintf("%s: inject: %v", b.Name(), err))
		}
	}
}

// isChild reports whether a session is a subagent's. One that was started as an
// agent of some type is not.
func isChild(s session.Ref) bool { return s.Agent != nil && s.Agent.ID != "" }

// start tells of a session's beginning.
func (b *Bridge) start(ctx context.Context, p agent.Started) error {
	if isChild(p.Session) {
		return nil // its own event tells of a subagent
	}
	out, err := b.fire(ctx, &Firing{Event: SessionStart, Subject: p.Source, Session: p.Session, Live: p.Live, Source: p.Source})
	if err != nil {
		return err
	}
	if out.Halt && b.client.KeepsContexts {
		b.state(p.Session).spare(b.contexts(out))
	} else {
		b.inject(p.Live, b.contexts(out))
	}
	for _, c := range out.done {
		if text := c.Output.Fields["initialUserMessage"]; text != nil && p.Live != nil {
			b.first(p.Live, c.Handler, text)
		}
	}
	if out.Halt {
		b.halt(p.Live, out.HaltReason)
	}
	return nil
}

// first makes the message of a hook the first one that the model gets.
func (b *Bridge) first(live session.Live, h hookproto.Handler, text json.RawMessage) {
	v, err := value.Parse(text)
	if s, ok := v.Str(); err == nil && ok && s != "" {
		err = live.Steer(session.FromExtension(b.Name(), s))
	}
	if err != nil {
		b.warn(fmt.Sprintf("%s: initialUserMessage: %v", h.At, err))
	}
}

// endPatience bounds the wait for what hooks left in the background.
const endPatience = 2 * time.Second

// end tells of a session's end, and ends what hooks left running.
func (b *Bridge) end(ctx context.Context, p agent.Ended) error {
	var err error
	if !isChild(p.Session) {
		_, err = b.fire(ctx, &Firing{Event: SessionEnd, Subject: p.Reason, Session: p.Session, Live: p.Live, Reason: p.Reason})
	}
	if st := b.forget(p.Session); st != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
		defer cancel()
		if late := st.background.Close(ctx); late != nil {
			b.warn(fmt.Sprintf("%s: a hook of session %s does not end", b.Name(), p.Session.ID))
		}
	}
	return err
}

// stopping lets hooks make a turn go on.
func (b *Bridge) stopping(ctx context.Context, p agent.Stopping) error {
	f := &Firing{Event: Stop, Session: p.Session, Live: p.Live, LastMessage: p.LastMessage, StopActive: p.StopActive}
	if isChild(p.Session) {
		f.Event, f.Subject = SubagentStop, p.Session.Agent.Type
	}
	out, err := b.fire(ctx, f)
	if err != nil || p.Live == nil {
		return err
	}
	if out.Halt {
		b.halt(p.Live, out.HaltReason)
		return nil
	}
	if parts := b.goOn(f.Event, out); len(parts) > 0 {
		m := session.FromExtension(b.Name(), "")
		m.Content = parts
		return p.Live.Steer(m)
	}
	return nil
}

// goOn is what the model is told when hooks let it go on.
func (b *Bridge) goOn(event string, out fired) []session.Part {
	var parts []session.Part
	for _, block := range out.Blocks {
		text := or(trimmed(block.Text), "A hook wants you to go on.")
		if b.client.StopText != nil {
			text = b.client.StopText(event, out.handlers[block.By], text)
		}
		parts = append(parts, session.Text{Text: text})
	}
	for _, c := range out.Contexts {
		if c.Text != "" {
			parts = append(parts, session.Text{Text: c.Text})
		}
	}
	return parts
}

// request tells of a request to the model.
func (b *Bridge) request(ctx context.Context, r agent.Request, next point.Next[agent.RequestDecision]) (agent.RequestDecision, error) {
	if _, err := b.fire(ctx, &Firing{Event: PreModelRequest, Session: r.Session, Live: r.Live, Request: &r}); err != nil {
		return nil, err
	}
	return next(ctx)
}

// requestFailed tells of a failed request that ends the turn.
func (b *Bridge) requestFailed(ctx context.Context, r agent.RequestFailure, next point.Next[agent.RequestErrorDecision]) (agent.RequestErrorDecision, error) {
	rest, err := next(ctx)
	if _, fail := rest.(agent.Fail); err != nil || !fail || isChild(r.Session) {
		return rest, err
	}
	_, err = b.fire(ctx, &Firing{Event: StopFailure, Subject: FailureKind(r.Failure), Session: r.Session, Live: r.Live, Failure: &r.Failure})
	return rest, err
}

// kinds lists words for failures, by the status of the transport.
var kinds = []struct {
	from, to int
	word     string
}{
	{401, 401, "authentication_failed"},
	{402, 402, "billing_error"},
	{403, 403, "authentication_failed"},
	{429, 429, "rate_limit"},
	{500, 599, "server_error"},
}

// FailureKind is the word for why a request failed.
func FailureKind(f agent.ModelFailure) string {
	for _, k := range kinds {
		if k.from <= f.Status && f.Status <= k.to {
			return k.word
		}
	}
	return "unknown"
}

// childStart tells of a subagent, and remembers who it works for.
func (b *Bridge) childStart(ctx context.Context, p subagent.Started) error {
	st := b.state(session.Ref{ID: p.ID})
	st.lock.Lock()
	parent := p.Session
	st.parent = &parent
	st.lock.Unlock()
	child := session.AgentRef{ID: p.ID, Type: p.Type}
	out, err := b.fire(ctx, &Firing{Event: SubagentStart, Subject: p.Type, Session: p.Session, Live: p.Live, Agent: &child, Prompt: p.Prompt, ChildLog: p.Transcript})
	if err == nil {
		b.inject(p.Live, b.contexts(out))
	}
	return err
}

// compact lets hooks keep a conversation from being summarised.
func (b *Bridge) compact(ctx context.Context, c agent.Compaction, next point.Next[agent.CompactionDecision]) (agent.CompactionDecision, error) {
	out, err := b.fire(ctx, &Firing{Event: PreCompact, Subject: c.Trigger, Session: c.Session, Live: c.Live, Trigger: c.Trigger, Instructions: c.Instructions})
	if err != nil {
		return nil, err
	}
	if out.kind == cancel {
		return agent.Cancel{Reason: cmp.Or(reason(out), out.HaltReason, "a hook keeps the conversation as it is")}, nil
	}
	rest, err := next(ctx)
	if proceed, ok := rest.(agent.Proceed); ok && err == nil {
		for _, c := range out.Contexts {
			proceed.Instructions = join(proceed.Instructions, c.Text)
		}
		return proceed, nil
	}
	return rest, err
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

func (b *Bridge) compacted(ctx context.Context, p agent.Compacted) error {
	out, err := b.fire(ctx, &Firing{Event: PostCompact, Subject: p.Trigger, Session: p.Session, Live: p.Live, Trigger: p.Trigger, Summary: p.Summary})
	if err == nil && out.Halt {
		b.halt(p.Live, out.HaltReason)
	}
	return err
}

func (b *Bridge) notify(ctx context.Context, p agent.Notice) error {
	_, err := b.fire(ctx, &Firing{Event: Notification, Subject: p.Type, Session: p.Session, Live: p.Live, Message: p.Message, Kind: p.Type})
	return err
}

func (b *Bridge) interrupted(ctx context.Context, p agent.Interrupted) error {
	if isChild(p.Session) {
		return nil
	}
	_, err := b.fire(ctx, &Firing{Event: Interrupt, Session: p.Session, Live: p.Live, Reason: p.Cause})
	return err
}
