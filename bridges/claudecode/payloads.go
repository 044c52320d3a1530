package claudecode

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/dsh-lua/dsh/bridges/internal/hooks"
	clients "github.com/dsh-lua/dsh/clients/claudecode"
	protocol "github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// defaultMode is the permission mode of a session that says none.
const defaultMode = "default"

// payload returns what the client would write for an event.
func payload(f *hooks.Firing) ([]byte, error) {
	build, ok := builders[f.Event]
	if !ok {
		return nil, fmt.Errorf("the payload of %s is not known", f.Event)
	}
	return protocol.Marshal(build(f, prefix(f)))
}

func prefix(f *hooks.Firing) protocol.Prefix {
	e, _ := protocol.Lookup(f.Event)
	p := protocol.Prefix{SessionID: f.Main.ID, TranscriptPath: f.Main.Transcript, Cwd: f.Session.Cwd, Event: f.Event}
	if f.Main.Turn != "" && (f.Event != hooks.SessionStart || f.Source == "compact") {
		p.PromptID = promptID(f.Main)
	}
	if e.Permission {
		if p.PermissionMode = f.Session.Mode; p.PermissionMode == "" {
			p.PermissionMode = defaultMode
		}
	}
	if e.Effort && f.Effort != "" {
		p.Effort = &protocol.Effort{Level: f.Effort}
	}
	if f.Agent != nil {
		p.AgentID, p.AgentType = f.Agent.ID, &f.Agent.Type
	}
	return p
}

