package claudecode

import (
	"encoding/json"

	"github.com/dsh-lua/dsh/hookproto/payload"
)

// Marshal encodes one of the payloads below the way the client writes it to a
// hook's standard input: compact, with one newline at the end.
func Marshal(p any) ([]byte, error) {
	data, err := payload.Marshal(p)
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

// An Effort is how much the model thinks, if it can be told.
type Effort struct {
	Level string `json:"level"`
}

// A Prefix is what every payload begins with. What the event or the situation
// does not have is left zero, and then left out:
//
//   - PromptID before the first prompt, and at SessionStart unless after compaction;
//   - PermissionMode and Effort on events that do not carry them;
//   - AgentID and AgentType outside of a subagent. AgentType alone is that of a
//     session started as an agent; within a subagent it may be an empty text.
type Prefix struct {
	SessionID      string  `json:"session_id"`
	TranscriptPath string  `json:"transcript_path"`
	Cwd            string  `json:"cwd"`
	PromptID       string  `json:"prompt_id,omitempty"`
	PermissionMode string  `json:"permission_mode,omitempty"`
	AgentID        string  `json:"agent_id,omitempty"`
	AgentType      *string `json:"agent_type,omitempty"`
	Effort         *Effort `json:"effort,omitempty"`
	Event          string  `json:"hook_event_name"`
}

// A Call is a tool call: its name, and its input with paths made absolute.
type Call struct {
	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"`
}

// An MCPServer is where an MCP tool comes from.
type MCPServer struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

// SessionStart is sent before the first request of a session, and again when it
// goes on after a compaction or under a new id.
type SessionStart struct {
	Prefix
	Source string `json:"source"` // startup, resume, clear, compact, fork
	Model  string `json:"model,omitempty"`
	*Resumed
}

// A Resumed is what SessionStart knows of a session that goes on.
type Resumed struct {
	SecondsSinceLastResponse json.Number `json:"seconds_since_last_response"`
	ContextTokens            int         `json:"context_tokens"`
	PromptCacheLikelyExpired bool        `json:"prompt_cache_likely_expired"`
	EstimatedCacheWriteInUSD json.Number `json:"estimated_cache_write_usd"`
}

// Setup is sent for --init and --maintenance.
type Setup struct {
	Prefix
	Trigger string `json:"trigger"` // init, maintenance
}

// InstructionsLoaded is sent for each instructions file.
type InstructionsLoaded struct {
	Prefix
	FilePath        string `json:"file_path"`
	MemoryType      string `json:"memory_type"`
	LoadReason      string `json:"load_reason"` // session_start, nested_traversal, include
	TriggerFilePath string `json:"trigger_file_path,omitempty"`
	ParentFilePath  string `json:"parent_file_path,omitempty"`
}

// UserPromptSubmit is sent for each prompt.
type UserPromptSubmit struct {
	Prefix
	Prompt string `json:"prompt"`
}

// UserPromptExpansion is sent for a slash command.
type UserPromptExpansion struct {
	Prefix
	ExpansionType string `json:"expansion_type"`
	CommandName   string `json:"command_name"`
	CommandArgs   string `json:"command_args"`
	CommandSource string `json:"command_source"`
	Prompt        string `json:"prompt"`
}

// PreSkillShellCommand is sent before a command of a skill runs.
type PreSkillShellCommand struct {
	Prefix
	Call
	ToolUseID     string `json:"tool_use_id"`
	CommandName   string `json:"command_name"`
	CommandSource string `json:"command_source"`
	InvokedBy     string `json:"invoked_by"`
}

// PreToolUse is sent before a call runs.
type PreToolUse struct {
	Prefix
	Call
	ToolUseID string     `json:"tool_use_id"`
	MCPServer *MCPServer `json:"mcp_server,omitempty"`
}

// PermissionRequest is sent when the user would be asked. It has no id.
type PermissionRequest struct {
	Prefix
	Call
	PermissionSuggestions json.RawMessage `json:"permission_suggestions,omitempty"`
}

// PermissionDenied is sent when the classifier of auto mode has denied a call.
type PermissionDenied struct {
	Prefix
	Call
	ToolUseID string `json:"tool_use_id"`
	Reason    string `json:"reason"`
}

// PostToolUse is sent after a call has succeeded.
type PostToolUse struct {
	Prefix
	Call
	ToolResponse json.RawMessage `json:"tool_response"` // in the tool's own shape
	ToolUseID    string          `json:"tool_use_id"`
	DurationMS   int64           `json:"duration_ms"`
	MCPServer    *MCPServer      `json:"mcp_server,omitempty"`
}

// PostToolUseFailure is sent after a call has failed.
type PostToolUseFailure struct {
	Prefix
	Call
	ToolUseID   string     `json:"tool_use_id"`
	Error       string     `json:"error"`
	IsInterrupt bool       `json:"is_interrupt"`
	DurationMS  int64      `json:"duration_ms"`
	MCPServer   *MCPServer `json:"mcp_server,omitempty"`
}

// PostToolBatch is sent once all calls of a response are done.
type PostToolBatch struct {
	Prefix
	ToolCalls []BatchCall `json:"tool_calls"`
}

// A BatchCall is one call of a batch, with the response that the model sees: a
// string or a list of blocks.
type BatchCall struct {
	Call
	ToolUseID    string          `json:"tool_use_id"`
	ToolResponse json.RawMessage `json:"tool_response"`
}
