package codex

import (
	"slices"
	"sync"
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
func Events() []Event { return slices.Clone(events()) }

// Lookup returns the event with the name.
func Lookup(name string) (Event, bool) {
	i := slices.IndexFunc(events(), func(e Event) bool { return e.Name == name })
	if i < 0 {
		return Event{}, false
	}
	return events()[i], true
}

// Names returns the names of all events.
func Names() []string {
	names := make([]string, len(events()))
	for i, e := range events() {
		names[i] = e.Name
	}
	return names
}

const (
	usualTimeout = 600 * time.Second
	shortTimeout = time.Second
	shortLimit   = 3 * time.Second
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

// events is the table, made when it is first asked for.
var events = sync.OnceValue(func() []Event {
	p := newParts()
	return slices.Concat(p.requests(), p.tools(), p.sessions(), p.turns())
})

// parts are what the rows of the table share.
type parts struct {
	common, answering, deciding, asked, stays []Key

	contexts, block, start, child, place, turn, inMode, call, model []string
}

func newParts() parts {
	p := parts{
		common:   []Key{KeyContinue, KeyStop, KeySuppress, KeySystem},
		stays:    []Key{KeyContinue, KeyStop, KeySuppress},
		contexts: []string{"additionalContext"},
		block:    []string{"block"},
		start:    []string{"session_id", "turn_id"},
		child:    []string{"agent_id", "agent_type"},
		place:    []string{"transcript_path", "cwd", "hook_event_name", "model"},
		model: []string{
			"kind", "request_id", "attempt_number", "session_id", "thread_id", "turn_id", "cwd", "transcript_path", "model", "hook_event_name",
		},
	}
	p.answering = append(slices.Clone(p.common), KeySpecific)
	p.deciding = append(slices.Clone(p.common), KeyDecision, KeyReason)
	p.asked = append(slices.Clone(p.deciding), KeySpecific)
	p.turn = slices.Concat(p.start, p.child, p.place)
	p.inMode = append(slices.Clone(p.turn), "permission_mode")
	p.call = append(slices.Clone(p.inMode), "tool_name", "tool_input")
	return p
}

func (p parts) requests() []Event {
	return []Event{
		{Name: "PreModelRequest", Snake: "pre_model_request", Fields: p.model, Plain: PlainIgnored, StderrError: true, Timeout: usualTimeout},
		{
			Name: "PostModelRequest", Snake: "post_model_request", Plain: PlainIgnored, StderrError: true, Timeout: usualTimeout,
			Fields: fields(p.model, "status", "error", "token_usage", "response_id"),
		},
	}
}

func (p parts) tools() []Event {
	return []Event{
		{
			Name: "PreToolUse", Snake: "pre_tool_use", Subject: "tool_name", Fields: fields(p.call, "tool_use_id"),
			Plain: PlainIgnored, Keys: p.asked, Blocks: true, Unsupported: p.stays, Timeout: usualTimeout,
			Specific:  []string{"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"},
			Decisions: []string{"approve", "block"},
		},
		{
			Name: "PermissionRequest", Snake: "permission_request", Subject: "tool_name", Fields: p.call,
			Plain: PlainIgnored, Keys: p.answering, Blocks: true, Unsupported: p.stays, Timeout: usualTimeout,
			Specific: []string{"decision"},
		},
		{
			Name: "PostToolUse", Snake: "post_tool_use", Subject: "tool_name", Fields: fields(p.call, "tool_response", "tool_use_id"),
			Plain: PlainIgnored, Keys: p.asked, Blocks: true, Unsupported: []Key{KeySuppress}, Timeout: usualTimeout,
			Specific: []string{"additionalContext", "updatedMCPToolOutput"}, Decisions: p.block,
		},
	}
}

func (p parts) sessions() []Event {
	return []Event{
		{
			Name: "PreCompact", Snake: "pre_compact", Subject: "trigger", Fields: fields(p.turn, "trigger"),
			Plain: PlainIgnored, Keys: p.common, StderrError: true, Timeout: usualTimeout,
		},
		{
			Name: "PostCompact", Snake: "post_compact", Subject: "trigger", Fields: fields(p.turn, "trigger"),
			Plain: PlainIgnored, Keys: p.common, StderrError: true, Timeout: usualTimeout,
		},
		{
			Name: "SessionStart", Snake: "session_start", Subject: "source", Plain: PlainContext, Keys: p.answering, Specific: p.contexts,
			Fields: fields("session_id", p.place, "permission_mode", "source"), Timeout: usualTimeout,
		},
		{
			Name: "SessionEnd", Snake: "session_end", Subject: "reason", Plain: PlainIgnored,
			Fields:  []string{"session_id", "transcript_path", "cwd", "hook_event_name", "reason"},
			Timeout: shortTimeout, MaxTimeout: shortLimit, Sync: true, NoMCP: true,
		},
	}
}

func (p parts) turns() []Event {
	return []Event{
		{
			Name: "UserPromptSubmit", Snake: "user_prompt_submit", Fields: fields(p.inMode, "prompt"),
			Plain: PlainContext, Keys: p.asked, Specific: p.contexts, Blocks: true, Decisions: p.block, Timeout: usualTimeout,
		},
		{
			Name: "SubagentStart", Snake: "subagent_start", Subject: "agent_type", Fields: fields(p.start, p.place, "permission_mode", p.child),
			Plain: PlainContext, Keys: p.answering, Specific: p.contexts, Timeout: usualTimeout,
		},
		{
			Name: "SubagentStop", Snake: "subagent_stop", Subject: "agent_type", Plain: PlainInvalid, Keys: p.deciding, Blocks: true, Decisions: p.block,
			Fields: fields(p.start, "transcript_path", "agent_transcript_path", p.place[1:], "permission_mode",
				"stop_hook_active", p.child, "last_assistant_message"), Timeout: usualTimeout,
		},
		{
			Name: "Stop", Snake: "stop", Fields: fields(p.inMode, "stop_hook_active", "last_assistant_message"),
			Plain: PlainInvalid, Keys: p.deciding, Blocks: true, Decisions: p.block, Timeout: usualTimeout,
		},
		{
			Name: "Interrupt", Snake: "interrupt", Fields: fields(p.start, p.place, "permission_mode"),
			Plain: PlainInvalid, Keys: []Key{KeySystem}, Timeout: shortTimeout, MaxTimeout: shortLimit,
		},
	}
}
