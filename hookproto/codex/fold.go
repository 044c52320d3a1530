package codex

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
)

// halting lists the events that continue false stops something at.
var halting = []string{"SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact", "PostCompact"}

// fold is Dialect.Fold. Everything goes by configured order, except that of
// several rewritten inputs the one that finished last wins.
func fold(event string, done []hookproto.Completed) hookproto.Outcome {
	ordered := slices.SortedStableFunc(slices.Values(done), func(a, b hookproto.Completed) int {
		return cmp.Compare(a.Configured, b.Configured)
	})
	o := hookproto.Outcome{By: -1, InputBy: -1, OutputBy: -1, HaltBy: -1}
	for i, c := range ordered {
		gather(&o, i, c.Output)
		if c.Output.Halt && o.HaltBy < 0 && slices.Contains(halting, event) && c.Output.Status != hookproto.StatusFailed {
			o.Halt, o.HaltReason, o.HaltBy = true, c.Output.HaltReason, i
		}
	}
	decide(&o, event, ordered)
	if o.Decision != hookproto.Deny {
		rewrite(&o, ordered)
	}
	return o
}

func gather(o *hookproto.Outcome, i int, out hookproto.Output) {
	if out.Status == hookproto.StatusFailed {
		o.Failures = append(o.Failures, hookproto.Text{By: i, Text: out.Failure})
		return
	}
	for _, c := range out.Contexts {
		o.Contexts = append(o.Contexts, hookproto.Text{By: i, Text: c, Plain: out.Plain})
	}
	if out.SystemMessage != "" {
		o.SystemMessages = append(o.SystemMessages, hookproto.Text{By: i, Text: out.SystemMessage})
	}
	if out.Decision == hookproto.Deny || out.Decision == hookproto.Block {
		o.Blocks = append(o.Blocks, hookproto.Text{By: i, Text: out.Reason})
	}
}

// decide takes the first refusal; without one, the first consent.
func decide(o *hookproto.Outcome, event string, ordered []hookproto.Completed) {
	if (event == "Stop" || event == "SubagentStop") && o.Halt {
		o.Blocks = nil
		return
	}
	if len(o.Blocks) > 0 {
		first := o.Blocks[0]
		o.By, o.Reason, o.Decision = first.By, first.Text, ordered[first.By].Output.Decision
		if event == "PostToolUse" {
			o.Reason = joined(o.Blocks)
		}
		return
	}
	if i := slices.IndexFunc(ordered, func(c hookproto.Completed) bool { return c.Output.Decision == hookproto.Allow }); i >= 0 {
		o.Decision, o.By = hookproto.Allow, i
	}
}

func joined(texts []hookproto.Text) string {
	var all []string
	for _, t := range texts {
		all = append(all, t.Text)
	}
	return strings.Join(all, "\n\n")
}

func rewrite(o *hookproto.Outcome, ordered []hookproto.Completed) {
	for i, c := range ordered {
		if c.Output.UpdatedInput != nil && (o.InputBy < 0 || c.Rank > ordered[o.InputBy].Rank) {
			o.UpdatedInput, o.InputBy = c.Output.UpdatedInput, i
		}
	}
}
