// Package serve answers a client's hook command through the extension points.
//
// A client tells its hook what is about to happen, or what happened, as JSON on
// standard input, and acts on JSON from its standard output. What is the same
// for every client stands here: reading the payload, firing the points of the
// event in order, and what a fault becomes. What differs is a [Client]: the
// events and tools it has, as tables, and how it wants to be told of a Decision.
//
// # What a fault becomes
//
// Nothing that goes wrong lets a call or a prompt through: if the event is known,
// the fault is a denial, or a block, in the client's own JSON, and the exit
// status is 0. At the end of a turn a block would make the turn go on, and the
// fault with it, for ever; there the turn ends and the human is told. Where a
// client lets nobody refuse, the fault is a line on standard error. If the event
// is not known, standard output is empty, the exit status is 2 and standard error
// holds one line. A client never gets both.
package serve

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/dsh-lua/dsh/clients/internal/action"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Role says which points belong to an event.
type Role uint8

// The roles.
const (
	Silent     Role = iota // none: the answer is always "no opinion"
	BeforeTool             // tools/rewrite, tools/pre-execute, tools/guard
	Permission             // tools/approve
	AfterTool              // tools/post-execute, tools/result
	Prompt                 // agent/pre-step
	Start                  // agent/session-start
	Stop                   // agent/turn-stopping
	ChildStop              // agent/turn-stopping, subagent/end
)

// A Row is one event of a client.
type Row struct {
	// Name is the client's name of the event.
	Name string
	// Role says who is asked.
	Role Role
	// Can lists what the client can do to its session when it is told so in
	// answer to this event.
	Can []session.Effect
	// Adds says that a turn that goes on can be given texts beside the reason
	// why it does.
	Adds bool
	// GoOn bounds how often in one turn it can be made to go on, for a client
	// that does not bound it; 0 leaves it to the client.
	GoOn int
}

// A Client is what differs between clients. It is never changed.
type Client struct {
	// Name is the name of the dialect.
	Name string
	// Turn is the key of the payload that identifies the turn.
	Turn string
	// Project is the environment variable that holds the project's root; empty
	// if the client sets none.
	Project string
	// TildeIsName is that of the client's [action.Place].
	TildeIsName bool
	// Events lists the events that the client sends.
	Events []Row
	// Tools lists the client's tools.
	Tools action.Table
	// Fits says why the client would not run a tool with these new arguments.
	Fits func(tool string, arguments value.Value) error
	// Before and After write an answer as the client wants it. An error means
	// that the client has no way to carry it. Of a refusal without effects they
	// return none.
	Before func(*Before) (Output, error)
	After  func(*After) (Output, error)
}

// Options are what whoever starts the command knows better than the client.
type Options struct {
	// Project is the absolute path of the project's root; empty means what the
	// client says.
	Project string
	// Resolve follows symbolic links; nil means those of this machine.
	Resolve action.Resolver
	// Approves lets a grant at tools/approve answer the client's question in the
	// user's place, whoever of those installed gives it. Without it a grant counts
	// as no answer, and the user is told.
	Approves bool
	// Log is given the stacks of panics, which nobody else ever sees. It may be
	// nil.
	Log func(text string)
	// First reports whether something is told for the first time; nil means that
	// nobody remembers, and everything is told every time.
	First func(what string) bool
}

// Served is one answer with its reasons.
type Served struct {
	// Event is the client's name of the event; empty if it could not be read.
	Event string
	// Point is the point whose answer counted; nil if none was asked.
	Point point.Point
	// Decision is that answer, or what the fault became.
	Decision any
	// Rewritten holds the arguments that the call has instead of its own; absent
	// if they were kept.
	Rewritten value.Value
	// Effects is what extensions did to the session; nil if none was asked.
	Effects *session.Effects
	// Fault is what went wrong; nil if nothing did.
	Fault error
	// Reply is what the client is given.
	Reply host.Reply
}

// Points lists the points that a client's command ever fires, in order.
func Points() []point.Point {
	return []point.Point{
		tool.OnRewrite, tool.PreExecute, tool.OnGuard, tool.OnApprove, tool.PostExecute, tool.OnResult,
		agent.PreStep, agent.OnSessionStart, agent.OnTurnStopping, subagent.OnEnd,
	}
}

// Explain answers one invocation of the hook. It is total.
func (c *Client) Explain(ctx context.Context, o Options, h host.Host, in host.Invocation) (s Served) {
	defer func() {
		if r := recover(); r != nil {
			o.log(string(debug.Stack()))
			s = c.failed(c.row(s.Event), fmt.Errorf("internal error: %v", r))
		}
	}()
	e, err := c.Decode(o, in)
	s.Event = e.Name
	if err != nil {
		return c.failed(e.row, err)
	}
	a := &asking{client: c, options: o, event: e, host: h, served: Served{Event: e.Name}}
	a.effects = session.NewEffects(e.row.Can...)
	asks(e.row.Role)(a, ctx)
	a.served.Reply.Stderr = a.notes
	return a.served
}

// asks says how a role is asked.
func asks(r Role) func(*asking, context.Context) {
	return [...]func(*asking, context.Context){
		Silent: (*asking).nobody, BeforeTool: (*asking).before, Permission: (*asking).permit, AfterTool: (*asking).after,
		Prompt: (*asking).prompt, Start: (*asking).start, Stop: (*asking).stop, ChildStop: (*asking).childStop,
	}[r]
}

// nobody has no opinion, and says so once a session.
func (a *asking) nobody(context.Context) {
	if a.options.first(a.event.Session.ID + "\x00" + a.event.Name) {
		a.note("nothing is asked on " + a.event.Name + ": no opinion")
	}
}

func (o Options) first(what string) bool { return o.First == nil || o.First(what) }

func (o Options) log(text string) {
	if o.Log != nil {
		o.Log(text)
	}
}

func (c *Client) row(event string) *Row {
	for i := range c.Events {
		if c.Events[i].Name == event {
			return &c.Events[i]
		}
	}
	return nil
}

// asking is the state of one invocation.
type asking struct {
	client  *Client
	options Options
	event   Event
	host    host.Host
	effects *session.Effects
	served  Served
	notes   []byte
}

// live gives the handlers that are asked next a hand on the session.
func (a *asking) live() { a.host.Live, a.served.Effects = a.effects, a.effects }

// unlisted says that nobody knows what a tool does.
func (a *asking) unlisted(tool string) {
	if !a.event.Listed {
		a.note(fmt.Sprintf("%q is not in the table of tools: its action is other", tool))
	}
}

// print gives out to the client.
func (a *asking) print(out Output) { a.served.Reply.Stdout = out.encode(a.event.Name) }

// note adds a line for whoever reads the client's log.
func (a *asking) note(text string) {
	a.notes = append(append(a.notes, a.client.line(text)...), '\n')
}
