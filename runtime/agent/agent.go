package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// Options are what an agent is made of. Session, Log and Model must be there.
type Options struct {
	// Session says what is known of the session; its ID is that of the log.
	Session session.Ref
	// Log is the record of the session. The agent is its only writer, and does
	// not close it. Whoever wants to see or to check events gives it observers
	// and checks.
	Log *session.Log
	// Model answers requests.
	Model model.Model
	// Config is what the first request asks of the model; later ones ask what the
	// one before did.
	Config Config

	// Handlers are the program's. The agent has a child of its own, which goes
	// when it is closed; see [Agent.Handlers].
	Handlers *point.Registry
	// Extensions are this session's own. Setup is for those that need grants.
	Extensions []point.Extension
	// Setup is called before anything else happens to the agent. An error undoes
	// all, and New returns it.
	Setup func(*Agent) error
	// Directory is where the agent can be found while it lives; nil if nowhere.
	Directory *Directory
	// Announce hear of the coming of the agent and of its session, after Setup and
	// before anything else; the error of one refuses the agent. They hear of the
	// going too, where an error changes nothing.
	Announce []func(Announcement) error
	// Observer is told of every handler that ran.
	Observer point.Observer
	// Tools are the program's. The agent has a child of its own.
	Tools *tool.Registry
	// Pipeline runs the calls; nil means one that nobody can approve calls in.
	Pipeline *tool.Runtime

	// Never reports whether nobody may be asked to approve a call now, whatever the
	// session's own policy is: a subagent is held to its parent's so. nil is false.
	Never func() bool

	// Prompt says what the model is told beside the conversation, once for every
	// step that is proposed; nil means nothing.
	Prompt func(ctx context.Context, p Proposal) (Prompt, error)
	// ToolOrder says in which order a model is told of its tools: by name, with
	// "*" in the place of those that have none. nil sorts all. A tool that is not
	// there fails the step.
	ToolOrder []string
	// Source says how the session begins: "startup", which is the default,
	// "resume" or "fork".
	Source string

	// MaxParallel is how many bodies of tools run at once; 0 means
	// [tool.DefaultParallel].
	MaxParallel int
	// MaxStops is how often in a row extensions may make a turn go on that would
	// end; 0 means 8, and less means that there is no limit.
	MaxStops int
	// StartTimeout is how long the first turn waits for the handlers of session
	// start; 0 means 600 seconds.
	StartTimeout time.Duration
	// TellTimeout is how long the agent waits for the handlers of what happens
	// between turns: its status, an error, an interrupt, the end of the session; 0
	// means 5 seconds.
	TellTimeout time.Duration
	// StallTimeout is how long to wait for the next chunk of an answer before the
	// request counts as failed; 0 means for ever.
	StallTimeout time.Duration
	// TurnTimeout is how long a turn may take before it is cancelled; 0 means for
	// ever.
	TurnTimeout time.Duration
	// FlushBeforeEffects makes the log survive a loss of power before the handlers
	// of each step, before each request and before each tool. If that fails there
	// is no step and no request, and the tool does not run.
	FlushBeforeEffects bool

	// Tell shows text to the human; nil means that there is nobody.
	Tell func(text string)
	// Inbox is told what happens to messages, in order; nil drops it.
	Inbox func(InboxEvent)
	// Warn is told, in one line, what went wrong without changing an outcome; nil
	// drops it.
	Warn func(text string)
}

// defaultStops is how often extensions may prolong a turn.
const defaultStops = 8

// Timeouts of what an agent waits for between turns.
const (
	startPatience = 600 * time.Second
	tellPatience  = 5 * time.Second
)

// The states of an agent.
const (
	Idle    = "idle"
	Running = "running"
)