// promptID names a turn in the form that the client gives its prompts.
func promptID(s session.Ref) string {
	sum := sha256.Sum256([]byte(s.ID + "/" + s.Turn))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func call(f *hooks.Firing) protocol.Call {
	return protocol.Call{ToolName: f.Call.Name, ToolInput: f.Input()}
}

// server says where an MCP tool comes from.
func server(f *hooks.Firing) *protocol.MCPServer {
	a, known := clients.Action(f.Call.Name, value.OfObject(), clients.Place{})
	mcp, is := a.(tool.MCP)
	if !known || !is || !isMCP(f.Call.Name) {
		return nil
	}
	return &protocol.MCPServer{Name: mcp.Server, Source: mcpSource}
}

// mcpSource is where servers are configured, as far as anybody here knows.
const mcpSource = "dynamic"

var nothing = json.RawMessage("[]")

var running = protocol.Running{BackgroundTasks: nothing, SessionCrons: nothing}

// builders makes the payload of each event.
var builders = map[string]func(f *hooks.Firing, p protocol.Prefix) any{
	hooks.PreToolUse: func(f *hooks.Firing, p protocol.Prefix) any {
		return protocol.PreToolUse{Prefix: p, Call: call(f), ToolUseID: f.CallID, MCPServer: server(f)}
	},
	hooks.PermissionRequest: func(f *hooks.Firing, p protocol.Prefix) any {
		return protocol.PermissionRequest{Prefix: p, Call: call(f)}
	},
	hooks.PostToolUse: func(f *hooks.Firing, p protocol.Prefix) any {
		return protocol.PostToolUse{
			Prefix: p, Call: call(f), ToolResponse: f.Call.Response(*f.Done).AppendJSON(nil), ToolUseID: f.CallID,
			DurationMS: f.Done.DurationMS, MCPServer: server(f),
		}
	},
	hooks.PostToolUseFailure: func(f *hooks.Firing, p protocol.Prefix) any {
		text, _ := failureText(*f.Done)
		failure, _ := f.Done.Result.(tool.Failure)
		return protocol.PostToolUseFailure{
			Prefix: p, Call: call(f), ToolUseID: f.CallID, Error: text,
			IsInterrupt: failure.Code == tool.CodeAborted, DurationMS: f.Done.DurationMS, MCPServer: server(f),
		}
	},
	hooks.PostToolBatch: func(f *hooks.Firing, p protocol.Prefix) any {
		calls := make([]protocol.BatchCall, len(f.Batch))
		for i, c := range f.Batch {
			calls[i] = protocol.BatchCall{
				Call:      protocol.Call{ToolName: c.Shown.Name, ToolInput: c.Shown.Input.AppendJSON(nil)},
				ToolUseID: c.ID, ToolResponse: seen(c.Done.Result).AppendJSON(nil),
			}
		}
		return protocol.PostToolBatch{Prefix: p, ToolCalls: calls}
	},
	hooks.UserPromptSubmit: func(f *hooks.Firing, p protocol.Prefix) any {
		return protocol.UserPromptSubmit{Prefix: p, Prompt: f.Prompt}
	},
	hooks.SessionStart: func(f *hooks.Firing, p protocol.Prefix) any {
		return protocol.SessionStart{Prefix: p, Source: f.Source, Model: f.Session.Model}
	},
	hooks.SessionEnd: func(f *hooks.Firing, p protocol.Prefix) any {
		return protocol.SessionEnd{Prefix: p, Reason: endReason(f.Reason)}
	},
	hooks.Stop: func(f *hooks.Firing, p protocol.Prefix) any {
		return protocol.Stop{Prefix: p, StopHookActive: f.StopActive, LastAssistantMessage: f.LastMessage, Running: running}
	},
	hooks.StopFailure: func(f *hooks.Firing, p protocol.Prefix) any {
		return protocol.StopFailure{Prefix: p, Error: f.Subject, LastAssistantMessage: f.Failure.Message}
	},
	hooks.SubagentStart: func(_ *hooks.Firing, p protocol.Prefix) any { return protocol.SubagentStart{Prefix: p} },
	hooks.SubagentStop: func(f *hooks.Firing, p protocol.Prefix) any {
		return protocol.SubagentStop{
			Prefix: p, StopHookActive: f.StopActive, AgentTranscriptPath: f.Session.Transcript, LastAssistantMessage: f.LastMessage, Running: running,
		}
	},
	hooks.PreCompact: func(f *hooks.Firing, p protocol.Prefix) any {
		out := protocol.PreCompact{Prefix: p, Trigger: f.Trigger}
		if f.Instructions != "" {
			out.CustomInstructions = &f.Instructions
		}
		return out
	},
	hooks.PostCompact: func(f *hooks.Firing, p protocol.Prefix) any {
		return protocol.PostCompact{Prefix: p, Trigger: f.Trigger, CompactSummary: f.Summary}
	},
	hooks.Notification: func(f *hooks.Firing, p protocol.Prefix) any {
		return protocol.Notification{Prefix: p, Message: f.Message, NotificationType: f.Kind}
	},
}

// endReason is a session's end in a word that the client has; all others are
// "other".
func endReason(reason string) string {
	switch reason {
	case "clear", "prompt_input_exit", "logout", "other":
		return reason
	}
	return "other"
}

// seen is what the model sees of a result: a text, or a list of blocks.
func seen(r tool.Result) value.Value {
	var content []session.Part
	switch r := r.(type) {
	case tool.Success:
		content = r.Content
	case tool.Failure:
		content = r.Content
	}
	if len(content) == 1 {
		if t, ok := content[0].(session.Text); ok {
			return value.OfString(t.Text)
		}
	}
	blocks := make([]value.Value, 0, len(content))
	for _, part := range content {
		switch part := part.(type) {
		case session.Text:
			blocks = append(blocks, clients.TextBlocks(part.Text).At(0))
		case session.Image:
			blocks = append(blocks, imageBlock(part))
		case session.Reasoning, session.ToolCall, session.ToolResult:
		}
	}
	return value.OfList(blocks...)
}

func imageBlock(i session.Image) value.Value {
	return value.OfObject(
		value.Member{Key: "type", Value: value.OfString("image")},
		value.Member{Key: "source", Value: value.OfObject(
			value.Member{Key: "type", Value: value.OfString("base64")},
			value.Member{Key: "media_type", Value: value.OfString(i.MediaType)},
			value.Member{Key: "data", Value: value.OfString(i.Data)},
		)},
	)
}
