package serve

import (
	"fmt"
	"path/filepath"

	"github.com/dsh-lua/dsh/clients/internal/action"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// An Event is one invocation of the hook, decoded.
type Event struct {
	// Name is the client's name of the event.
	Name string
	// Session is the session it happened in.
	Session session.Ref
	// Proposal is the call that is about to run; nil at other events.
	Proposal *tool.Proposal
	// Approval is the call that the client asks its user about; nil at other
	// events.
	Approval *tool.Approval
	// Done is the call that ran; nil at other events.
	Done *tool.Done
	// Listed is false if the table of the client's tools lacks the tool.
	Listed bool
	// Step is what the human wrote; nil at other events.
	Step *agent.Step
	// Started is the session that begins; nil at other events.
	Started *agent.Started
	// Stopping is the turn that is about to end, of the agent or of a subagent;
	// nil at other events.
	Stopping *agent.Stopping
	// Ended is the subagent that is about to end; nil at other events.
	Ended *subagent.Ended

	row   *Row
	place action.Place
}

// Decode reads one invocation of the hook. If it fails and the event has a name,
// the event is one that the client sends.
func (c *Client) Decode(o Options, in host.Invocation) (Event, error) {
	payload, err := value.Parse(in.Stdin)
	if err != nil {
		return Event{}, fmt.Errorf("payload: %w", err)
	}
	if payload.Kind() != value.Object {
		return Event{}, fmt.Errorf("payload: want an object, got %s", payload.Kind())
	}
	r := &reader{payload: payload}
	name := r.text("hook_event_name")
	row := c.row(name)
	switch {
	case r.err != nil:
		return Event{}, r.err
	case row == nil:
		return Event{}, fmt.Errorf("payload: %q is no event of %s", name, c.Name)
	}
	e := Event{Name: name, row: row}
	if row.Role == Silent { // nobody is asked, so nothing else need be right
		e.Session.ID, _ = payload.Get("session_id").Str()
		return e, nil
	}
	e.Session, e.place = c.session(r, o, in)
	switch row.Role {
	case BeforeTool, Permission, AfterTool:
		c.call(r, &e)
	case Prompt:
		e.Step = r.step(e.Session)
	case Start:
		e.Started = &agent.Started{Session: e.Session, Source: r.text("source")}
	case Stop:
		e.Stopping = r.stopping(e.Session)
	case ChildStop:
		e.Stopping = r.stopping(e.Session)
		e.Ended = r.ended(e.Session)
	case Silent:
	}
	return e, r.err
}

// rowOf returns the event of an invocation of which nothing else need be right;
// nil if it is none that the client sends.
func (c *Client) rowOf(in host.Invocation) *Row {
	payload, err := value.Parse(in.Stdin)
	if err != nil {
		return nil
	}
	return c.row(payload.Get("hook_event_name").String())
}

func (c *Client) session(r *reader, o Options, in host.Invocation) (session.Ref, action.Place) {
	ref := session.Ref{
		ID: r.option("session_id"), Cwd: directory(r.option("cwd"), in.Dir), Project: o.Project,
		Mode: r.option("permission_mode"), Transcript: r.option("transcript_path"),
		Model: r.option("model"), Turn: r.option(c.Turn), Client: c.Name,
	}
	if ref.Project == "" && c.Project != "" {
		ref.Project = in.Getenv(c.Project)
	}
	id, kind := r.option("agent_id"), r.option("agent_type")
	if id != "" {
		ref.Agent = &session.AgentRef{ID: id, Type: kind}
	}
	place := action.Place{Cwd: ref.Cwd, Home: in.Getenv("HOME"), TildeIsName: c.TildeIsName, Resolve: o.Resolve}
	if place.Resolve == nil {
		place.Resolve = action.Links
	}
	return ref, place
}

// directory makes cwd absolute; a client that does not tell it is working where
// it started its hook. It is empty if neither is known.
func directory(cwd, started string) string {
	if !filepath.IsAbs(cwd) {
		cwd = filepath.Join(started, cwd)
	}
	if !filepath.IsAbs(cwd) {
		return ""
	}
	return filepath.Clean(cwd)
}

func (c *Client) call(r *reader, e *Event) {
	p := tool.Proposal{
		ID: r.option("tool_use_id"), Tool: r.text("tool_name"), Arguments: r.arguments(), Session: e.Session,
	}
	p.Action, e.Listed = c.Tools.Read(p.Tool, p.Arguments, e.place)
	switch e.row.Role {
	case BeforeTool:
		e.Proposal = &p
		return
	case Permission:
		e.Approval = &tool.Approval{Call: callOf(p)}
		return
	default:
	}
	response := r.need("tool_response")
	e.Done = &tool.Done{
		Call: callOf(p), Ran: true, DurationMS: r.milliseconds("duration_ms"),
		Result: tool.Success{Value: response, Content: Show(response)},
	}
}

func callOf(p tool.Proposal) tool.Call {
	return tool.Call{ID: p.ID, Tool: p.Tool, Arguments: p.Arguments, Action: p.Action, Session: p.Session}
}

// step reads what the human wrote. A client does not count its turns and steps.
func (r *reader) step(ref session.Ref) *agent.Step {
	prompt := r.string("prompt")
	return &agent.Step{
		Session: ref, Prompt: prompt,
		Messages: []session.Message{{Role: session.RoleUser, Content: textParts(prompt), Source: session.User{}}},
	}
}

// stopping reads a turn that is about to end. Clients ask at no other end than
// that of a turn that was completed.
func (r *reader) stopping(ref session.Ref) *agent.Stopping {
	s := &agent.Stopping{
		Session: ref, Reason: string(session.EndCompleted),
		LastMessage: r.option("last_assistant_message"), StopActive: r.flag("stop_hook_active"),
	}
	if s.StopActive {
		s.Stops = 1 // at least: a client does not tell how often
	}
	return s
}

// ended reads a subagent that is about to end. The session is that of the agent
// that it works for.
func (r *reader) ended(ref session.Ref) *subagent.Ended {
	ref.Agent = nil
	return &subagent.Ended{
		Session: ref, ID: r.text("agent_id"), Type: r.option("agent_type"), Outcome: subagent.Completed,
		LastMessage: r.option("last_assistant_message"), StopActive: r.flag("stop_hook_active"),
	}
}
