// Package hooks runs the shell hooks of a client on our extension points.
//
// A [Bridge] is an extension made of a configuration and a [Client], which says
// in tables and functions what is different from one client to the other. What
// is the same stands here: which point stands for which event, when hooks run,
// and what their outcome does.
//
//	point ──► Firing ──select──► handlers ──run at once──► Outputs ──fold──► Outcome ──► Decision, effects
//
// # Tool calls
//
// A client runs the hooks of a call once and takes both its decision and its new
// input from them. Here the input is a matter of tools/rewrite and the decision
// one of tools/pre-execute. The hooks run at the first, and what they said is
// kept for the second. If the call that arrives there is not the one that they
// saw, they run again: what runs is always what was judged.
//
// # Halts
//
// A hook that ends the turn at a tool lets the tools of the answer run to their
// end, as the clients do. The turn ends before the next request.
//
// # Failures
//
// A hook that fails decides nothing, and the human is told where it stands and
// what went wrong. With [Options.Strict], a hook that guards something denies it
// by failing.
package hooks

import (
	"context"
	"errors"
	"sync"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/process"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Client is what a bridge needs to know of one client. Dialect, Select,
// Payload, Show and After must be there.
type Client struct {
	// Extension is the name of the bridge, which is the source of its messages.
	Extension string
	Dialect   hookproto.Dialect
	Process   process.Options
	// Events lists the client's events that the bridge is to fire.
	Events []string
	// Guards gives the decision by which a failing hook denies in strict mode.
	Guards map[string]hookproto.Decision

	// Select returns the handlers that f concerns, in configured order.
	Select func(all []hookproto.Handler, f *Firing) ([]hookproto.Handler, []error)
	// Expand replaces what the client replaces in a command; nil: nothing.
	Expand func(h hookproto.Handler, f *Firing) hookproto.Handler
	// Env lists what the client adds to the environment; nil: nothing.
	Env func(f *Firing) []string
	// Payload returns what hooks read.
	Payload func(f *Firing) ([]byte, error)
	// Show returns a call as the client would tell of it.
	Show func(c Seen) Shown
	// After names the event of a result; "" if there is none.
	After func(d tool.Done) string
	// Spill shortens what of an output is too long for the model; nil: nothing.
	Spill func(event string, h hookproto.Handler, o *hookproto.Output, save Save) error
	// Detach reports whether a hook that prints this first line must not be waited
	// for; nil: none.
	Detach func(line []byte) bool
	// Ignored lists what an output says that has no effect here; nil: nothing.
	Ignored func(event string, o hookproto.Output) []string
	// Enough reports whether an output makes the hooks that still run pointless;
	// nil: none does.
	Enough func(event string, o hookproto.Output) bool
	// StopText is how the reason of a hook that lets a turn go on reaches the
	// model; nil: as it is.
	StopText func(event string, h hookproto.Handler, reason string) string
	// Objection is how the reason of a hook that blocks a result reaches the model;
	// nil: as it is.
	Objection func(event string, h hookproto.Handler, reason string) string

	// Withholds tells that a block takes the result itself away from the model.
	Withholds bool
	// ChildPrompts tells that the task of a subagent is a prompt too.
	ChildPrompts bool
	// LatePlain tells that plain text of a hook that nobody waited for reaches the
	// model.
	LatePlain bool
	// LateMessages tells that the model, too, is told what such a hook says to the
	// human.
	LateMessages bool
	// KeepsContexts tells that contexts for a prompt that was blocked, or of the
	// start of a session whose first turn does not take place, stand in front of
	// the next prompt.
	KeepsContexts bool
	// AsksAnyway tells that the client asks its user even about a call that a hook
	// allowed before it ran.
	AsksAnyway bool
}

// A Save keeps a text for which there is no room, and returns its file.
type Save func(text string) (path string, err error)

// Seen is a call as our points have it.
type Seen struct {
	Tool      string
	Arguments value.Value
	Action    tool.Action
	Cwd       string
}

// Shown is a call as the client would tell of it.
type Shown struct {
	Name  string
	Input value.Value
	// Cwd is the directory of the call, if it is not that of the session.
	Cwd string
	// Why is the model's own reason for the call; empty if it gives none.
	Why string
	// Back turns an input of the client into arguments of our tool; nil: they are
	// the same.
	Back func(input value.Value) (value.Value, error)
	// Response is the result in the client's shape.
	Response func(d tool.Done) value.Value
	// Replace turns a hook's output into what replaces the result. The error says
	// why the client would not take it.
	Replace func(d tool.Done, output value.Value, mcpOnly bool) (tool.Accept, error)
}

// Options are what whoever installs a bridge decides. The zero value is the
// client's way, without the right to answer for the user.
type Options struct {
	// Config is what the configuration files register.
	Config hookproto.Config
	// Strict denies what a failing hook was to guard.
	Strict bool
	// Preapprove lets hooks spare the user a question, or answer it with yes. The
	// bridge must also be installed with the grant [tool.Preapprove].
	Preapprove bool
	// Scrub keeps credentials out of the environment of hooks, but for the names
	// in ScrubKeep.
	Scrub     bool
	ScrubKeep []string
	// Environ is the environment that hooks start from; nil is that of this
	// process.
	Environ []string
	// Home is the user's folder; empty is that of Environ.
	Home string
	// Folder is where texts go that are too long for the model; empty is a folder
	// among the system's temporary files.
	Folder string
	// Effort is how much the model thinks, in the client's word; empty if nobody
	// can tell.
	Effort string
	// Fires lists the points that the host ever fires; nil is those of the agent
	// loop.
	Fires []point.Point
	// MCP runs a tool of an MCP server and returns its text; nil: there is none.
	MCP func(ctx context.Context, server, tool string, input value.Value) (string, error)
	// Exports is told what hooks want to have in the environment of commands, as
	// "NAME=value"; nil drops it.
	Exports func(s session.Ref, pairs []string)
	// Stderr is how many characters of a hook's standard error are kept in the
	// log; 0 means [hookproto.SummaryLimit].
	Stderr int
	// Warn is told, in one line, what went wrong where no human can be told; nil
	// drops it.
	Warn func(text string)
	// Clock is the time; nil is the real one.
	Clock process.Clock
	// Observe is told what became of the hooks of an event that were waited for, in
	// configured order; nil drops it. It may be called from many goroutines at once.
	Observe func(event string, done []hookproto.Completed)
}

// A Bridge runs hooks on points. It may be installed in many registries.
type Bridge struct {
	client   Client
	options  Options
	process  process.Options
	problems []hookproto.Problem
	events   map[string]bool // that have a handler and are fired

	lock     sync.Mutex
	sessions map[string]*state
	said     map[string]bool // what was told once
	closed   bool
}

// New returns a bridge.
func New(c Client, o Options) *Bridge {
	if o.Stderr == 0 {
		o.Stderr = hookproto.SummaryLimit
	}
	b := &Bridge{client: c, options: o, process: c.Process, sessions: map[string]*state{}, said: map[string]bool{}}
	b.process.Spare = new(process.Spare)
	b.process.Scrub, b.process.ScrubKeep = o.Scrub, o.ScrubKeep
	if o.Clock != nil {
		b.process.Clock = o.Clock
	}
	b.load()
	return b
}

// Name implements [point.Extension].
func (b *Bridge) Name() string { return b.client.Extension }

// Problems lists what the author of the configuration should know: what is wrong
// with it, and what of it will not run here.
func (b *Bridge) Problems() []hookproto.Problem { return b.problems }

// Install implements [point.Extension]. Only points that a hook concerns are
// attached to.
func (b *Bridge) Install(in *point.Installer) error {
	if len(b.events) == 0 {
		return nil
	}
	for _, row := range rows {
		if row.needed(b.events) {
			row.attach(b, in)
		}
	}
	return nil
}

// Close ends what runs in the background, and waits for it. Hooks may run
// afterwards, but in the background.
func (b *Bridge) Close(ctx context.Context) error {
	b.lock.Lock()
	b.closed = true
	var all []*state
	for _, s := range b.sessions {
		all = append(all, s)
	}
	b.lock.Unlock()
	var errs []error
	defer b.process.Spare.Close()
	for _, s := range all {
		errs = append(errs, s.background.Close(ctx))
	}
	return errors.Join(errs...)
}

func (b *Bridge) warn(text string) {
	if b.options.Warn != nil {
		b.options.Warn(text)
	}
}

// maxSaid bounds what is told once: names in it may come from a model.
const maxSaid = 1000

// once tells text unless it was told before.
func (b *Bridge) once(text string) {
	b.lock.Lock()
	news := !b.said[text] && len(b.said) < maxSaid
	if news {
		b.said[text] = true
	}
	b.lock.Unlock()
	if news {
		b.warn(text)
	}
}
