package codex

import (
	"encoding/json"

	"github.com/dsh-lua/dsh/hookproto/payload"
)

// The payloads of the events, as a hook reads them on its standard input. Fields
// stand in the client's order; those of a subagent are left out outside of one,
// and those that can be null are pointers.

// A Payload is what every turn's payload begins with.
type Payload struct {
	SessionID string
	TurnID    string
	AgentID   string // "": not in a subagent
	AgentType string
	// TranscriptPath is nil if the session keeps none.
	TranscriptPath *string
	Cwd            string
	Model          string
	// PermissionMode is default, acceptEdits, plan, dontAsk or bypassPermissions.
	PermissionMode string
}

// A Call is the tool call of a payload.
type Call struct {
	Name  string
	Input json.RawMessage
	ID    string
}

// open writes what a turn's payload has in front of its own fields.
func (p Payload) open(event string) *payload.Object {
	o := new(payload.Object).Text("session_id", p.SessionID).Text("turn_id", p.TurnID)
	if p.AgentID != "" {
		o.Text("agent_id", p.AgentID).Text("agent_type", p.AgentType)
	}
	return p.place(o, event)
}

func (p Payload) place(o *payload.Object, event string) *payload.Object {
	return o.Nullable("transcript_path", p.TranscriptPath).Text("cwd", p.Cwd).Text("hook_event_name", event).Text("model", p.Model)
}

func (p Payload) mode(o *payload.Object) *payload.Object {
	return o.Text("permission_mode", p.PermissionMode)
}

// SessionStart: source is startup, resume, clear, compact or fork.
func (p Payload) SessionStart(source string) []byte {
	o := p.place(new(payload.Object).Text("session_id", p.SessionID), "SessionStart")
	return p.mode(o).Text("source", source).Bytes()
}

// SessionEnd: the client always gives the reason "other".
func (p Payload) SessionEnd(reason string) []byte {
	return new(payload.Object).Text("session_id", p.SessionID).Nullable("transcript_path", p.TranscriptPath).
		Text("cwd", p.Cwd).Text("hook_event_name", "SessionEnd").Text("reason", reason).Bytes()
}

// UserPromptSubmit is the payload of a prompt.
func (p Payload) UserPromptSubmit(prompt string) []byte {
	return p.mode(p.open("UserPromptSubmit")).Text("prompt", prompt).Bytes()
}

func (p Payload) call(event string, c Call) *payload.Object {
	return p.mode(p.open(event)).Text("tool_name", c.Name).Raw("tool_input", c.Input)
}

// PreToolUse is the payload of a call that is about to run.
func (p Payload) PreToolUse(c Call) []byte {
	return p.call("PreToolUse", c).Text("tool_use_id", c.ID).Bytes()
}

// PermissionRequest is the payload of a call that needs approval. It has no id.
func (p Payload) PermissionRequest(c Call) []byte { return p.call("PermissionRequest", c).Bytes() }

// PostToolUse is the payload of a call that has run.
func (p Payload) PostToolUse(c Call, response json.RawMessage) []byte {
	return p.call("PostToolUse", c).Raw("tool_response", response).Text("tool_use_id", c.ID).Bytes()
}

// Stop is the payload of a turn that is about to end.
func (p Payload) Stop(active bool, lastMessage *string) []byte {
	return p.mode(p.open("Stop")).Bool("stop_hook_active", active).Nullable("last_assistant_message", lastMessage).Bytes()
}

// Interrupt is the payload of a turn that was interrupted.
func (p Payload) Interrupt() []byte { return p.mode(p.open("Interrupt")).Bytes() }

// SubagentStart: AgentID and AgentType stand behind the other fields here.
func (p Payload) SubagentStart() []byte {
	return p.mode(p.place(p.ids(), "SubagentStart")).Text("agent_id", p.AgentID).Text("agent_type", p.AgentType).Bytes()
}

func (p Payload) ids() *payload.Object {
	return new(payload.Object).Text("session_id", p.SessionID).Text("turn_id", p.TurnID)
}

// SubagentStop: TranscriptPath is the parent's, agentTranscript the child's.
func (p Payload) SubagentStop(active bool, agentTranscript, lastMessage *string) []byte {
	o := p.ids().Nullable("transcript_path", p.TranscriptPath).Nullable("agent_transcript_path", agentTranscript).
		Text("cwd", p.Cwd).Text("hook_event_name", "SubagentStop").Text("model", p.Model)
	return p.mode(o).Bool("stop_hook_active", active).Text("agent_id", p.AgentID).Text("agent_type", p.AgentType).
		Nullable("last_assistant_message", lastMessage).Bytes()
}

// PreCompact: trigger is manual or auto.
func (p Payload) PreCompact(trigger string) []byte {
	return p.open("PreCompact").Text("trigger", trigger).Bytes()
}

// PostCompact: trigger is manual or auto.
func (p Payload) PostCompact(trigger string) []byte {
	return p.open("PostCompact").Text("trigger", trigger).Bytes()
}

// A ModelRequest is one request to the model.
type ModelRequest struct {
	Kind      string // "sampling"
	RequestID string
	Attempt   int // from 1
	ThreadID  string
}

// A ModelResult is how a request ended.
type ModelResult struct {
	Status     string          // completed or failed
	Error      *string         // nil: none
	TokenUsage json.RawMessage // nil: unknown
	ResponseID *string         // nil: none
}

func (p Payload) request(event string, r ModelRequest) *payload.Object {
	return new(payload.Object).Text("kind", r.Kind).Text("request_id", r.RequestID).Int("attempt_number", r.Attempt).
		Text("session_id", p.SessionID).Text("thread_id", r.ThreadID).Text("turn_id", p.TurnID).Text("cwd", p.Cwd).
		Nullable("transcript_path", p.TranscriptPath).Text("model", p.Model).Text("hook_event_name", event)
}

// PreModelRequest is the payload of a request that is about to be sent.
func (p Payload) PreModelRequest(r ModelRequest) []byte {
	return p.request("PreModelRequest", r).Bytes()
}

// PostModelRequest is the payload of a request that has ended.
func (p Payload) PostModelRequest(r ModelRequest, result ModelResult) []byte {
	return p.request("PostModelRequest", r).Text("status", result.Status).Nullable("error", result.Error).
		Raw("token_usage", result.TokenUsage).Nullable("response_id", result.ResponseID).Bytes()
}
