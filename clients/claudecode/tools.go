package claudecode

import (
	"github.com/dsh-lua/dsh/clients/internal/action"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// tools is the table of the client's tools. The client reports the model's Task
// as Agent; transcripts keep the model's word.
var tools = action.Table{
	{Tool: "Bash", Build: action.Shell, Key: "command"},
	{Tool: "PowerShell", Build: action.Shell, Key: "command"},
	{Tool: "Monitor", Build: monitor, Key: "command"},
	{Tool: "Write", Build: action.Write, Key: "file_path"},
	{Tool: "Edit", Build: action.Edit, Key: "file_path"},
	{Tool: "MultiEdit", Build: action.Edit, Key: "file_path"},
	{Tool: "NotebookEdit", Build: action.Edit, Key: "notebook_path"},
	{Tool: "Read", Build: action.Read, Key: "file_path"},
	{Tool: "NotebookRead", Build: action.Read, Key: "notebook_path"},
	{Tool: "LSP", Build: action.Read, Key: "filePath"},
	{Tool: "Glob", Build: action.Glob, Key: "pattern"},
	{Tool: "Grep", Build: action.Grep, Key: "pattern"},
	{Tool: "LS", Build: action.List, Key: "path"},
	{Tool: "WebFetch", Build: action.Fetch, Key: "url"},
	{Tool: "WebSearch", Build: action.WebSearch, Key: "query"},
	{Tool: "Agent", Build: agent, Key: "prompt"},
	{Tool: "Task", Build: agent, Key: "prompt"},
	{Tool: "Workflow", Build: workflow, Key: "script"},
	{Tool: "ListMcpResourcesTool", Build: action.ListResources, Key: "server"},
	{Tool: "ReadMcpResourceTool", Build: action.ReadResource, Key: "server"},

	{Tool: "AskUserQuestion", Build: action.Other},
	{Tool: "BashOutput", Build: action.Other},
	{Tool: "CronCreate", Build: action.Other},
	{Tool: "CronDelete", Build: action.Other},
	{Tool: "CronList", Build: action.Other},
	{Tool: "EnterPlanMode", Build: action.Other},
	{Tool: "EnterWorktree", Build: action.Other},
	{Tool: "ExitPlanMode", Build: action.Other},
	{Tool: "ExitWorktree", Build: action.Other},
	{Tool: "KillBash", Build: action.Other},
	{Tool: "KillShell", Build: action.Other},
	{Tool: "ListAgents", Build: action.Other},
	{Tool: "ReportFindings", Build: action.Other},
	{Tool: "ScheduleWakeup", Build: action.Other},
	{Tool: "SendMessage", Build: action.Other},
	{Tool: "Skill", Build: action.Other},
	{Tool: "SlashCommand", Build: action.Other},
	{Tool: "StructuredOutput", Build: action.Other},
	{Tool: "TaskCreate", Build: action.Other},
	{Tool: "TaskGet", Build: action.Other},
	{Tool: "TaskList", Build: action.Other},
	{Tool: "TaskOutput", Build: action.Other},
	{Tool: "TaskStop", Build: action.Other},
	{Tool: "TaskUpdate", Build: action.Other},
	{Tool: "TeamCreate", Build: action.Other},
	{Tool: "TeamDelete", Build: action.Other},
	{Tool: "TodoWrite", Build: action.Other},
	{Tool: "ToolSearch", Build: action.Other},
}

func agent(a *action.Args, key string) tool.Action {
	prompt, kind := a.Text(key), a.Option("subagent_type")
	return tool.Agent{Type: kind, Prompt: prompt, Partial: a.Partial()}
}

// workflow reads a program that starts agents. It may stand in a file or go by a
// name, where it cannot be seen.
func workflow(a *action.Args, key string) tool.Action {
	script := a.Text(key)
	return tool.Agent{Prompt: script, Partial: a.Partial()}
}

// monitor reads a command line whose output is watched, or else the address of a
// socket.
func monitor(a *action.Args, key string) tool.Action {
	const socket = "ws"
	switch {
	case !a.Has(socket):
		return action.Shell(a, key)
	case a.Has(key):
		a.Doubt() // it does both
		return action.Shell(a, key)
	}
	return action.Fetch(a.Member(socket), "url")
}
