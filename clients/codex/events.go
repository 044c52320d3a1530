package codex

import (
	"github.com/dsh-lua/dsh/clients/internal/serve"
	"github.com/dsh-lua/dsh/runtime/session"
)

// live is what the client does to its session when a tool event's answer asks
// for it: systemMessage, additionalContext. Before a tool it refuses continue
// false, and after one it goes on in spite of it.
var live = []session.Effect{session.EffectTell, session.EffectInject}

// What the client does at the events around a turn.
var (
	ask  = []session.Effect{session.EffectTell}
	turn = []session.Effect{session.EffectHalt, session.EffectTell, session.EffectInject}
	stop = []session.Effect{session.EffectHalt, session.EffectTell, session.EffectInject, session.EffectSteer}
)

// maxGoOn is how often policies can make one turn go on. The client itself would
// let them for ever.
const maxGoOn = 8

// events lists all events that the client sends.
var events = []serve.Row{
	{Name: "PreToolUse", Role: serve.BeforeTool, Can: live},
	{Name: "PostToolUse", Role: serve.AfterTool, Can: live},
	{Name: "PermissionRequest", Role: serve.Permission, Can: ask},
	{Name: "UserPromptSubmit", Role: serve.Prompt, Can: turn},
	{Name: "SessionStart", Role: serve.Start, Can: turn},
	{Name: "SessionEnd"},
	{Name: "Stop", Role: serve.Stop, Can: stop, GoOn: maxGoOn},
	{Name: "Interrupt"},
	{Name: "SubagentStart"},
	{Name: "SubagentStop", Role: serve.ChildStop, Can: stop, GoOn: maxGoOn},
	{Name: "PreCompact"},
	{Name: "PostCompact"},
	{Name: "PreModelRequest"},
	{Name: "PostModelRequest"},
}