// An Agent is one session at work. It takes messages into an inbox, and as long
// as there is something to do one goroutine runs turns. All methods may be
// called at any time from any goroutine, apart from those that wait: a handler
// or an observer that waits for its own agent waits for ever.
type Agent struct {
	options  Options
	log      *session.Log
	ref      session.Ref
	handlers *point.Registry
	tools    *tool.Registry
	pipeline *tool.Runtime
	host     host.Host
	prefix   string
	ids      atomic.Int64

	base    context.Context //nolint:containedctx // ends with the agent, not with a call
	end     context.CancelFunc
	started chan struct{} // closed when session start is over
	closed  chan struct{} // closed when the agent is
	closing sync.Once

	mu      sync.Mutex
	run     *turn         // the one under way, or about to be
	task    *maintenance  // the one under way
	latch   bool          // a wake came too late for the turn under way
	active  int           // goroutines that are not done: drivers, a task
	idle    chan struct{} // closed when active is 0
	ending  bool
	said    string   // the status that was told last, or will be
	news    []string // statuses that were not told yet
	telling bool
	halted  *session.Cause // by session start
	request requests       // of the driver
}

// ErrClosed is returned for what is asked of a closed agent.
var ErrClosed = errors.New("the agent is closed")

// New starts an agent. Its session starts at once, in a goroutine of its own;
// the first turn waits for that. ctx ends the creation, and later is for values
// only.
func New(ctx context.Context, o Options) (*Agent, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	a := &Agent{
		options: o, log: o.Log, ref: o.Session, pipeline: o.Pipeline,
		started: make(chan struct{}), closed: make(chan struct{}), idle: make(chan struct{}),
		said: Idle,
	}
	close(a.idle)
	a.base, a.end = context.WithCancel(context.WithValue(context.WithoutCancel(ctx), peerKey{}, Peer{a}))
	a.prefix = newPrefix()
	a.handlers, a.tools = o.Handlers.Child(), o.Tools.Child()
	a.host = host.Host{Run: point.Run{Handlers: a.handlers, Observer: o.Observer}, Live: live{a}}
	if err := a.create(ctx); err != nil {
		a.end()
		a.handlers.Dispose()
		return nil, err
	}
	go a.start()
	return a, nil
}

// create sets the agent up, unseen, and then makes it known.
func (a *Agent) create(ctx context.Context) error {
	if err := a.options.Directory.reserve(a); err != nil {
		return err
	}
	if err := a.setup(); err != nil {
		a.options.Directory.release(a)
		return err
	}
	return a.publish(ctx)
}

func (o *Options) validate() error {
	switch {
	case o.Log == nil || o.Model == nil:
		return errors.New("an agent needs a log and a model")
	case o.Session.ID != o.Log.Header().ID:
		return fmt.Errorf("the session %q has the log of session %q", o.Session.ID, o.Log.Header().ID)
	case o.Config.MaxTokens < 0:
		return errors.New("the limit of tokens must be above 0")
	case o.ToolOrder != nil && count(o.ToolOrder, rest) != 1:
		return fmt.Errorf("an order of tools needs %q once, in the place of those that it does not name", rest)
	case o.MaxParallel < 0:
		return errors.New("the number of tools that run at once must be above 0")
	}
	if o.Handlers == nil {
		o.Handlers = new(point.Registry)
	}
	if o.Tools == nil {
		o.Tools = new(tool.Registry)
	}
	if o.Pipeline == nil {
		o.Pipeline = &tool.Runtime{Warn: o.Warn}
	}
	if o.Source == "" {
		o.Source = "startup"
	}
	o.MaxStops = cmp.Or(o.MaxStops, defaultStops)
	o.StartTimeout = cmp.Or(o.StartTimeout, startPatience)
	o.TellTimeout = cmp.Or(o.TellTimeout, tellPatience)
	return nil
}

func count(list []string, s string) (n int) {
	for _, x := range list {
		if x == s {
			n++
		}
	}
	return n
}

func (a *Agent) setup() error {
	for _, ext := range a.options.Extensions {
		if _, err := a.handlers.Install(ext); err != nil {
			return err
		}
	}
	if a.options.Setup != nil {
		return a.options.Setup(a)
	}
	return nil
}

func newPrefix() string {
	return fmt.Sprintf("%010x-", rand.Uint64N(1<<40))
}

// newID returns an ID that no other message of the session has.
func (a *Agent) newID() string { return a.prefix + strconv.FormatInt(a.ids.Add(1), 10) }

// start tells that the session begins.
func (a *Agent) start() {
	defer close(a.started)
	ctx, cancel := context.WithTimeout(a.base, a.options.StartTimeout)
	defer cancel()
	a.warn(host.Tell(ctx, a.host, OnSessionStart, Started{Session: a.ref, Source: a.options.Source}))
}

