package tool

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Runtime runs tool calls. Its fields must not change once it is in use. It is
// safe for concurrent use.
type Runtime struct {
	// Root is the scope of calls without an agent; the registries of agents
	// should descend from those of Root.
	Root Scope
	// Approvals says who answers when a call needs approval; nil means that
	// nobody does, apart from handlers of tools/approve.
	Approvals *Approvals
	// Warn is told, in one line, what went wrong without changing an outcome. nil
	// drops it.
	Warn func(text string)
	// Patience is how long a body may go on after its context is done before
	// Warn is told of it; 0 means 5 seconds.
	Patience time.Duration

	sentries sync.Pool // of *sentry; idle ones
}

// A Scope is on whose behalf a call is made: whose handlers are asked and whose
// tools are seen. There is one for each agent.
type Scope struct {
	// Host says which handlers are asked, and what acts on the session.
	Host host.Host
	// Tools are the tools that can be called.
	Tools *Registry
	// Session is the session that calls belong to.
	Session session.Ref
	// Record is told of questions for approval as [Approvals.Record] is, before
	// it, for this scope alone. nil records nothing.
	Record func(ctx context.Context, r ApprovalRecord) error
	// Never reports whether the session wants nobody to be asked now, as
	// [Approvals.Never] does for good. It is called for every question; nil is
	// false.
	Never func() bool
	// Ready is called before every run of a body; an error keeps the body from
	// running, and is the failure of the call. Bodies that overlap call it at the
	// same time. nil is always ready.
	Ready func(ctx context.Context, call Call) error
}

// An Input is a call that somebody wants to make. The pipeline reads it once.
type Input struct {
	// ID correlates the call with its result.
	ID string
	// Tool is the name of the tool to run.
	Tool string
	// Arguments are what is passed to the tool: JSON in one of the forms that
	// [Snapshot] takes. Absent arguments are not JSON; nil is null.
	Arguments any
	// Agent is on whose behalf the call is made; nil means nobody's, which is the
	// scope Root, and cannot be approved.
	Agent *Scope
	// Parent is the identity of the call whose body makes this one; see
	// [Running.Execute].
	Parent Token
	// Root is the ID of the model's call that this one is part of; empty means
	// that of Parent, or else ID.
	Root string
}

// Execute runs one call through all phases. It is total: whatever goes wrong is
// a [Failure], and the result is JSON that every reader gets back as it was.
// When it returns the body has ended. Cancelling ctx cancels the call.
func (rt *Runtime) Execute(ctx context.Context, in Input) Result {
	proposed, settled := rt.Propose(ctx, in)
	if settled != nil {
		return settled.Finish(ctx)
	}
	prepared, settled := proposed.Prepare(ctx)
	if settled != nil {
		return settled.Finish(ctx)
	}
	return prepared.Dispatch(ctx).Finish(ctx)
}

// The stages of a call that is not run by [Runtime.Execute]. Each admits one
// next step, once; a step that is taken again yields a failure and has no
// effect. The steps of one call must not overlap.
type (
	// Proposed is a call that has its identity.
	Proposed execution
	// Prepared is a call that may run.
	Prepared execution
	// Settled is a call that has a result, which nobody has judged yet.
	Settled execution
)

// execution is the state of one call.
type execution struct {
	rt    *Runtime
	scope *Scope
	agent bool // there is one
	id    identity
	run   Running     // of the first body
	tool  *registered // as the call began; nil if there was none
	call  Call
	stage atomic.Int32

	original value.Value // the arguments before they were rewritten
	reason   string      // why they were

	before    []session.Context // of the pre-execute decision
	canonical *outcome          // what the pipeline itself made of the body, if it was wrapped
	ran       bool
	took      time.Duration
	nested    atomic.Int64

	mu        sync.Mutex // of what follows, which bodies write
	bodies    int        // that are running
	deferred  []session.Context
	concludes bool
	overdue   *time.Timer   // runs once a body goes on although it was cancelled
	inner     int           // nexts of wrappers that are at the centre
	answered  bool          // the wrappers have: no body may begin
	emptied   chan struct{} // closed when inner is 0 again, if somebody waits for it

	out   outcome
	final bool // the outcome is not to be judged by tools/post-execute
}

// The stages of an execution.
const (
	stageProposed int32 = iota
	stagePrepared
	stageDispatched
	stageFinished
)

// enter takes the step from one stage to the next. It fails if the step was
// taken before.
func (x *execution) enter(from, to int32) bool { return x.stage.CompareAndSwap(from, to) }

// open reads in and captures what a call keeps whatever happens to the tool.
func (rt *Runtime) open(in Input) *execution {
	x := &execution{rt: rt, scope: in.Agent, agent: in.Agent != nil}
	if x.scope == nil {
		x.scope = &rt.Root
	}
	x.run.x = x
	x.id = identity{id: clean(in.ID), root: clean(in.Root), parent: in.Parent}
	x.call = Call{ID: x.id.id, Tool: clean(in.Tool), Session: x.scope.Session, Live: x.scope.Host.Live, token: Token{&x.id}}
	if parent := in.Parent.id; parent != nil {
		x.call.Parent = parent.id
		if x.id.root == "" {
			x.id.root = parent.root
		}
	}
	if x.id.root == "" {
		x.id.root = x.id.id
	}
	if x.tool = x.scope.Tools.lookup(x.call.Tool); x.tool != nil {
		x.id.timeout = x.tool.Timeout
	}
	return x
}

// shown is the call as one phase is given it: what is written into its lists
// reaches no other phase.
func (x *execution) shown() Call {
	call := x.call
	call.Action = copied(call.Action)
	if call.Session.Agent != nil {
		agent := *call.Session.Agent
		call.Session.Agent = &agent
	}
	return call
}

