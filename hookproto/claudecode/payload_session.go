package claudecode

import "encoding/json"

// Running is what the events at the end of a turn know of what still goes on.
// Both lists are [] if there is nothing.
type Running struct {
	BackgroundTasks json.RawMessage `json:"background_tasks"`
	SessionCrons    json.RawMessage `json:"session_crons"`
}

// Stop is sent before a turn ends.
type Stop struct {
	Prefix
	StopHookActive       bool   `json:"stop_hook_active"`
	LastAssistantMessage string `json:"last_assistant_message"`
	Running
}

// StopFailure is sent when a request failed and the turn ends for it.
type StopFailure struct {
	Prefix
	Error                string `json:"error"`
	LastAssistantMessage string `json:"last_assistant_message"`
}

// SubagentStart is sent before a subagent's first request; the prefix names it.
type SubagentStart struct{ Prefix }

// SubagentStop is sent before a subagent ends.
type SubagentStop struct {
	Prefix
	StopHookActive       bool   `json:"stop_hook_active"`
	AgentTranscriptPath  string `json:"agent_transcript_path"`
	LastAssistantMessage string `json:"last_assistant_message"`
	Running
}

// PreCompact is sent before a compaction.
type PreCompact struct {
	Prefix
	Trigger            string  `json:"trigger"`             // manual, auto
	CustomInstructions *string `json:"custom_instructions"` // nil: none
}

// PostCompact is sent after a compaction.
type PostCompact struct {
	Prefix
	Trigger        string `json:"trigger"`
	CompactSummary string `json:"compact_summary"`
}

// Notification is sent when the client wants the user's attention.
type Notification struct {
	Prefix
	Message          string `json:"message"`
	NotificationType string `json:"notification_type"`
}

// SessionEnd is sent as a session ends.
type SessionEnd struct {
	Prefix
	Reason string `json:"reason"`
}

// ModelSwitch is PreModelSwitch and PostModelSwitch.
type ModelSwitch struct {
	Prefix
	FromModel                string      `json:"from_model"`
	ToModel                  string      `json:"to_model"`
	RequestedModel           string      `json:"requested_model"`
	Source                   string      `json:"source"`
	ContextTokens            int         `json:"context_tokens"`
	PromptCacheWarm          bool        `json:"prompt_cache_warm"`
	CacheTTL                 string      `json:"cache_ttl"`
	EstimatedCacheWriteInUSD json.Number `json:"estimated_cache_write_usd"`
	Pricing                  string      `json:"pricing"`
}

// Task is TaskCreated and TaskCompleted.
type Task struct {
	Prefix
	TaskID          string `json:"task_id"`
	TaskSubject     string `json:"task_subject"`
	TaskDescription string `json:"task_description"`
}

// Elicitation is sent when an MCP server asks the user.
type Elicitation struct {
	Prefix
	MCPServerName   string          `json:"mcp_server_name"`
	Message         string          `json:"message"`
	Mode            string          `json:"mode"`
	RequestedSchema json.RawMessage `json:"requested_schema"`
}

// ElicitationResult is sent once the user has answered.
type ElicitationResult struct {
	Prefix
	MCPServerName string `json:"mcp_server_name"`
	Mode          string `json:"mode"`
	Action        string `json:"action"`
}

// ConfigChange is sent when a settings file changed.
type ConfigChange struct {
	Prefix
	Source   string `json:"source"`
	FilePath string `json:"file_path"`
}

// CwdChanged is sent when the session's directory changed.
type CwdChanged struct {
	Prefix
	OldCwd string `json:"old_cwd"`
	NewCwd string `json:"new_cwd"`
}

// FileChanged is sent for a watched file.
type FileChanged struct {
	Prefix
	FilePath string `json:"file_path"`
	Change   string `json:"event"` // change, unlink
}

// DirectoryAdded is sent when the session gained a directory.
type DirectoryAdded struct {
	Prefix
	Directory string `json:"directory"`
	Source    string `json:"source"`
}

// WorktreeCreate asks for a worktree.
type WorktreeCreate struct {
	Prefix
	Name string `json:"name"`
}

// WorktreeRemove is sent when a worktree goes.
type WorktreeRemove struct {
	Prefix
	WorktreePath string `json:"worktree_path"`
}

// MessageDisplay is sent for each piece of a message that is shown.
type MessageDisplay struct {
	Prefix
	TurnID    string `json:"turn_id"`
	MessageID string `json:"message_id"`
	Index     int    `json:"index"`
	Final     bool   `json:"final"`
	Delta     string `json:"delta"`
}
