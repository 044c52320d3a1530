package serve

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dsh-lua/dsh/bridges/internal/action"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/session"
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
	// Done is the call that ran; nil at other events.
	Done *tool.Done
	// Listed is false if the table of the client's tools lacks the tool.
	Listed bool

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
	c.call(r, &e)
	return e, r.err
}

func (c *Client) session(r *reader, o Options, in host.Invocation) (session.Ref, action.Place) {
	ref := session.Ref{
		ID: r.option("session_id"), Cwd: directory(r.option("cwd"), in.Dir), Project: o.Project,
		Mode: r.option("permission_mode"), Transcript: r.option("transcript_path"),
		Model: r.option("model"), Turn: r.option(c.Turn), Client: c.Name,
	}
	if ref.Project == "" && c.Project != "" {
		ref.Project = in.Env[c.Project]
	}
	id, kind := r.option("agent_id"), r.option("agent_type")
	if id != "" {
		ref.Agent = &session.AgentRef{ID: id, Type: kind}
	}
	place := action.Place{Cwd: ref.Cwd, Home: in.Env["HOME"], TildeIsName: c.TildeIsName, Resolve: o.Resolve}
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
	if e.row.Role == BeforeTool {
		e.Proposal = &p
		return
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

// A reader takes fields from a payload and keeps the first error.
type reader struct {
	payload value.Value
	err     error
}

func (r *reader) fail(key string, err error) {
	if r.err == nil {
		r.err = fmt.Errorf("payload: %s: %w", key, err)
	}
}

var errMissing = errors.New("missing")

func (r *reader) need(key string) value.Value {
	v := r.payload.Get(key)
	if v.IsAbsent() {
		r.fail(key, errMissing)
	}
	return v
}

// text returns a string that must be there and not be empty.
func (r *reader) text(key string) string {
	s := r.option(key)
	if s == "" {
		r.fail(key, errMissing)
	}
	return s
}

// option returns a string that may be missing or null.
func (r *reader) option(key string) string {
	switch v := r.payload.Get(key); v.Kind() {
	case value.Absent, value.Null:
		return ""
	case value.String:
		return v.String()
	default:
		r.fail(key, fmt.Errorf("want a string, got %s", v.Kind()))
		return ""
	}
}

// arguments returns the input of a tool: an object, or null where a tool takes
// nothing.
func (r *reader) arguments() value.Value {
	const key = "tool_input"
	v := r.need(key)
	switch v.Kind() {
	case value.Object, value.Null, value.Absent:
	default:
		r.fail(key, fmt.Errorf("want an object, got %s", v.Kind()))
	}
	return v
}

// milliseconds returns a duration that may be missing.
func (r *reader) milliseconds(key string) int64 {
	v := r.payload.Get(key)
	if k := v.Kind(); k == value.Absent || k == value.Null {
		return 0
	}
	f, ok := v.Float()
	if !ok || f < 0 {
		r.fail(key, fmt.Errorf("want a number of milliseconds, got %s", v.Kind()))
		return 0
	}
	return int64(f)
}