func clean(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// asks returns the host that points are fired with. Payloads have their live
// handle already.
func (x *execution) asks() host.Host { return host.Host{Run: x.scope.Host.Run} }

// An asker is a point of any kind.
type asker interface {
	Asks(run point.Run, s point.Subject) bool
}

// asked reports whether p has a handler for this call. One that has none costs
// nothing: neither its payload is made nor a context.
func (x *execution) asked(p asker) bool {
	return p.Asks(x.scope.Host.Run, point.Subject{Tool: x.call.Tool, Action: x.id.action, Name: x.call.Tool})
}

// settle ends the way to the body with a result that will be judged.
func (x *execution) settle(o outcome) *Settled {
	x.out = o
	x.stage.Store(stageDispatched)
	return (*Settled)(x)
}

// refuse is settle for a call that never reaches its body.
func (x *execution) refuse(f Failure) *Settled {
	settled := x.settle(lost(f))
	x.gather(nil)
	return settled
}

// fail is settle for a result that nobody judges.
func (x *execution) fail(f Failure) *Settled {
	x.final = true
	return x.settle(lost(f))
}

// misused is what a step yields that was taken before, or whose turn it is not.
func (x *execution) misused(step string) *Settled {
	twin := &execution{rt: x.rt, scope: x.scope, call: x.call, final: true}
	twin.settle(lost(failed(fmt.Sprintf("the step %s of call %s is not its next one", step, x.call.ID), "", "")))
	twin.stage.Store(stageFinished)
	return (*Settled)(twin)
}

func (x *execution) warn(format string, args ...any) {
	if x.rt.Warn != nil {
		_ = contain(func() error { x.rt.Warn(fmt.Sprintf(format, args...)); return nil })
	}
}

// Propose gives a call its identity: the arguments are copied, offered to
// tools/rewrite, and fixed from then on. Exactly one of the results is not nil.
func (rt *Runtime) Propose(ctx context.Context, in Input) (*Proposed, *Settled) {
	x := rt.open(in)
	arguments, err := Snapshot(in.Arguments)
	if err != nil {
		x.call.Action, x.id.action = Other{}, ""
		return nil, x.fail(failed(lossyArguments, "", ""))
	}
	x.original = arguments
	x.takes(arguments)
	if ctx.Err() != nil {
		return nil, x.fail(Aborted(false))
	}
	if x.asked(OnRewrite) {
		if failure := x.rewrite(ctx); failure != nil {
			return nil, x.fail(*failure)
		}
		if ctx.Err() != nil {
			return nil, x.fail(Aborted(false))
		}
	}
	x.call.Fault = x.tool.fault(x.call.Arguments)
	return (*Proposed)(x), nil
}

// rewrite offers the call to tools/rewrite. It is a transaction: the call has
// either its own arguments or all of the new ones, and no phase has seen it yet.
func (x *execution) rewrite(ctx context.Context) *Failure {
	phase := begin(ctx, policyGrace)
	defer phase.end()
	call := x.shown()
	out := host.Fire(phase, x.asks(), OnRewrite, Proposal{
		ID: call.ID, Tool: call.Tool, Arguments: call.Arguments, Action: call.Action,
		Fault: x.tool.fault(call.Arguments), Session: call.Session, Live: call.Live,
	}, func(error) Rewriting { return Keep{} })
	if out.Fault != nil {
		failure := x.faulted(ctx, out.Fault, false)
		return &failure
	}
	d, ok := out.Decision.(Rewrite)
	if !ok {
		return nil
	}
	arguments, err := Snapshot(d.Arguments)
	if err != nil {
		failure := failed(lossyArguments, "", "")
		return &failure
	}
	x.takes(arguments)
	x.reason = clean(d.Reason)
	return nil
}

// takes gives the call its arguments.
func (x *execution) takes(arguments value.Value) {
	x.call.Arguments, x.call.Action = arguments, x.tool.action(arguments)
	x.id.action = Kinds(x.call.Action)
}

// faulted is the failure for a handler that failed, or that was stopped because
// the call was cancelled.
func (x *execution) faulted(ctx context.Context, fault error, ran bool) Failure {
	if cancelledBy(ctx, fault) {
		return Aborted(ran)
	}
	x.warn("tool %q (%s): %s", x.call.Tool, x.call.ID, told(fault))
	return failureOf(fault)
}

// Call returns the call as all later phases and records see it.
func (p *Proposed) Call() Call { return (*execution)(p).shown() }

// Original returns the arguments before they were rewritten; they are those of
// the call if nobody did.
func (p *Proposed) Original() value.Value { return p.original }

// Rewritten reports whether the arguments are not those of the model, and why.
func (p *Proposed) Rewritten() (reason string, yes bool) {
	return p.reason, !p.original.Equal(p.call.Arguments)
}

// Parallel reports whether the call may overlap with others. Whatever is not
// known to be safe is not: a tool that is not there or does not say, arguments
// that do not fit, a definition that fails.
func (p *Proposed) Parallel() bool {
	return p.scope.Tools.lookup(p.call.Tool).parallel(p.call.Arguments)
}

// Parallel is [Proposed.Parallel] for a call that is not proposed yet. What
// tools/rewrite makes of it may be different.
func (rt *Runtime) Parallel(in Input) bool {
	scope := in.Agent
	if scope == nil {
		scope = &rt.Root
	}
	arguments, err := Snapshot(in.Arguments)
	return err == nil && scope.Tools.lookup(in.Tool).parallel(arguments)
}
