package subagent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/session"
)

// Options say what a subagent is to do and how it differs from its parent.
type Options struct {
	// ID identifies its session. It must be there.
	ID string
	// Type is the kind of subagent, in the program's own terms.
	Type string
	// Prompt is the task.
	Prompt string
	// Fork lets it begin with what was said before the turn under way.
	Fork bool
	// MaxDepth is how many agents may work for each other in a row; 0 means
	// [DefaultDepth].
	MaxDepth int
	// LogPath is the file of its log; empty keeps the log in memory.
	LogPath string
	// Log are the settings of its log.
	Log session.LogOptions
	// Adapt may change the options that it takes over from its parent.
	Adapt func(*agent.Options)
}

// DefaultDepth is how many agents may work for each other in a row by default.
const DefaultDepth = 3

// ErrDepth refuses a subagent below too many others. The depth is counted by the
// logs, so that a session that is resumed does not start anew.
var ErrDepth = errors.New("too many agents work for each other")

// ErrCancelled refuses to start a subagent for somebody who does not want it any
// more.
var ErrCancelled error = &Error{Code: CodeCancelled, Msg: "cancelled before the subagent began"}

// An Error says why no subagent was started.
type Error struct {
	// Code is one of the constants below.
	Code, Msg string
}

func (e *Error) Error() string { return e.Msg }

// The codes of errors.
const (
	CodeNoProvider        = "NO_PROVIDER"
	CodeDuplicateProvider = "DUPLICATE_PROVIDER"
	CodeCancelled         = "CANCELLED"
)

// The outcomes of a subagent.
const (
	Completed = "completed"
	MaxTokens = "max-tokens"
	Aborted   = "aborted"
	Refused   = "refusal"
	Failed    = "error"
)

// A Result is what came of a subagent.
type Result struct {
	// Outcome is one of the constants above.
	Outcome string
	// Output is its last answer; nil if there is none.
	Output []session.Part
}

// A Run is a subagent at work.
type Run struct {
	options Options
	parent  *agent.Agent
	child   *agent.Agent
	ctx     context.Context //nolint:containedctx // of whoever wants the result: its end cancels the child
	release func() bool

	once sync.Once
	end  Result
}

// Do starts a subagent, waits for it, and closes it.
func Do(ctx context.Context, parent *agent.Agent, o Options) (Result, error) {
	r, err := Start(ctx, parent, o)
	if err != nil {
		return Result{}, err
	}
	result := r.Wait()
	return result, r.Close(context.WithoutCancel(ctx))
}

// Start starts a subagent. It has its parent's handlers, tools and model, and a
// session of its own. Nobody is asked to approve its calls while the parent's
// approval policy is never. Handlers of subagent/start have returned before it is
// given its task. When ctx is done the subagent is cancelled.
func Start(ctx context.Context, parent *agent.Agent, o Options) (*Run, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", ErrCancelled, context.Cause(ctx))
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = DefaultDepth
	}
	log, err := o.open(ctx, parent)
	if err != nil {
		return nil, err
	}
	child, err := agent.New(ctx, o.derive(parent, log))
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	r := &Run{options: o, parent: parent, child: child, ctx: ctx}
	r.release = context.AfterFunc(ctx, func() { child.Cancel(session.Cause{Kind: session.CauseParent}, false) })
	r.told(host.Tell(ctx, r.host(), OnStart, Started{
		Session: parent.Session(), ID: o.ID, Type: o.Type, Prompt: o.Prompt, Transcript: log.Path(),
	}))
	if ctx.Err() != nil {
		return r, nil // its start was told, so its end is too: it was aborted before its task
	}
	if err := child.Followup(ctx, agent.Said(o.Prompt)); err != nil {
		r.Wait()
		return nil, errors.Join(err, r.Close(context.WithoutCancel(ctx)))
	}
	return r, nil
}

// open makes the log of the child. Where the parent's log says that nobody is
// asked, the child's says so too, so that it holds if the child is resumed alone.
func (o Options) open(ctx context.Context, parent *agent.Agent) (*session.Log, error) {
	log, err := o.create(parent)
	if err != nil || parent.Log().ApprovalPolicy() != session.PolicyNever || log.ApprovalPolicy() == session.PolicyNever {
		return log, err
	}
	if _, err := log.Append(ctx, session.PolicyChanged(session.PolicyNever)); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return log, nil
}

func (o Options) create(parent *agent.Agent) (*session.Log, error) {
	above := parent.Log().Header()
	if above.Depth+1 > o.MaxDepth {
		return nil, fmt.Errorf("%w: this one would be number %d of at most %d", ErrDepth, above.Depth+1, o.MaxDepth)
	}
	h := session.Header{ID: o.ID, Cwd: above.Cwd, Project: above.Project, Parent: above.ID, Origin: "subagent", Depth: above.Depth + 1}
	switch {
	case o.Fork:
		return parent.Log().Fork(o.LogPath, parent.Log().LastEnd(), h, o.Log)
	case o.LogPath != "":
		return session.CreateLog(o.LogPath, h, o.Log)
	}
	return session.NewLog(h, o.Log)
}

