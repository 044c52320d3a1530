package claudecode

import (
	"slices"

	"github.com/dsh-lua/dsh/hookproto"
)

// fold takes the handlers of one event together. What is a matter of order goes
// by that of completion; indexes go by that of the configuration.
func fold(name string, done []hookproto.Completed) hookproto.Outcome {
	event, _ := Lookup(name)
	byPlace := slices.Clone(done)
	slices.SortStableFunc(byPlace, func(a, b hookproto.Completed) int { return a.Configured - b.Configured })
	order := make([]int, len(byPlace)) // indexes into byPlace, in the order of completion
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return byPlace[a].Rank - byPlace[b].Rank })
	out := hookproto.Outcome{By: -1, InputBy: -1, OutputBy: -1, HaltBy: -1}
	for _, i := range order {
		event.add(&out, i, byPlace[i].Output)
	}
	if event.Effects.HaltWins && out.Halt {
		out.Decision, out.Reason, out.By, out.Blocks = hookproto.NoDecision, "", -1, nil
	}
	return out
}

// add takes one more output, later than all others so far.
func (e Event) add(all *hookproto.Outcome, by int, o hookproto.Output) {
	if o.Status == hookproto.StatusFailed {
		all.Failures = append(all.Failures, hookproto.Text{By: by, Text: o.Failure})
		return
	}
	wins := e.wins(all, o)
	if wins {
		all.Decision, all.Reason, all.By, all.Interrupt = o.Decision, o.Reason, by, o.Interrupt
	}
	if o.Decision == hookproto.Deny || o.Decision == hookproto.Block {
		all.Blocks = append(all.Blocks, hookproto.Text{By: by, Text: o.Reason})
	}
	for _, c := range o.Contexts {
		all.Contexts = append(all.Contexts, hookproto.Text{By: by, Text: c, Plain: o.Plain})
	}
	if o.SystemMessage != "" {
		all.SystemMessages = append(all.SystemMessages, hookproto.Text{By: by, Text: o.SystemMessage})
	}
	if o.UpdatedInput != nil && (wins || !e.Effects.Answer) {
		all.UpdatedInput, all.InputBy = o.UpdatedInput, by
	}
	if o.UpdatedOutput != nil {
		all.UpdatedOutput, all.OutputBy = o.UpdatedOutput, by
	}
	if o.Halt && !all.Halt {
		all.Halt, all.HaltReason, all.HaltBy = true, o.HaltReason, by
	}
}

// wins reports whether a later output takes the decision over.
func (e Event) wins(all *hookproto.Outcome, o hookproto.Output) bool {
	switch {
	case o.Decision == hookproto.NoDecision:
		return false
	case all.Decision == hookproto.NoDecision:
		return true
	case e.Effects.Answer: // the first answer stands
		return false
	case strength[o.Decision] == strength[all.Decision]:
		return e.Effects.LastBlock && strength[o.Decision] == strength[hookproto.Deny]
	}
	return strength[o.Decision] > strength[all.Decision]
}
