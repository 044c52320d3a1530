package codex

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/bridges/internal/hooks"
	clients "github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/runtime/value"
)

// payloads make what hooks of each event read.
var payloads = map[string]func(*hooks.Firing) any{
	hooks.SessionStart: func(f *hooks.Firing) any {
		return codex.SessionStart{SessionID: f.Main.ID, Where: where(f), Mode: mode(f), Source: f.Source}
	},
	hooks.SessionEnd: func(f *hooks.Firing) any {
		return codex.SessionEnd{SessionID: f.Main.ID, TranscriptPath: path(f.Session.Transcript), Cwd: f.Session.Cwd, Event: f.Event, Reason: endReason}
	},
	hooks.UserPromptSubmit: func(f *hooks.Firing) any {
		return codex.UserPromptSubmit{Turn: turnOf(f), Child: child(f), Where: where(f), Mode: mode(f), Prompt: f.Prompt}
	},
	hooks.PreToolUse: func(f *hooks.Firing) any {
		return codex.PreToolUse{Turn: turnOf(f), Child: child(f), Where: where(f), Mode: mode(f), Call: call(f), ToolUseID: f.CallID}
	},
	hooks.PermissionRequest: func(f *hooks.Firing) any {
		return codex.PermissionRequest{Turn: turnOf(f), Child: child(f), Where: where(f), Mode: mode(f), Call: questioned(f)}
	},
	hooks.PostToolUse: func(f *hooks.Firing) any {
		return codex.PostToolUse{
			Turn: turnOf(f), Child: child(f), Where: where(f), Mode: mode(f), Call: call(f),
			ToolResponse: f.Call.Response(*f.Done).AppendJSON(nil), ToolUseID: f.CallID,
		}
	},
	hooks.Stop: func(f *hooks.Firing) any {
		return codex.Stop{
			Turn: turnOf(f), Child: child(f), Where: where(f), Mode: mode(f),
			StopHookActive: f.StopActive, LastAssistantMessage: path(f.LastMessage),
		}
	},
	hooks.Interrupt: func(f *hooks.Firing) any {
		return codex.Interrupt{Turn: turnOf(f), Where: where(f), Mode: mode(f)}
	},
	hooks.SubagentStart: func(f *hooks.Firing) any {
		c, w := child(f), where(f)
		w.TranscriptPath = path(f.ChildLog)
		return codex.SubagentStart{Turn: turnOf(f), Where: w, Mode: mode(f), AgentID: c.AgentID, AgentType: c.AgentType}
	},
	hooks.SubagentStop: func(f *hooks.Firing) any {
		c := child(f)
		return codex.SubagentStop{
			Turn: turnOf(f), TranscriptPath: path(f.Main.Transcript), AgentTranscriptPath: path(f.Session.Transcript),
			Cwd: f.Session.Cwd, Event: f.Event, Model: f.Session.Model, PermissionMode: mode(f).PermissionMode,
			StopHookActive: f.StopActive, AgentID: c.AgentID, AgentType: c.AgentType, LastAssistantMessage: path(f.LastMessage),
		}
	},
	hooks.PreCompact:  compaction,
	hooks.PostCompact: compaction,
	hooks.PreModelRequest: func(f *hooks.Firing) any {
		r := f.Request
		return codex.PreModelRequest{
			Kind: "sampling", RequestID: fmt.Sprintf("%s-%d-%d", f.Session.ID, r.Turn, r.Step), AttemptNumber: max(1, r.Attempt),
			SessionID: f.Main.ID, ThreadID: f.Session.ID, TurnID: f.Session.Turn, Cwd: f.Session.Cwd,
			TranscriptPath: path(f.Session.Transcript), Model: r.Config.Model, Event: f.Event,
		}
	},
}

// payload is what the hooks of an event read.
func payload(f *hooks.Firing) ([]byte, error) {
	of := payloads[f.Event]
	if of == nil {
		return nil, fmt.Errorf("no payload of an event %s is known", f.Event)
	}
	return codex.Marshal(of(f))
}

// path returns a text that may not be there.
func path(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func turnOf(f *hooks.Firing) codex.Turn {
	return codex.Turn{SessionID: f.Main.ID, TurnID: cmp.Or(f.Session.Turn, f.Main.Turn)}
}

func child(f *hooks.Firing) codex.Child {
	if f.Agent == nil || f.Agent.ID == "" {
		return codex.Child{}
	}
	return codex.Child{AgentID: f.Agent.ID, AgentType: f.Agent.Type}
}

// where is where an event happens. A call may have a directory of its own.
func where(f *hooks.Firing) codex.Where {
	w := codex.Where{TranscriptPath: path(f.Session.Transcript), Cwd: f.Session.Cwd, Event: f.Event, Model: f.Session.Model}
	if f.Call != nil && f.Call.Cwd != "" {
		w.Cwd = f.Call.Cwd
	}
	return w
}

// modes are the permission modes that the client knows.
var modes = []string{"default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"}

func mode(f *hooks.Firing) codex.Mode {
	if slices.Contains(modes, f.Session.Mode) {
		return codex.Mode{PermissionMode: f.Session.Mode}
	}
	return codex.Mode{PermissionMode: modes[0]}
}

func call(f *hooks.Firing) codex.Call {
	return codex.Call{ToolName: f.Call.Name, ToolInput: f.Input()}
}

// questioned is a call that needs approval: a command comes with the model's
// reason for it, and a patch without the line break at its end.
func questioned(f *hooks.Firing) codex.Call {
	c, input := call(f), f.Call.Input
	switch command, isText := input.Get(clients.CommandKey).Str(); {
	case c.ToolName == clients.ShellTool && f.Call.Why != "":
		c.ToolInput = input.With("description", value.OfString(f.Call.Why)).AppendJSON(nil)
	case c.ToolName == clients.PatchTool && isText:
		c.ToolInput = json.RawMessage(input.With(clients.CommandKey, value.OfString(strings.TrimSpace(command))).AppendJSON(nil))
	}
	return c
}

func compaction(f *hooks.Firing) any {
	return codex.Compact{Turn: turnOf(f), Child: child(f), Where: where(f), Trigger: f.Trigger}
}