// derive returns the options of the child. What judges the parent's calls judges
// the child's too.
func (o Options) derive(parent *agent.Agent, log *session.Log) agent.Options {
	out := parent.Options()
	out.Session.ID, out.Session.Turn = o.ID, ""
	out.Session.Agent = &session.AgentRef{ID: o.ID, Type: o.Type}
	out.Session.Transcript = log.Path()
	out.Log, out.Source = log, "startup"
	out.Handlers, out.Tools = parent.Handlers(), parent.Tools()
	out.Extensions, out.Setup = nil, nil
	out.Never = func() bool { return parent.ApprovalPolicy() == session.PolicyNever }
	out.Prompt = bounded(out.Prompt)
	if o.Adapt != nil {
		o.Adapt(&out)
	}
	return out
}

// permissions is what a subagent is told of what it may do.
const permissions = "You work for another agent. What you may do was settled for it and cannot be widened from here: a call that is refused once will be refused again."

// bounded adds to a prompt what a subagent is told of itself.
func bounded(prompt func(context.Context, agent.Proposal) (agent.Prompt, error)) func(context.Context, agent.Proposal) (agent.Prompt, error) {
	return func(ctx context.Context, p agent.Proposal) (out agent.Prompt, err error) {
		if prompt != nil {
			out, err = prompt(ctx, p)
		}
		if !slices.Contains(out.Contexts, permissions) { // of a parent that is a subagent too
			out.Contexts = append(slices.Clone(out.Contexts), permissions)
		}
		return out, err
	}
}

// host asks the parent's extensions, about the child.
func (r *Run) host() host.Host {
	h := r.parent.Host()
	h.Live = r.child.Live()
	return h
}

func (r *Run) told(err error) {
	if warn := r.parent.Options().Warn; err != nil && warn != nil {
		warn(err.Error())
	}
}

// Agent returns the subagent itself.
func (r *Run) Agent() *agent.Agent { return r.child }

// maxRounds is how often handlers of subagent/end can make a subagent go on.
const maxRounds = 8

// Wait waits until the subagent is done and tells that it is. A handler that
// steers makes it go on. Whatever goes wrong with the subagent is its result.
func (r *Run) Wait() Result {
	r.once.Do(func() {
		ctx := context.WithoutCancel(r.ctx)
		for round := 1; ; round++ {
			_ = r.child.WhenIdle(ctx) // its context has no end
			r.end = r.result()
			if round > maxRounds {
				return
			}
			before, _ := r.child.Log().Turn()
			r.tellEnd(round > 1)
			if after, _ := r.child.Log().Turn(); after == before && r.child.Status() == agent.Idle {
				return
			}
		}
	})
	return r.end
}

// tellEnd tells that the subagent is done. Whoever is told it has as long as
// somebody waits for the result, and a little longer if nobody does any more.
func (r *Run) tellEnd(active bool) {
	ctx := r.ctx
	if ctx.Err() != nil {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.parent.Options().TellTimeout)
		defer cancel()
		ctx = late
	}
	r.told(host.Tell(ctx, r.host(), OnEnd, Ended{
		Session: r.parent.Session(), ID: r.options.ID, Type: r.options.Type, Outcome: r.end.Outcome, LastMessage: textOf(r.end.Output),
		StopActive: active,
	}))
}

var outcomes = map[session.EndKind]string{
	session.EndCompleted: Completed, session.EndMaxTokens: MaxTokens, session.EndAborted: Aborted,
	session.EndBlocked: Refused, session.EndError: Failed, session.EndInterrupted: Failed,
}

func (r *Run) result() Result {
	work := r.child.Log().Work()
	out := Result{Outcome: outcomes[work.End.Kind], Output: r.child.Log().Output()}
	if out.Outcome == "" || work.Turn == 0 || int64(work.Turn) <= r.inherited() {
		out.Outcome = Failed
	}
	if r.ctx.Err() != nil && out.Outcome != Completed {
		out.Outcome = Aborted
	}
	return out
}

// inherited returns how many turns a fork took over.
func (r *Run) inherited() int64 {
	var n int64
	for e, err := range r.child.Log().Entries() {
		if err != nil || e.Seq >= r.child.Log().Header().Seed {
			break
		}
		if e.Type == session.EventTurnStart {
			n++
		}
	}
	return n
}

func textOf(parts []session.Part) string {
	return strings.TrimSpace(session.Message{Content: parts}.Text())
}

// Close cancels the subagent if it is not done, and ends its session.
func (r *Run) Close(ctx context.Context) error {
	r.release()
	r.child.Cancel(session.Cause{Kind: session.CauseParent}, false)
	if err := r.child.Close(ctx, "subagent"); err != nil {
		return err
	}
	return r.child.Log().Close()
}
