package codex

import (
	"slices"
	"time"
)

// A PlainText is what standard output that is no JSON means.
type PlainText string

// What plain text can mean.
const (
	PlainIgnored PlainText = "ignored"
	PlainContext PlainText = "context" // for the model, trimmed
	PlainInvalid PlainText = "invalid" // the run failed
)

// A Key is a name that a hook's output may hold at its top level.
type Key string

// The keys of outputs.
const (
	KeyContinue Key = "continue"
	KeyStop     Key = "stopReason"
	KeySuppress Key = "suppressOutput"
	KeySystem   Key = "systemMessage"
	KeyDecision Key = "decision"
	KeyReason   Key = "reason"
	KeySpecific Key = "hookSpecificOutput"
)

// An Event is one row of the client's table.
type Event struct {
	Name  string
	Snake string // in state keys and trust hashes
	// Subject is the payload field that matchers are held against; "" if the
	// event has none and ignores them.
	Subject string
	Fields  []string // of the payload, in their order

	Plain PlainText
	// Keys lists the top-level keys of a valid output; nil: output is never read.
	Keys []Key
	// Specific lists the keys of hookSpecificOutput beside hookEventName.
	Specific []string
	// Blocks tells that exit status 2 with a reason on stderr blocks.
	Blocks bool
	// Unsupported lists common keys that the schema allows and the client then
	// refuses; the run fails.
	Unsupported []Key
	// StderrError tells that a failed run shows its stderr.
	StderrError bool

	Timeout    time.Duration // if the handler gives none
	MaxTimeout time.Duration // 0: no limit
	Sync       bool          // async handlers run synchronously
	NoMCP      bool          // mcp_tool handlers are skipped
	Decisions  []string      // values of the decision key
}

// Events returns all events of the client, in the order in which one file's
// handlers are listed.
func Events() []Event { return slices.Clone(events) }

// Lookup returns the event with the name.
func Lookup(name string) (Event, bool) {
	i := slices.IndexFunc(events, func(e Event) bool { return e.Name == name })
	if i < 0 {
		return Event{}, false
	}
	return events[i], true
}

// Names returns the names of all events.
func Names() []string {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = e.Name
	}
	return names
}

const (
	usualTimeout = 600 * time.Second
	shortTimeout = time.Second
	shortLimit   = 3 * time.Second
)

var (
	common    = []Key{KeyContinue, KeyStop, KeySuppress, KeySystem}
	answering = append(slices.Clone(common), KeySpecific)
	deciding  = append(slices.Clone(common), KeyDecision, KeyReason)
	asked     = append(slices.Clone(deciding), KeySpecific)

	contexts = []string{"additionalContext"}
	block    = []string{"block"}

	start  = []string{"session_id", "turn_id"}
	child  = []string{"agent_id", "agent_type"}
	place  = []string{"transcript_path", "cwd", "hook_event_name", "model"}
	turn   = slices.Concat(start, child, place)
	inMode = append(slices.Clone(turn), "permission_mode")
	call   = append(slices.Clone(inMode), "tool_name", "tool_input")
	model  = []string{"kind", "request_id", "attempt_number", "session_id", "thread_id", "turn_id", "cwd", "transcript_path", "model", "hook_event_name"}
	stays  = []Key{KeyContinue, KeyStop, KeySuppress}
)

// fields returns a payload's fields from its parts.
func fields(parts ...any) []string {
	var all []string
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			all = append(all, p)
		case []string:
			all = append(all, p...)
		}
	}
	return all
}

var events = []Event{
	{Name: "PreModelRequest", Snake: "pre_model_request", Fields: model, Plain: PlainIgnored, StderrError: true, Timeout: usualTimeout},
	{
		Name: "PostModelRequest", Snake: "post_model_request", Plain: PlainIgnored, StderrError: true, Timeout: usualTimeout,
		Fields: fields(model, "status", "error", "token_usage", "response_id"),
	},
	{
		Name: "PreToolUse", Snake: "pre_tool_use", Subject: "tool_name", Fields: fields(call, "tool_use_id"),
		Plain: PlainIgnored, Keys: asked, Blocks: true, Unsupported: stays, Timeout: usualTimeout,
		Specific:  []string{"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"},
		Decisions: []string{"approve", "block"},
	},
	{
		Name: "PermissionRequest", Snake: "permission_request", Subject: "tool_name", Fields: call,
		Plain: PlainIgnored, Keys: answering, Blocks: true, Unsupported: stays, Timeout: usualTimeout,
		Specific: []string{"decision"},
	},
	{
		Name: "PostToolUse", Snake: "post_tool_use", Subject: "tool_name", Fields: fields(call, "tool_response", "tool_use_id"),
		Plain: PlainIgnored, Keys: asked, Blocks: true, Unsupported: []Key{KeySuppress}, Timeout: usualTimeout,
		Specific: []string{"additionalContext", "updatedMCPToolOutput"}, Decisions: block,
	},
	{
		Name: "PreCompact", Snake: "pre_compact", Subject: "trigger", Fields: fields(turn, "trigger"),
		Plain: PlainIgnored, Keys: common, StderrError: true, Timeout: usualTimeout,
	},
	{
		Name: "PostCompact", Snake: "post_compact", Subject: "trigger", Fields: fields(turn, "trigger"),
		Plain: PlainIgnored, Keys: common, StderrError: true, Timeout: usualTimeout,
	},
	{
		Name: "SessionStart", Snake: "session_start", Subject: "source", Plain: PlainContext, Keys: answering, Specific: contexts,
		Fields: fields("session_id", place, "permission_mode", "source"), Timeout: usualTimeout,
	},
	{
		Name: "SessionEnd", Snake: "session_end", Subject: "reason", Plain: PlainIgnored,
		Fields:  []string{"session_id", "transcript_path", "cwd", "hook_event_name", "reason"},
		Timeout: shortTimeout, MaxTimeout: shortLimit, Sync: true, NoMCP: true,
	},
	{
		Name: "UserPromptSubmit", Snake: "user_prompt_submit", Fields: fields(inMode, "prompt"),
		Plain: PlainContext, Keys: asked, Specific: contexts, Blocks: true, Decisions: block, Timeout: usualTimeout,
	},
	{
		Name: "SubagentStart", Snake: "subagent_start", Subject: "agent_type", Fields: fields(start, place, "permission_mode", child),
		Plain: PlainContext, Keys: answering, Specific: contexts, Timeout: usualTimeout,
	},
	{
		Name: "SubagentStop", Snake: "subagent_stop", Subject: "agent_type", Plain: PlainInvalid, Keys: deciding, Blocks: true, Decisions: block,
		Fields: fields(start, "transcript_path", "agent_transcript_path", place[1:], "permission_mode",
			"stop_hook_active", child, "last_assistant_message"), Timeout: usualTimeout,
	},
	{
		Name: "Stop", Snake: "stop", Fields: fields(inMode, "stop_hook_active", "last_assistant_message"),
		Plain: PlainInvalid, Keys: deciding, Blocks: true, Decisions: block, Timeout: usualTimeout,
	},
	{
		Name: "Interrupt", Snake: "interrupt", Fields: fields(start, place, "permission_mode"),
		Plain: PlainInvalid, Keys: []Key{KeySystem}, Timeout: shortTimeout, MaxTimeout: shortLimit,
	},
}
