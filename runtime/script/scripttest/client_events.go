package scripttest

import "maps"

// The members of events of clients that a test does not name, as the clients send
// them; those of every payload are in [client]. Members that a client leaves out
// are left out here.
type events map[string]map[string]any

// shared are the events that Claude Code and Codex have both, with the same members.
func shared(subagent, transcript string) events {
	call := map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "ls"}}
	return events{
		"PreToolUse":        withMember("tool_use_id", "call-1", call),
		"PermissionRequest": call,
		"UserPromptSubmit":  {"prompt": "hello"},
		"SessionStart":      {"source": "startup"},
		"SessionEnd":        {"reason": "other"},
		"Stop":              {"stop_hook_active": false, "last_assistant_message": "done"},
		"SubagentStart":     {"agent_id": "agent-1", "agent_type": subagent},
		"SubagentStop": {
			"agent_id": "agent-1", "agent_type": subagent, "stop_hook_active": false,
			"agent_transcript_path": transcript, "last_assistant_message": "done",
		},
		"PreCompact":  {"trigger": "auto"},
		"PostCompact": {"trigger": "auto"},
	}
}

// claudeEvents are those of Claude Code.
func claudeEvents() events {
	e := shared("general-purpose", home+"/.claude/projects/app/session-1/subagents/agent-1.jsonl")
	call := e["PreToolUse"]
	maps.Copy(e, events{
		"PostToolUse":         withMember("tool_response", map[string]any{"stdout": "done", "stderr": "", "interrupted": false}, call),
		"PostToolUseFailure":  withMember("error", "Exit code 3", withMember("is_interrupt", false, call)),
		"PostToolBatch":       {"tool_calls": []any{withMember("tool_response", "done", call)}},
		"PermissionDenied":    withMember("reason", "not now", call),
		"StopFailure":         {"error": "unknown", "last_assistant_message": "API Error: overloaded"},
		"PostCompact":         {"trigger": "auto", "compact_summary": "what was done"},
		"Notification":        {"message": "Claude is waiting for your input", "notification_type": "idle_prompt"},
		"TaskCreated":         {"task_id": "1", "task_subject": "do it", "task_description": "all of it"},
		"TaskCompleted":       {"task_id": "1", "task_subject": "do it", "task_description": "all of it"},
		"ConfigChange":        {"source": "project_settings", "file_path": project + "/.claude/settings.json"},
		"InstructionsLoaded":  {"file_path": project + "/CLAUDE.md", "memory_type": "Project", "load_reason": "session_start"},
		"CwdChanged":          {"old_cwd": project, "new_cwd": project + "/src"},
		"FileChanged":         {"file_path": project + "/main.go", "event": "change"},
		"WorktreeCreate":      {"name": "work"},
		"WorktreeRemove":      {"worktree_path": home + "/work"},
		"Setup":               {"trigger": "init"},
		"UserPromptExpansion": {"expansion_type": "slash_command", "command_name": "review", "command_args": "", "command_source": "projectSettings", "prompt": "/review"},
		"Elicitation":         {"mcp_server_name": "server", "message": "which one?", "mode": "form", "requested_schema": map[string]any{"type": "object"}},
		"ElicitationResult":   {"mcp_server_name": "server", "mode": "form", "action": "accept"},
	})
	return e
}

// codexEvents are those of Codex.
func codexEvents() events {
	e := shared("default", home+"/.codex/sessions/agent-1.jsonl")
	e["PostToolUse"] = withMember("tool_response", "done", e["PreToolUse"])
	return e
}

// withMember is members and one more.
func withMember(key string, value any, members map[string]any) map[string]any {
	more := maps.Clone(members)
	more[key] = value
	return more
}
