// Package claudecode speaks the hook protocol of Claude Code.
//
// [Command] is the hook command that the client starts: it reads the client's
// payload, asks the extension points, and answers as the client wants it.
//
// # What the client makes of an answer
//
// Its permission flow stays its own. An allowance without more is no opinion and
// prints nothing; only a preapproved one skips the client's question. An ask
// becomes the client's question. A halt before a tool runs is also a denial,
// because the client alone would still run the tool. A blocked result is replaced
// too, in the shape that the tool itself returns, because the client alone would
// show the feedback beside the result; of a tool whose shape is not known the
// feedback says that the result could not be withheld.
//
// Around a turn: a grant or a refusal answers the client's question to its user,
// and a halt there refuses and interrupts. A rejected prompt never reaches the
// model; one that a policy changes is blocked, because a hook cannot change it. At
// the end of a turn a steer is a block, whose reason the model is given; what is
// injected alone makes the turn go on too. How often it can is the client's to
// bound. A session that begins cannot be stopped.
package claudecode

import (
	"github.com/dsh-lua/dsh/clients/internal/action"
	"github.com/dsh-lua/dsh/clients/internal/serve"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Name is the name of the dialect.
const Name = "claude-code"

// The types that all clients' commands share.
type (
	// Command is the hook command; it implements [host.Dialect].
	Command = serve.Command
	// Options are what whoever starts the command knows better than the client.
	Options = serve.Options
	// Event is one invocation of the hook, decoded.
	Event = serve.Event
	// Served is one answer with its reasons.
	Served = serve.Served
	// Place says what the paths of a call are relative to.
	Place = action.Place
	// Resolver tells where a path really leads.
	Resolver = action.Resolver
)

// Links is the [Resolver] of the machine's own file system.
func Links(path string) (real string, ok bool) { return action.Links(path) }

// Text joins what is text in parts by line feeds; the rest is named.
func Text(parts []session.Part) string { return serve.Text(parts) }

// New returns the hook command of the client.
func New(o Options) *Command { return serve.NewCommand(dialect(), o) }

// Points lists the points that the command ever fires, for [host.Host.Fires].
func Points() []point.Point { return serve.Points() }

// Events lists the names of the events that the client sends.
func Events() []string {
	names := make([]string, len(events))
	for i := range events {
		names[i] = events[i].Name
	}
	return names
}

// Tools lists the names of the client's own tools, each once. Those of MCP
// servers are not among them; see [Known].
func Tools() []string { return tools.Names() }

// Known reports whether name is one of [Tools] or has the form of a tool of an
// MCP server.
func Known(name string) bool { return tools.Has(name) }

// Action says what a call is about to do. known is false if name is not [Known];
// the action is then [tool.Other].
func Action(name string, arguments value.Value, at Place) (a tool.Action, known bool) {
	return tools.Read(name, arguments, at)
}

func dialect() serve.Client {
	return serve.Client{
		Name: Name, Turn: "prompt_id", Project: "CLAUDE_PROJECT_DIR",
		Events: events, Tools: tools, Fits: fits, Before: before, After: after,
	}
}
