// Package codex speaks the hook protocol of the Codex CLI.
//
// [Command] is the hook command that the client starts: it reads the client's
// payload, asks the extension points, and answers as the client wants it.
//
// # What the client makes of an answer
//
// The client drops an answer with a key it does not know, or a refusal without a
// reason, and goes on, so the answers hold what it documents and nothing else.
// Its hooks cannot ask: an ask becomes a denial that says what it is for. They
// cannot preapprove either; a preapproval is an allowance, and the permission flow
// stays the client's own. That holds for a rewritten call too, although new
// arguments travel with the word allow, which the client requires: its event
// PermissionRequest and its question to the user come after this hook, and are
// about the new arguments. Hooks of tools cannot end a turn: a halt fails.
// A block replaces the result by its reason, so a replaced result is carried as a
// block whose reason is the new text.
//
// # Around a turn
//
// A grant or a refusal answers the client's question to its user. A prompt that a
// policy changes is blocked, because a hook cannot change it. At the end of a turn
// the client takes nothing beside the reason to go on, so what is injected is part
// of it. It never stops asking whether the turn may end; the command bounds how
// often policies make it go on, by turn, as far as [Options] remember.
//
// # A patch in a command line
//
// A patch given to the tool apply_patch is an edit of the files it touches. One
// that a shell command feeds to a program of that name arrives as the command
// line it is, and stays one.
package codex

import (
	"github.com/dsh-lua/dsh/clients/internal/action"
	"github.com/dsh-lua/dsh/clients/internal/serve"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Name is the name of the dialect.
const Name = "codex"

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
	at.TildeIsName = true
	return tools.Read(name, arguments, at)
}

func dialect() serve.Client {
	return serve.Client{
		Name: Name, Turn: "turn_id", TildeIsName: true,
		Events: events, Tools: tools, Fits: fits, Before: before, After: after,
	}
}
