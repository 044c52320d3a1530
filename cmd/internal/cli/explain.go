package cli

import (
	"context"
	"strings"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/cmd/internal/hook"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// explain serves one event as the hook would, and returns what came of it.
func explain(ctx context.Context, c hook.Client, h host.Host, in host.Invocation, o claudecode.Options) outcome {
	command := c.Hook(o)
	served := command.Explain(ctx, h, in)
	out := outcome{event: served.Event, fault: served.Fault, rewrite: served.Rewritten, effects: served.Effects}
	out.notes = lines(served.Reply.Stderr)
	if served.Fault == nil && served.Point != nil {
		out.point, out.kind = served.Point.Name(), served.Point.Kind()
		if served.Decision != nil {
			out.answer, out.fault = served.Point.Decision().Encode(served.Decision)
		}
	}
	if e, err := command.Decode(in); err == nil {
		out.action = actionOf(e)
	}
	return out
}

// actionOf returns what the call of an event is about to do, or did.
func actionOf(e claudecode.Event) value.Value {
	var payload value.Value
	switch {
	case e.Proposal != nil:
		payload, _ = proposalType().Encode(*e.Proposal)
	case e.Approval != nil:
		payload, _ = callType().Encode(e.Approval.Call)
	case e.Done != nil:
		payload, _ = callType().Encode(e.Done.Call)
	}
	return payload.Get("action")
}

func proposalType() *schema.Type { return tool.OnRewrite.Payload() }

func callType() *schema.Type { return tool.PreExecute.Payload() }

func lines(text []byte) (list []string) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}
