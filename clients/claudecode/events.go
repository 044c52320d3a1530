package claudecode

import (
	"github.com/dsh-lua/dsh/clients/internal/serve"
	"github.com/dsh-lua/dsh/runtime/session"
)

// live is what the client does to its session when a tool event's answer asks
// for it: continue false, systemMessage, additionalContext. Nothing there adds a
// step to the turn.
var live = []session.Effect{session.EffectHalt, session.EffectTell, session.EffectInject}

// What the client does at the events around a turn. It interrupts the run where a
// permission is refused with that word, and it has no way to end a session that
// begins.
var (
	ask  = []session.Effect{session.EffectHalt, session.EffectTell}
	open = []session.Effect{session.EffectTell, session.EffectInject}
	stop = []session.Effect{session.EffectHalt, session.EffectTell, session.EffectInject, session.EffectSteer}
)

// events lists all events that the client sends.
var events = []serve.Row{
	{Name: "PreToolUse", Role: serve.BeforeTool, Can: live},
	{Name: "PostToolUse", Role: serve.AfterTool, Can: live},
	{Name: "PostToolUseFailure"},
	{Name: "PostToolBatch"},
	{Name: "PermissionRequest", Role: serve.Permission, Can: ask},
	{Name: "PermissionDenied"},
	{Name: "PreSkillShellCommand"},
	{Name: "UserPromptSubmit", Role: serve.Prompt, Can: live},
	{Name: "UserPromptExpansion"},
	{Name: "SessionStart", Role: serve.Start, Can: open},
	{Name: "SessionEnd"},
	{Name: "Setup"},
	{Name: "InstructionsLoaded"},
	{Name: "Stop", Role: serve.Stop, Can: stop, Adds: true},
	{Name: "StopFailure"},
	{Name: "SubagentStart"},
	{Name: "SubagentStop", Role: serve.ChildStop, Can: stop, Adds: true},
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
