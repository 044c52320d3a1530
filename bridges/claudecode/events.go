package claudecode

import (
	"github.com/dsh-lua/dsh/bridges/internal/serve"
	"github.com/dsh-lua/dsh/runtime/session"
)

// live is what the client does to its session when a tool event's answer asks
// for it: continue false, systemMessage, additionalContext. Nothing there adds a
// step to the turn.
var live = []session.Effect{session.EffectHalt, session.EffectTell, session.EffectInject}

// events lists all events that the client sends.
var events = []serve.Row{
	{Name: "PreToolUse", Role: serve.BeforeTool, Can: live},
	{Name: "PostToolUse", Role: serve.AfterTool, Can: live},
	{Name: "PostToolUseFailure"},
	{Name: "PostToolBatch"},
	{Name: "PermissionRequest"},
	{Name: "PermissionDenied"},
	{Name: "PreSkillShellCommand"},
	{Name: "UserPromptSubmit"},
	{Name: "UserPromptExpansion"},
	{Name: "SessionStart"},
	{Name: "SessionEnd"},
	{Name: "Setup"},
	{Name: "InstructionsLoaded"},
	{Name: "Stop"},
	{Name: "StopFailure"},
	{Name: "SubagentStart"},
	{Name: "SubagentStop"},
	{Name: "TeammateIdle"},
	{Name: "PreCompact"},
	{Name: "PostCompact"},
	{Name: "PreModelSwitch"},
	{Name: "PostModelSwitch"},
	{Name: "Notification"},
	{Name: "MessageDisplay"},
	{Name: "TaskCreated"},
	{Name: "TaskCompleted"},
	{Name: "Elicitation"},
	{Name: "ElicitationResult"},
	{Name: "ConfigChange"},
	{Name: "CwdChanged"},
	{Name: "FileChanged"},
	{Name: "DirectoryAdded"},
	{Name: "WorktreeCreate"},
	{Name: "WorktreeRemove"},
}
