package serve

import (
	"context"

	"github.com/dsh-lua/dsh/runtime/host"
)

// A Command is the hook command of a client. It implements [host.Dialect] and is
// safe for concurrent use.
type Command struct {
	client  Client
	options Options
}

// NewCommand returns the hook command of client c.
func NewCommand(c Client, o Options) *Command { return &Command{c, o} }

// Name implements [host.Dialect].
func (c *Command) Name() string { return c.client.Name }

// Serve implements [host.Dialect].
func (c *Command) Serve(ctx context.Context, h host.Host, in host.Invocation) host.Reply {
	return c.Explain(ctx, h, in).Reply
}

// Explain is [Command.Serve] with the reasons of the reply.
func (c *Command) Explain(ctx context.Context, h host.Host, in host.Invocation) Served {
	return c.client.Explain(ctx, c.options, h, in)
}

// Fail answers an invocation about which nobody can be asked, because of fault.
func (c *Command) Fail(in host.Invocation, fault error) host.Reply {
	return c.client.failed(c.client.rowOf(in), fault).Reply
}

// Unsaid returns the exit status for an answer that cannot be written: the one
// that refuses, unless a refusal would make something go on.
func (c *Command) Unsaid(in host.Invocation) int {
	if row := c.client.rowOf(in); row != nil && (row.Role == Stop || row.Role == ChildStop) {
		return exitBroken
	}
	return exitRefuse
}

// Decode reads one invocation without asking anybody. If it fails and the event
// has a name, the event is one that the client sends.
func (c *Command) Decode(in host.Invocation) (Event, error) { return c.client.Decode(c.options, in) }
