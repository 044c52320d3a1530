package codex

import (
	"encoding/json"

	"github.com/dsh-lua/dsh/hookproto/payload"
)

// Marshal encodes one of the payloads below the way the client writes it to a
// hook's standard input: compact, and without a newline at the end.
func Marshal(p any) ([]byte, error) { return payload.Marshal(p) }

// A Child is the subagent that a payload comes from; its fields are left out
// outside of one.
type Child struct {
	AgentID   string `json:"agent_id,omitempty"`
	AgentType string `json:"agent_type,omitempty"`
}

// A Turn is what the payload of a turn begins with.
type Turn struct {
	SessionID string `json:"session_id"` // of the root session, also in a subagent
	TurnID    string `json:"turn_id"`
}

// A Where is the middle of every payload that knows its model.
type Where struct {
	TranscriptPath *string `json:"transcript_path"` // nil: the session keeps none
	Cwd            string  `json:"cwd"`             // of the call, else of the session
	Event          string  `json:"hook_event_name"`
	Model          string  `json:"model"`
}

// A Mode is default, acceptEdits, plan, dontAsk or bypassPermissions.
type Mode struct {
	PermissionMode string `json:"permission_mode"`
}

// A Call is a tool call.
type Call struct {
	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"`
}

// SessionStart is sent before the first turn, and after compaction.
type SessionStart struct {
	SessionID string `json:"session_id"`
	Where
	Mode
	Source string `json:"source"` // startup, resume, clear, compact, fork
}

// SessionEnd is sent as the session closes.
type SessionEnd struct {
	SessionID      string  `json:"session_id"`
	TranscriptPath *string `json:"transcript_path"`
	Cwd            string  `json:"cwd"`
	Event          string  `json:"hook_event_name"`
	Reason         string  `json:"reason"` // always "other"
}

// UserPromptSubmit is sent for a prompt, also for a subagent's task.
type UserPromptSubmit struct {
	Turn
	Child
	Where
	Mode
	Prompt string `json:"prompt"`
}

// PreToolUse is sent before a call runs.
type PreToolUse struct {
	Turn
	Child
	Where
	Mode
	Call
	ToolUseID string `json:"tool_use_id"`
}

// PermissionRequest is sent for a call that needs approval. It has no id.
type PermissionRequest struct {
	Turn
	Child
	Where
	Mode
	Call
}

// PostToolUse is sent after a call has run. The response of a shell call is the
// text that the model sees.
type PostToolUse struct {
	Turn
	Child
	Where
	Mode
	Call
	ToolResponse json.RawMessage `json:"tool_response"`
	ToolUseID    string          `json:"tool_use_id"`
}

// Stop is sent before a turn ends.
type Stop struct {
	Turn
	Child
	Where
	Mode
	StopHookActive       bool    `json:"stop_hook_active"`
	LastAssistantMessage *string `json:"last_assistant_message"` // nil: none
}

// Interrupt is sent after a turn was interrupted.
type Interrupt struct {
	Turn
	Where
	Mode
}

// SubagentStart is sent before a subagent's first turn.
type SubagentStart struct {
	Turn
	Where
	Mode
	AgentID   string `json:"agent_id"`
	AgentType string `json:"agent_type"`
}

// SubagentStop is sent before a subagent's turn ends. TranscriptPath is its
// parent's.
type SubagentStop struct {
	Turn
	TranscriptPath       *string `json:"transcript_path"`
	AgentTranscriptPath  *string `json:"agent_transcript_path"`
	Cwd                  string  `json:"cwd"`
	Event                string  `json:"hook_event_name"`
	Model                string  `json:"model"`
	PermissionMode       string  `json:"permission_mode"`
	StopHookActive       bool    `json:"stop_hook_active"`
	AgentID              string  `json:"agent_id"`
	AgentType            string  `json:"agent_type"`
	LastAssistantMessage *string `json:"last_assistant_message"`
}

// Compact is sent before and after compaction, as PreCompact and PostCompact.
type Compact struct {
	Turn
	Child
	Where
	Trigger string `json:"trigger"` // manual, auto
}

// PreModelRequest is sent before a request to the model.
type PreModelRequest struct {
	Kind           string  `json:"kind"` // sampling
	RequestID      string  `json:"request_id"`
	AttemptNumber  int     `json:"attempt_number"` // from 1
	SessionID      string  `json:"session_id"`
	ThreadID       string  `json:"thread_id"`
	TurnID         string  `json:"turn_id"`
	Cwd            string  `json:"cwd"`
	TranscriptPath *string `json:"transcript_path"`
	Model          string  `json:"model"`
	Event          string  `json:"hook_event_name"`
}

// PostModelRequest is sent after a request to the model.
type PostModelRequest struct {
	PreModelRequest
	Status     string          `json:"status"` // completed, failed
	Error      *string         `json:"error"`
	TokenUsage json.RawMessage `json:"token_usage"` // nil: null
	ResponseID *string         `json:"response_id"`
}
