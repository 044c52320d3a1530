package hooks

import (
	"cmp"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// A kind is one of the kinds of answers of a point.
type kind string

// The kinds that hooks can bring about.
const (
	allow   kind = "allow"
	ask     kind = "ask"
	deny    kind = "deny"
	pass    kind = "pass"
	grant   kind = "grant"
	refuse  kind = "refuse"
	accept  kind = "accept"
	block   kind = "block"
	enter   kind = "enter"
	reject  kind = "reject"
	proceed kind = "proceed"
	cancel  kind = "cancel"
)

// A stand says which point stands for an event, and what comes of hooks there.
type stand struct {
	point point.Point
	kinds map[hookproto.Decision]kind // NoDecision holds for what is not listed; nil: the point asks nothing
	halt  kind                        // what the end of the turn is there; "": nothing
}

var (
	review = stand{tool.PostExecute, map[hookproto.Decision]kind{hookproto.NoDecision: accept, hookproto.Block: block, hookproto.Deny: block}, ""}
	stop   = stand{point: agent.OnTurnStopping}
)

// stands lists the events that our points stand for.
var stands = map[string]stand{
	PreToolUse: {tool.PreExecute, map[hookproto.Decision]kind{
		hookproto.NoDecision: allow, hookproto.Ask: ask, hookproto.Defer: ask, hookproto.Deny: deny, hookproto.Block: deny,
	}, ""},
	PermissionRequest: {tool.OnApprove, map[hookproto.Decision]kind{
		hookproto.NoDecision: pass, hookproto.Allow: grant, hookproto.Deny: refuse, hookproto.Block: refuse,
	}, ""},
	PostToolUse: review, PostToolUseFailure: review,
	PostToolBatch:    {agent.PreStep, map[hookproto.Decision]kind{hookproto.NoDecision: enter}, reject},
	UserPromptSubmit: {agent.PreStep, map[hookproto.Decision]kind{hookproto.NoDecision: enter, hookproto.Block: reject, hookproto.Deny: reject}, reject},
	PreCompact:       {agent.PreCompact, map[hookproto.Decision]kind{hookproto.NoDecision: proceed, hookproto.Block: cancel, hookproto.Deny: cancel}, cancel},
	Stop:             stop, SubagentStop: stop,
	SessionStart:    {point: agent.OnSessionStart},
	SessionEnd:      {point: agent.OnSessionEnd},
	StopFailure:     {point: agent.OnRequestError},
	SubagentStart:   {point: subagent.OnStart},
	PostCompact:     {point: agent.OnCompacted},
	Notification:    {point: agent.OnNotify},
	Interrupt:       {point: agent.OnInterrupt},
	PreModelRequest: {point: agent.OnRequest},
}

// kind returns what an outcome is on the point of its event; "" is no answer.
func (c Client) kind(event string, o hookproto.Outcome) kind {
	s := stands[event]
	k, listed := s.kinds[o.Decision]
	if !listed {
		k = s.kinds[hookproto.NoDecision]
	}
	switch {
	case o.Halt && s.halt != "":
		return s.halt
	case k == block && !c.Withholds:
		return accept // the objection stands beside the result
	}
	return k
}

// steers reports whether an outcome lets a turn go on that was to stop.
func steers(event string, o hookproto.Outcome) bool {
	return stands[event].point == stop.point && !o.Halt && len(o.Blocks)+len(o.Contexts) > 0
}

// A Meaning is what the outcome of an event is on our points.
type Meaning struct {
	Point    string // "": no point stands for the event
	Decision string // the kind of the point's answer; "": it asks nothing
	Reason   string
	Effects  []string // what happens beside, each in a sentence
}

// mean reads the outcome of an event.
func (b *Bridge) mean(event string, o hookproto.Outcome) Meaning {
	p := b.client.standsFor(event)
	if p == nil {
		return Meaning{}
	}
	k := b.client.kind(event, o)
	m := Meaning{Point: p.Name(), Decision: string(k), Reason: trimmed(o.Reason)}
	consents := k == grant || k == allow && o.Decision == hookproto.Allow && !b.client.AsksAnyway
	for _, e := range []struct {
		is   bool
		text string
	}{
		{!b.options.fires(p), "nothing here fires the point, so the hooks never run"},
		{k == allow && o.UpdatedInput != nil, "tools/rewrite: the input is replaced"},
		{k == grant && o.UpdatedInput != nil, "another input than that of the call is refused: it can no longer be changed"},
		{o.UpdatedOutput != nil, "the result is replaced, if it has the shape of the tool's"},
		{consents && !b.options.Preapprove, "spares the question for approval where the hooks may (--grant preapprove)"},
		{k == accept && len(o.Blocks) > 0, "the model is told the objection beside the result"},
		{steers(event, o), "steers: the turn goes on, with the reasons and the texts for the model"},
		{!steers(event, o) && len(o.Contexts) > 0, "texts for the model"},
		{o.Halt, "ends the turn: " + cmp.Or(o.HaltReason, "no reason given")},
		{o.Interrupt && k == refuse, "ends the turn with the refusal"},
	} {
		if e.is {
			m.Effects = append(m.Effects, e.text)
		}
	}
	return m
}