// warn passes on what went wrong without changing an outcome.
func (a *Agent) warn(err error) {
	if err != nil && a.options.Warn != nil {
		a.options.Warn(err.Error())
	}
}

// tell runs the handlers of something that happens outside a turn. They have
// until TellTimeout.
func tell[P any](ctx context.Context, a *Agent, n *point.Notification[P], payload P) {
	ctx, cancel := context.WithTimeout(ctx, a.options.TellTimeout)
	defer cancel()
	a.warn(host.Tell(ctx, a.host, n, payload))
}

// tellStatus tells what the status is, if that is news. News are told one by one
// and in their order: by whoever is at it already, if somebody is, which may be a
// handler's own caller.
func (a *Agent) tellStatus() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.current(); s != a.said {
		a.said = s
		a.news = append(a.news, s)
	}
	if a.telling {
		return
	}
	a.telling = true
	defer func() { a.telling = false }() // also when a handler ends this goroutine
	for len(a.news) > 0 {
		s := a.news[0]
		a.news = a.news[1:]
		a.tellOne(s)
	}
}

// tellOne tells of a status without the lock, which is held before and after.
func (a *Agent) tellOne(status string) {
	a.mu.Unlock()
	defer a.mu.Lock()
	tell(a.base, a, OnStatus, Status{Session: a.ref, Status: status})
}

// current returns the status. The lock is held.
func (a *Agent) current() string {
	if a.run != nil {
		return Running
	}
	return Idle
}

// Status returns [Running] while turns are run, else [Idle].
func (a *Agent) Status() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.current()
}

// Session returns what is known of the session.
func (a *Agent) Session() session.Ref { return a.ref }

// Log returns the record of the session. Nobody else may append to it what the
// loop logs.
func (a *Agent) Log() *session.Log { return a.log }

// Handlers returns the registry of this session. What is installed in it is
// removed when the agent is closed.
func (a *Agent) Handlers() *point.Registry { return a.handlers }

// Tools returns the tools of this session.
func (a *Agent) Tools() *tool.Registry { return a.tools }

// Host returns who asks the extensions of this session.
func (a *Agent) Host() host.Host { return a.host }

// Live returns what extensions can do to the session.
func (a *Agent) Live() session.Live { return live{a} }

// Options returns what the agent was made of.
func (a *Agent) Options() Options { return a.options }

// WhenStarted waits for the handlers of session start.
func (a *Agent) WhenStarted(ctx context.Context) error { return await(ctx, a.started) }

// WhenIdle waits until nothing runs: no turn, and no task of [Agent.Maintain].
// Work that somebody starts because the agent becomes idle is waited for too.
func (a *Agent) WhenIdle(ctx context.Context) error {
	for {
		a.mu.Lock()
		active, idle := a.active, a.idle
		a.mu.Unlock()
		if active == 0 {
			return nil
		}
		if err := await(ctx, idle); err != nil {
			return err
		}
	}
}

func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// occupy counts one more goroutine of the agent. The lock is held.
func (a *Agent) occupy() {
	if a.active++; a.active == 1 {
		a.idle = make(chan struct{})
	}
}

func (a *Agent) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.active--; a.active == 0 {
		close(a.idle)
	}
}

// Close cancels what runs, drops what is pending, waits until the last event is
// logged, tells that the session is over, and removes its handlers. When it
// returns nothing of the agent is left running. It may be called again; all
// calls wait for the same end.
func (a *Agent) Close(ctx context.Context, reason string) error {
	a.closing.Do(func() {
		a.mu.Lock()
		a.ending = true
		a.mu.Unlock()
		a.Cancel(session.Cause{Kind: session.CauseDisposed}, false)
		go a.unwind(reason)
	})
	return await(ctx, a.closed)
}

// unwind ends what Close began.
func (a *Agent) unwind(reason string) {
	defer close(a.closed)
	lasting := context.WithoutCancel(a.base)
	_ = a.WhenIdle(lasting) // its context has no end
	a.end()
	<-a.started
	tell(lasting, a, OnSessionEnd, Ended{Session: a.ref, Reason: reason})
	a.handlers.Dispose()
	a.retire()
}
