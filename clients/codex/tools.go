package codex

import (
	"github.com/dsh-lua/dsh/clients/internal/action"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// The tools whose new arguments the client checks.
const (
	ShellTool = "Bash"
	PatchTool = "apply_patch"
)

// CommandKey is where a shell command or a patch stands.
const CommandKey = "command"

// tools is the table of the client's tools. A tool of a namespace is reported
// with the namespace before its name and nothing between them.
var tools = action.Table{
	{Tool: ShellTool, Build: action.Shell, Key: CommandKey},
	{Tool: "write_stdin", Build: action.Shell, Key: "chars"},
	{Tool: PatchTool, Build: patch, Key: CommandKey},
	{Tool: "view_image", Build: action.Read, Key: "path"},
	{Tool: "read_file", Build: action.Read, Key: "file_path"},
	{Tool: "list_dir", Build: action.List, Key: "dir_path"},
	{Tool: "grep_files", Build: action.Grep, Key: "pattern"},
	{Tool: "spawn_agent", Build: agent, Key: "message"},
	{Tool: "multi_agent_v1spawn_agent", Build: agent, Key: "message"},
	{Tool: "spawn_agents_on_csv", Build: agent, Key: "instruction"},
	{Tool: "list_mcp_resources", Build: action.ListResources, Key: "server"},
	{Tool: "list_mcp_resource_templates", Build: action.ListResources, Key: "server"},
	{Tool: "read_mcp_resource", Build: action.ReadResource, Key: "server"},

	{Tool: "close_agent", Build: action.Other},
	{Tool: "create_goal", Build: action.Other},
	{Tool: "get_goal", Build: action.Other},
	{Tool: "list_agents", Build: action.Other},
	{Tool: "multi_agent_v1close_agent", Build: action.Other},
	{Tool: "multi_agent_v1resume_agent", Build: action.Other},
	{Tool: "multi_agent_v1send_input", Build: action.Other},
	{Tool: "multi_agent_v1wait_agent", Build: action.Other},
	{Tool: "request_permissions", Build: action.Other},
	{Tool: "request_user_input", Build: action.Other},
	{Tool: "resume_agent", Build: action.Other},
	{Tool: "send_input", Build: action.Other},
	{Tool: "tool_search", Build: action.Other},
	{Tool: "update_goal", Build: action.Other},
	{Tool: "update_plan", Build: action.Other},
	{Tool: "wait_agent", Build: action.Other},
}

func agent(a *action.Args, key string) tool.Action {
	prompt, kind := a.Text(key), a.Option("agent_type")
	return tool.Agent{Type: kind, Prompt: prompt, Partial: a.Partial()}
}
