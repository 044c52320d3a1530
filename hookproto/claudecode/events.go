package claudecode

import (
	"slices"
	"sync"
	"time"
)

// An Event is one row of the client's table.
type Event struct {
	Name string
	// Subject is the payload field that matchers are held against; "" if the
	// event has none and ignores them.
	Subject    string
	Permission bool          // the payload has permission_mode
	Effort     bool          // the payload has effort, where the model has effort levels
	Strict     bool          // one bad entry drops its whole file
	Tool       bool          // it is about a tool call, so that "if" can hold
	Timeout    time.Duration // of commands that give none
	Env        bool          // CLAUDE_ENV_FILE is set
	Effects    Effects
	// Specific lists the fields of hookSpecificOutput beside hookEventName; nil:
	// the event has none.
	Specific map[string]fieldKind
}

// Effects is what an output of an event can do. What is not listed has none.
type Effects struct {
	Block     bool // exit status 2 and decision: block
	Decide    bool // allow, ask, defer and deny about a tool call
	Halt      bool // continue: false
	BlockHalt bool // a block is also a halt
	HaltWins  bool // a halt takes the blocks of the others back
	LastBlock bool // the last block to complete gives the reason, not the first
	Context   bool // additionalContext
	Plain     bool // standard output that is no JSON is context
	Input     bool // updatedInput
	Output    bool // updatedToolOutput, updatedMCPToolOutput
	Answer    bool // decision.behavior answers for the user
	Kills     bool // the first block ends the handlers that still run
	Detached  bool // handlers are not awaited
}

// Time-outs of commands that give none.
const (
	defaultTimeout = 600 * time.Second
	promptTimeout  = 30 * time.Second
	displayTimeout = 10 * time.Second
	endTimeout     = 1500 * time.Millisecond
)

// events is the client's table, made when it is first asked for.
var events = sync.OnceValue(func() []Event {
	contextOnly := map[string]fieldKind{"additionalContext": stringField}
	preTool := map[string]fieldKind{
		"permissionDecision": decisionField, "permissionDecisionReason": stringField, "updatedInput": objectField, "additionalContext": stringField,
	}
	watch := map[string]fieldKind{"watchPaths": stringsField}
	elicit := map[string]fieldKind{"action": actionField, "content": objectField}
	return []Event{
		{
			Name: "PreToolUse", Subject: "tool_name", Permission: true, Effort: true, Strict: true, Tool: true, Specific: preTool,
			Effects: Effects{Block: true, Decide: true, Halt: true, LastBlock: true, Context: true, Input: true},
		},
		{
			Name: "PostToolUse", Subject: "tool_name", Permission: true, Effort: true, Tool: true,
			Specific: map[string]fieldKind{"additionalContext": stringField, "updatedToolOutput": anyField, "updatedMCPToolOutput": anyField},
			Effects:  Effects{Block: true, Halt: true, Context: true, Output: true},
		},
		{
			Name: "PostToolUseFailure", Subject: "tool_name", Permission: true, Effort: true, Tool: true, Specific: contextOnly,
			Effects: Effects{Block: true, Context: true},
		},
		{
			Name: "PostToolBatch", Permission: true, Effort: true, Specific: contextOnly,
			Effects: Effects{Block: true, BlockHalt: true, Halt: true, Context: true},
		},
		{Name: "Notification", Subject: "notification_type", Specific: contextOnly},
		{
			Name: "UserPromptSubmit", Permission: true, Timeout: promptTimeout,
			Specific: map[string]fieldKind{"additionalContext": stringField, "sessionTitle": stringField, "suppressOriginalPrompt": boolField},
			Effects:  Effects{Block: true, Halt: true, Context: true, Plain: true, Kills: true},
		},
		{
			Name: "UserPromptExpansion", Subject: "command_name", Permission: true, Specific: contextOnly,
			Effects: Effects{Block: true, Halt: true, Context: true, Plain: true},
		},
		{
			Name: "SessionStart", Subject: "source", Env: true,
			Specific: map[string]fieldKind{"additionalContext": stringField, "initialUserMessage": stringField, "sessionTitle": stringField, "watchPaths": stringsField},
			Effects:  Effects{Context: true, Plain: true},
		},
		{Name: "SessionEnd", Subject: "reason", Timeout: endTimeout},
		{
			Name: "Stop", Permission: true, Effort: true, Specific: contextOnly,
			Effects: Effects{Block: true, Halt: true, HaltWins: true, Context: true},
		},
		{Name: "StopFailure", Subject: "error", Effort: true},
		{Name: "SubagentStart", Subject: "agent_type", Specific: contextOnly, Effects: Effects{Context: true}},
		{
			Name: "SubagentStop", Subject: "agent_type", Permission: true, Effort: true, Specific: contextOnly,
			Effects: Effects{Block: true, Context: true},
		},
		{Name: "PreCompact", Subject: "trigger", Effects: Effects{Block: true, Plain: true}},
		{Name: "PostCompact", Subject: "trigger"},
		{Name: "PreModelSwitch", Subject: "to_model", Effects: Effects{Block: true}},
		{Name: "PostModelSwitch", Subject: "to_model"},
		{
			Name: "PermissionRequest", Subject: "tool_name", Permission: true, Effort: true, Strict: true, Tool: true,
			Specific: map[string]fieldKind{"decision": behaviorField}, Effects: Effects{Answer: true, Input: true},
		},
		{Name: "PermissionDenied", Subject: "tool_name", Permission: true, Effort: true, Tool: true, Specific: map[string]fieldKind{"retry": boolField}},
		{Name: "Setup", Subject: "trigger", Env: true, Specific: contextOnly},
		{Name: "TeammateIdle"},
		{Name: "TaskCreated", Effects: Effects{Block: true}},
		{Name: "TaskCompleted", Effects: Effects{Block: true}},
		{Name: "Elicitation", Subject: "mcp_server_name", Specific: elicit},
		{Name: "ElicitationResult", Subject: "mcp_server_name", Specific: elicit},
		{Name: "ConfigChange", Subject: "source", Effects: Effects{Block: true}},
		{Name: "WorktreeCreate", Specific: map[string]fieldKind{"worktreePath": stringField}},
		{Name: "WorktreeRemove"},
		{Name: "InstructionsLoaded", Subject: "load_reason", Effects: Effects{Detached: true}},
		{Name: "CwdChanged", Env: true, Specific: watch},
		{Name: "FileChanged", Subject: "file_path", Env: true, Specific: watch},
		{Name: "DirectoryAdded", Subject: "directory"},
		{Name: "MessageDisplay", Timeout: displayTimeout, Specific: map[string]fieldKind{"displayContent": stringField}},
		{
			Name: "PreSkillShellCommand", Subject: "tool_name", Permission: true, Effort: true, Tool: true, Specific: preTool,
			Effects: Effects{Block: true, LastBlock: true},
		},
	}
})

// Events returns the client's events, in its own order.
func Events() []Event { return slices.Clone(events()) }

// Lookup returns the row of an event.
func Lookup(name string) (Event, bool) {
	i := slices.IndexFunc(events(), func(e Event) bool { return e.Name == name })
	if i < 0 {
		return Event{}, false
	}
	return events()[i], true
}

// timeout is the time-out of commands that give none.
func (e Event) timeout() time.Duration {
	if e.Timeout == 0 {
		return defaultTimeout
	}
	return e.Timeout
}

// aliases lists other names under which matchers and rules know a subject.
var aliases = map[string][]string{"Agent": {"Task"}}
