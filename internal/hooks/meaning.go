package hooks

import (
	"cmp"

	"github.com/dsh-lua/dsh/hookproto"
)

// A Meaning is what an outcome is on dsh's extension points.
type Meaning struct {
	Point    string // "": no point stands for the event
	Decision string // its kind; "": the event decides nothing
	Reason   string
	Effects  []string // what happens beside
}

// A mapping is how the outcomes of one event are read.
type mapping struct {
	point string
	kinds map[hookproto.Decision]string // of Decisions; NoDecision is the default
}

// mappings lists the events that a point stands for.
func mappings() map[string]mapping {
	pre := mapping{"tools/pre-execute", map[hookproto.Decision]string{
		hookproto.NoDecision: "allow", hookproto.Allow: "allow", hookproto.Ask: "ask", hookproto.Defer: "ask", hookproto.Deny: "deny", hookproto.Block: "deny",
	}}
	review := mapping{"tools/post-execute", map[hookproto.Decision]string{hookproto.NoDecision: "accept", hookproto.Block: "block"}}
	stop := mapping{"agent/turn-stopping", map[hookproto.Decision]string{hookproto.Block: "steer"}}
	return map[string]mapping{
		"PreToolUse": pre,
		"PermissionRequest": {"tools/approve", map[hookproto.Decision]string{
			hookproto.NoDecision: "pass", hookproto.Allow: "grant", hookproto.Deny: "refuse", hookproto.Block: "refuse",
		}},
		"PostToolUse": review, "PostToolUseFailure": review,
		"UserPromptSubmit": {"agent/pre-step", map[hookproto.Decision]string{hookproto.NoDecision: "enter", hookproto.Block: "reject"}},
		"Stop":             stop, "SubagentStop": stop,
		"PreCompact":      {"agent/pre-compact", map[hookproto.Decision]string{hookproto.NoDecision: "proceed", hookproto.Block: "cancel"}},
		"SessionStart":    {point: "agent/session-start"},
		"SessionEnd":      {point: "agent/session-end"},
		"SubagentStart":   {point: "subagent/start"},
		"PostCompact":     {point: "agent/post-compact"},
		"StopFailure":     {point: "agent/request-error"},
		"PreModelRequest": {point: "agent/request"},
		"Notification":    {point: "agent/notify"},
		"Interrupt":       {point: "agent/interrupt"},
		"PostToolBatch":   {point: "agent/pre-step"},
	}
}

// mean reads the outcome of an event.
func mean(event string, o hookproto.Outcome) Meaning {
	m, is := mappings()[event]
	if !is {
		return Meaning{}
	}
	out := Meaning{Point: m.point, Decision: m.kinds[o.Decision], Reason: o.Reason}
	for _, e := range []struct {
		is   bool
		text string
	}{
		{o.UpdatedInput != nil, "tools/rewrite: the input is replaced"},
		{o.UpdatedOutput != nil, "the result is replaced"},
		{o.Decision == hookproto.Allow, "spares the question for approval where the hooks may (--grant preapprove)"},
		{len(o.Contexts) > 0, "texts for the model"},
		{o.Halt, "ends the turn: " + cmp.Or(o.HaltReason, "no reason given")},
		{o.Interrupt, "ends the turn with the refusal"},
	} {
		if e.is {
			out.Effects = append(out.Effects, e.text)
		}
	}
	return out
}
