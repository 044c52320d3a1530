package hooks

import (
	"context"
	"fmt"
	"slices"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// rewrite runs the hooks of a call, and offers it the input that they want.
func (b *Bridge) rewrite(ctx context.Context, p tool.Proposal, next point.Next[tool.Rewriting]) (tool.Rewriting, error) {
	rest, err := next(ctx)
	if _, changed := rest.(tool.Rewrite); err != nil || changed || p.Fault != "" {
		return rest, err // the hooks are to see what runs
	}
	j, err := b.ask(ctx, p.Session, p.Live, p.ID, Seen{p.Tool, p.Arguments, p.Action, p.Session.Cwd})
	if err != nil {
		return rest, err
	}
	b.state(p.Session).keep(p.ID, j)
	if j.arguments.Equal(p.Arguments) {
		return rest, nil
	}
	return tool.Rewrite{Arguments: j.arguments}, nil
}

// ask runs the hooks of a call before it runs.
func (b *Bridge) ask(ctx context.Context, s session.Ref, live session.Live, id string, seen Seen) (judged, error) {
	shown := b.client.Show(seen)
	out, err := b.fire(ctx, &Firing{Event: PreToolUse, Subject: shown.Name, Session: s, Live: live, CallID: id, Call: &shown})
	if err != nil {
		return judged{}, err
	}
	if out.Halt {
		b.state(s).stop(out.HaltReason)
	}
	j := judged{arguments: seen.Arguments, fired: out}
	if out.UpdatedInput == nil || out.kind == deny {
		return j, nil
	}
	input, err := value.Parse(out.UpdatedInput)
	if err == nil && shown.Back != nil {
		input, err = shown.Back(input)
	}
	if err != nil {
		return j, fmt.Errorf("%s: the new input for %s: %w", out.handlers[out.InputBy].At, seen.Tool, err)
	}
	j.arguments = input
	return j, nil
}

// decide says what the hooks of a call decided.
func (b *Bridge) decide(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
	j, known := b.state(c.Session).take(c.ID)
	if c.Fault != "" {
		return next(ctx)
	}
	if !known || !j.arguments.Equal(c.Arguments) {
		var err error
		if j, err = b.ask(ctx, c.Session, c.Live, c.ID, Seen{c.Tool, c.Arguments, c.Action, c.Session.Cwd}); err != nil {
			return nil, err
		}
		if !j.arguments.Equal(c.Arguments) {
			return tool.Deny{Reason: fmt.Sprintf("a hook wants another input for %s, which cannot be changed any more", c.Tool)}, nil
		}
	}
	contexts := b.contexts(j.fired)
	if j.kind == deny {
		return tool.Deny{Reason: or(reason(j.fired), "a hook denied the call"), Contexts: contexts}, nil
	}
	rest, err := next(ctx)
	if err != nil {
		return rest, err
	}
	return b.joined(j, contexts, rest), nil
}

// joined adds to what others decided what hooks did, where that is stricter.
func (b *Bridge) joined(j judged, contexts []session.Context, rest tool.PreDecision) tool.PreDecision {
	switch rest := rest.(type) {
	case tool.Deny:
		rest.Contexts = slices.Concat(contexts, rest.Contexts)
		return rest
	case tool.Ask:
		rest.Contexts = slices.Concat(contexts, rest.Contexts)
		if j.kind == ask {
			rest.Reason = or(reason(j.fired), rest.Reason)
		}
		return rest
	case tool.Allow:
		rest.Contexts = slices.Concat(contexts, rest.Contexts)
		if j.kind == ask {
			return tool.Ask{Reason: reason(j.fired), Contexts: rest.Contexts}
		}
		consents := j.Decision == hookproto.Allow && !b.client.AsksAnyway
		rest.Preapproved = rest.Preapproved || consents && b.options.Preapprove
		return rest
	}
	return rest
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// approve lets hooks answer a question for approval.
func (b *Bridge) approve(ctx context.Context, a tool.Approval, next point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
	c := a.Call
	shown := b.client.Show(Seen{c.Tool, c.Arguments, c.Action, c.Session.Cwd})
	out, err := b.fire(ctx, &Firing{Event: PermissionRequest, Subject: shown.Name, Session: c.Session, Live: a.Live, CallID: c.ID, Call: &shown, Reason: a.Reason})
	if err != nil {
		return nil, err
	}
	if out.kind == refuse {
		if out.Interrupt {
			b.halt(a.Live, reason(out))
		}
		return tool.Refuse{Reason: reason(out)}, nil
	}
	rest, err := next(ctx)
	if _, refused := rest.(tool.Refuse); err != nil || refused || out.kind != grant {
		return rest, err
	}
	return b.granted(a, shown, out, rest), nil
}

// granted is what becomes of a hook's yes in the user's place.
func (b *Bridge) granted(a tool.Approval, shown Shown, out fired, rest tool.ApprovalDecision) tool.ApprovalDecision {
	at := out.handlers[out.By].At
	if out.UpdatedInput != nil {
		input, err := value.Parse(out.UpdatedInput)
		if err == nil && !input.Equal(shown.Input) {
			b.say(a.Live, fmt.Sprintf("%s: the hook allows another input for %s, which cannot be changed any more", at, a.Call.Tool))
			return tool.Refuse{Reason: "a hook allows this call only with another input"}
		}
	}
	if !b.options.Preapprove {
		b.once(fmt.Sprintf("%s: the hook may not answer for the user; its yes is no opinion", at))
		return rest
	}
	return tool.Grant{}
}

// review lets hooks see a result.
func (b *Bridge) review(ctx context.Context, d tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
	rest, err := next(ctx)
	event := b.client.After(d)
	if err != nil || event == "" {
		return rest, err
	}
	shown := b.shown(d.Call)
	out, err := b.fire(ctx, &Firing{Event: event, Subject: shown.Name, Session: d.Call.Session, Live: d.Live, CallID: d.Call.ID, Call: &shown, Done: &d})
	if err != nil {
		return rest, err
	}
	if out.Halt {
		b.state(d.Call.Session).stop(out.HaltReason)
	}
	own := b.contexts(out)
	if out.kind == block {
		return tool.Block{Feedback: b.objections(event, out), Contexts: own}, nil
	}
	for _, part := range b.objections(event, out) {
		own = append(own, session.Context{Text: part.(session.Text).Text, Extension: b.Name()})
	}
	switch rest := rest.(type) {
	case tool.Block:
		rest.Contexts = slices.Concat(own, rest.Contexts)
		return rest, nil
	case tool.Accept:
		rest = b.replaced(d, shown, out, rest)
		rest.Contexts = slices.Concat(own, rest.Contexts)
		return rest, nil
	}
	return rest, nil
}

func (b *Bridge) shown(c tool.Call) Shown {
	return b.client.Show(Seen{c.Tool, c.Arguments, c.Action, c.Session.Cwd})
}

// objections are the reasons of the hooks that block a result.
func (b *Bridge) objections(event string, out fired) []session.Part {
	var parts []session.Part
	for _, block := range out.Blocks {
		text := trimmed(block.Text)
		if b.client.Objection != nil {
			text = b.client.Objection(event, out.handlers[block.By], text)
		}
		parts = append(parts, session.Text{Text: text})
	}
	return parts
}

// replaced puts what hooks want in place of a result, if nobody else replaces it
// and the client would take it.
func (b *Bridge) replaced(d tool.Done, shown Shown, out fired, rest tool.Accept) tool.Accept {
	if out.UpdatedOutput == nil {
		return rest
	}
	h, by := out.handlers[out.OutputBy], out.done[out.OutputBy]
	output, err := value.Parse(out.UpdatedOutput)
	switch {
	case err != nil:
	case rest.Content != nil || !rest.Value.IsAbsent():
		err = fmt.Errorf("another extension replaces it")
	case shown.Replace == nil:
		err = fmt.Errorf("its shape is not known")
	default:
		var accept tool.Accept
		if accept, err = shown.Replace(d, output, by.Output.MCPOutput); err == nil {
			return accept
		}
	}
	b.say(d.Live, fmt.Sprintf("%s: the result of %s is not replaced by what the hook says (updatedToolOutput): %v", h.At, d.Call.Tool, err))
	return rest
}

// result drops what is known of a call that is over, and keeps it for the event
// of all calls of an answer.
func (b *Bridge) result(_ context.Context, d tool.Done) error {
	st := b.state(d.Call.Session)
	st.take(d.Call.ID)
	if b.events[PostToolBatch] && !d.Call.Nested() {
		st.done(d.Call.ID, b.shown(d.Call), d)
	}
	return nil
}

// halt ends the turn.
func (b *Bridge) halt(live session.Live, why string) {
	if live == nil {
		return
	}
	if err := live.Halt(or(why, "a hook ended the turn")); err != nil {
		b.warn(fmt.Sprintf("%s: halt: %v", b.Name(), err))
	}
}
