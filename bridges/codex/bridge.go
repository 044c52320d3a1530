// Package codex runs the hooks that are configured for the Codex CLI on the
// extension points of our own agent loop, as the client would run them.
//
// Calls of tools that the client does not have are told as what they are to it: a
// command as Bash, a change of a file as apply_patch, the start of a subagent as
// spawn_agent. What a hook puts in the place of such an input goes back into the
// arguments of the call, or the call fails.
//
// The tools and the other direction, a policy as the client's hook command, are in
// clients/codex.
package codex

import (
	"slices"

	"github.com/dsh-lua/dsh/bridges/internal/hooks"
	clients "github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/runtime/tool"
)

type (
	// A Bridge runs hooks that are configured for the client on our extension
	// points. It is a [point.Extension].
	Bridge = hooks.Bridge
	// BridgeOptions are what whoever installs a bridge decides.
	BridgeOptions = hooks.Options
)

// NewBridge returns an extension that runs the client's hooks. Its Problems tell
// what of the configuration does not run, and why.
func NewBridge(o BridgeOptions) *Bridge { return hooks.New(client(), o) }

// bridged lists the client's events that our points stand for. The client also
// tells of an answer of the model, for which there is no point.
var bridged = []string{
	hooks.SessionStart, hooks.SessionEnd, hooks.UserPromptSubmit, hooks.PreToolUse, hooks.PermissionRequest, hooks.PostToolUse,
	hooks.Stop, hooks.Interrupt, hooks.SubagentStart, hooks.SubagentStop, hooks.PreCompact, hooks.PostCompact, hooks.PreModelRequest,
}

// guards are the events at which hooks guard something.
var guards = map[string]hookproto.Decision{
	hooks.PreToolUse: hookproto.Deny, hooks.PermissionRequest: hookproto.Deny, hooks.UserPromptSubmit: hookproto.Block,
}

func client() hooks.Client {
	return hooks.Client{
		Extension: "hooks-" + clients.Name, Dialect: codex.Dialect{}, Process: codex.Process(), Events: slices.Clone(bridged), Guards: guards,
		Select: selected, Payload: payload, Show: show, After: afterEvent, Spill: spill, StopText: stopText,
		Withholds: true, ChildPrompts: true, LatePlain: true, KeepsContexts: true, AsksAnyway: true,
	}
}

// endReason is the one reason that the client knows for the end of a session.
const endReason = "other"

func selected(all []hookproto.Handler, f *hooks.Firing) ([]hookproto.Handler, []error) {
	subject := f.Subject
	if f.Event == hooks.SessionEnd {
		subject = endReason
	}
	return codex.Select(all, f.Event, subject)
}

// afterEvent names the event of a result. The client tells of every command that
// came to its end, and of other tools if they succeeded.
func afterEvent(d tool.Done) string {
	if !d.Ran {
		return ""
	}
	switch r := d.Result.(type) {
	case tool.Success:
		return hooks.PostToolUse
	case tool.Failure:
		if _, command := d.Call.Action.(tool.Shell); command && r.Code == "" {
			return hooks.PostToolUse
		}
	}
	return ""
}

// stopText is how the reason of a hook that lets a turn go on stands in the
// message to the model.
func stopText(event string, h hookproto.Handler, reason string) string {
	return codex.Prompt(codex.RunID(event, h.Order, h.At.File), reason)
}

// reasons are the events at which a hook's reason goes to the model as a text of
// its own.
var reasons = []string{hooks.Stop, hooks.SubagentStop, hooks.PostToolUse}

// spill shortens what is too long for the model.
func spill(event string, h hookproto.Handler, o *hookproto.Output, save hooks.Save) error {
	texts := make([]*string, 0, len(o.Contexts)+1)
	for i := range o.Contexts {
		texts = append(texts, &o.Contexts[i])
	}
	if slices.Contains(reasons, event) {
		texts = append(texts, &o.Reason)
	}
	for _, text := range texts {
		if !codex.Spills(*text, h.ContextLimit) {
			continue
		}
		path, err := save(*text)
		if err != nil {
			return err
		}
		*text = codex.Spilled(*text, h.ContextLimit, path)
	}
	return nil
}
