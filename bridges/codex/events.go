package codex

import (
	"github.com/dsh-lua/dsh/bridges/internal/serve"
	"github.com/dsh-lua/dsh/runtime/session"
)

// live is what the client does to its session when a tool event's answer asks
// for it: systemMessage, additionalContext. Before a tool it refuses continue
// false, and after one it goes on in spite of it.
var live = []session.Effect{session.EffectTell, session.EffectInject}

// events lists all events that the client sends.
var events = []serve.Row{
	{Name: "PreToolUse", Role: serve.BeforeTool, Can: live},
	{Name: "PostToolUse", Role: serve.AfterTool, Can: live},
	{Name: "PermissionRequest"},
	{Name: "UserPromptSubmit"},
	{Name: "SessionStart"},
	{Name: "SessionEnd"},
	{Name: "Stop"},
	{Name: "Interrupt"},
	{Name: "SubagentStart"},
	{Name: "SubagentStop"},
	{Name: "PreCompact"},
	{Name: "PostCompact"},
	{Name: "PreModelRequest"},
	{Name: "PostModelRequest"},
}
