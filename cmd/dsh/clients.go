package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A client is a coding agent that dsh can be the hook command of.
type client struct {
	name   string
	points func() []point.Point // that its hook ever fires
	tools  func() []string      // that it is known to have
	hook   func(claudecode.Options) command
}

// A command is one client's side of the hook protocol.
type command interface {
	host.Dialect
	Explain(ctx context.Context, h host.Host, in host.Invocation) claudecode.Served
	Decode(in host.Invocation) (claudecode.Event, error)
	Fail(in host.Invocation, fault error) host.Reply
	Unsaid(in host.Invocation) int
}

func clients() []client {
	return []client{
		{claudecode.Name, claudecode.Points, claudecode.Tools, func(o claudecode.Options) command { return claudecode.New(o) }},
		{codex.Name, codex.Points, codex.Tools, func(o codex.Options) command { return codex.New(o) }},
	}
}

func dialectNames() []string {
	var list []string
	for _, c := range clients() {
		list = append(list, c.name)
	}
	return list
}

func findDialect(name string) (client, error) {
	for _, c := range clients() {
		if c.name == name {
			return c, nil
		}
	}
	return client{}, fmt.Errorf("no client %q%s", name, suggest(name, dialectNames()))
}

// explain serves one event as the hook would, and returns what came of it.
func (c client) explain(ctx context.Context, h host.Host, in host.Invocation, o claudecode.Options) outcome {
	hook := c.hook(o)
	served := hook.Explain(ctx, h, in)
	out := outcome{event: served.Event, fault: served.Fault, rewrite: served.Rewritten, effects: served.Effects}
	out.notes = lines(served.Reply.Stderr)
	if served.Fault == nil && served.Point != nil {
		out.point, out.kind = served.Point.Name(), served.Point.Kind()
		if served.Decision != nil {
			out.answer, out.fault = served.Point.Decision().Encode(served.Decision)
		}
	}
	if e, err := hook.Decode(in); err == nil {
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
