package codex_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/bridges/codex"
	"github.com/dsh-lua/dsh/hookproto"
	protocol "github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// configured is what a hooks.json of the user registers.
func configured(t *testing.T, text string) hookproto.Config {
	t.Helper()
	file := protocol.File{Path: "/u/hooks.json", Data: []byte(text), Source: protocol.User, Format: protocol.JSON}
	trusted := protocol.Options{TrustAll: true}
	return protocol.Load([]protocol.File{file}, trusted).Runnable(trusted)
}

// hookOn is a configuration with one command for an event.
func hookOn(t *testing.T, event, command string) hookproto.Config {
	t.Helper()
	text, err := json.Marshal(map[string]any{"hooks": map[string]any{event: []any{map[string]any{"hooks": []any{
		map[string]any{"type": "command", "command": command, "timeout": 5},
	}}}}})
	require.NoError(t, err)
	return configured(t, string(text))
}

// ownTool is a tool that the client does not have. It returns its arguments.
func ownTool(name string, action func(value.Value) tool.Action) tool.Definition {
	return tool.Definition{
		Name: name, Action: action, Output: tool.Output{Schema: value.OfObject()},
		Execute: func(_ context.Context, run *tool.Running) (any, error) { return run.Arguments(), nil },
	}
}

func textAt(v value.Value, key string) string { s, _ := v.Get(key).Str(); return s }

func fileAt(v value.Value, c tool.Change) []tool.File {
	return []tool.File{{Path: "/p/" + textAt(v, "path"), Change: c}}
}

var ownTools = []tool.Definition{
	ownTool("bash", func(v value.Value) tool.Action { return tool.Shell{Command: textAt(v, "command"), Cwd: "/p/sub"} }),
	ownTool("sh", func(v value.Value) tool.Action { return tool.Shell{Command: textAt(v, "cmd")} }),
	ownTool("odd", func(value.Value) tool.Action { return tool.Shell{Command: "ls", Partial: true} }),
	ownTool("write", func(v value.Value) tool.Action { return tool.Write{Files: fileAt(v, tool.ChangeWrite)} }),
	ownTool("edit", func(v value.Value) tool.Action { return tool.Edit{Files: fileAt(v, tool.ChangeEdit)} }),
	ownTool("strange", func(v value.Value) tool.Action { return tool.Edit{Files: fileAt(v, tool.ChangeEdit)} }),
	ownTool("remove", func(v value.Value) tool.Action { return tool.Delete{Files: fileAt(v, tool.ChangeDelete)} }),
	ownTool("ask", func(value.Value) tool.Action { return tool.MCP{Server: "my-rig", Name: "do.it"} }),
	ownTool("agent", func(v value.Value) tool.Action {
		return tool.Agent{Type: textAt(v, "kind"), Prompt: textAt(v, "task")}
	}),
	ownTool("glob", nil),
}

// call runs a call of one of ownTools under a bridge.
func call(t *testing.T, o codex.BridgeOptions, name, arguments string) tool.Result {
	t.Helper()
	handlers, tools := new(point.Registry), new(tool.Registry)
	for _, d := range ownTools {
		_, err := tools.Register(d)
		require.NoError(t, err)
	}
	_, err := handlers.Install(codex.NewBridge(o))
	require.NoError(t, err)
	v, err := value.ParseString(arguments)
	require.NoError(t, err)
	rt := &tool.Runtime{Root: tool.Scope{
		Host: host.Host{Run: point.Run{Handlers: handlers}}, Tools: tools, Session: session.Ref{ID: "s", Cwd: "/p"},
	}}
	return rt.Execute(t.Context(), tool.Input{ID: "1", Tool: name, Arguments: v})
}

// A call of a tool that the client does not have is told as one of its own.
func TestShownCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, arguments, name, input, cwd string }{
		{"bash", `{"command": "ls <a>"}`, "Bash", `{"command":"ls <a>"}`, "/p/sub"},
		{"odd", `{"x": 1}`, "odd", `{"x":1}`, "/p"},
		{"write", `{"path": "a/b", "content": "1\n2"}`, "apply_patch", `{"command":"*** Begin Patch\n*** Add File: a/b\n+1\n+2\n*** End Patch\n"}`, "/p"},
		{"edit", `{"path": "../a", "old": "1", "new": "2\n"}`, "apply_patch", `{"command":"*** Begin Patch\n*** Update File: /p/../a\n@@\n-1\n+2\n*** End Patch\n"}`, "/p"},
		{"strange", `{"path": "a", "what": "1"}`, "strange", `{"path":"a","what":"1"}`, "/p"},
		{"remove", `{"path": "a"}`, "apply_patch", `{"command":"*** Begin Patch\n*** Delete File: a\n*** End Patch\n"}`, "/p"},
		{"ask", `{"x": [1]}`, "mcp__my_rig__do_it", `{"x":[1]}`, "/p"},
		{"agent", `{"task": "do", "kind": "worker"}`, "spawn_agent", `{"message":"do","agent_type":"worker"}`, "/p"},
		{"glob", `{"pattern": "*"}`, "glob", `{"pattern":"*"}`, "/p"},
	} {
		denied, ok := call(t, codex.BridgeOptions{Config: hookOn(t, "PreToolUse", "cat >&2; exit 2")}, c.tool, c.arguments).(tool.Failure)
		require.True(t, ok, c.tool)
		payload, err := value.ParseString(denied.Message)
		require.NoError(t, err, denied.Message)
		require.Equal(t, c.name, payload.Get("tool_name").String())
		require.Equal(t, c.input, string(payload.Get("tool_input").AppendJSON(nil)))
		require.Equal(t, c.cwd, payload.Get("cwd").String())
	}
}

// What a hook puts in place of the client's input reaches our tool's arguments,
// or the call fails.
func TestInputsComeBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, arguments, input, want string }{
		{"bash", `{"command": "ls", "wait": 3}`, `{"command": "pwd", "extra": 1}`, `{"command":"pwd","wait":3}`},
		{"sh", `{"cmd": "ls"}`, `{"command": "pwd"}`, `{"cmd":"pwd"}`},
		{"sh", `{"cmd": "ls", "title": "ls"}`, `{"command": "pwd"}`, ""},
		{"bash", `{"command": "ls"}`, `{"command": 1}`, ""},
		{"bash", `{"command": "ls"}`, `{}`, ""},
		{"write", `{"path": "a", "content": "1"}`, `{"command": "*** Begin Patch\n*** End Patch\n"}`, ""},
		{"write", `{"path": "a", "content": "1"}`, `{"command": "*** Begin Patch\n*** Add File: a\n+1\n*** End Patch\n"}`, `{"path":"a","content":"1"}`},
		{"agent", `{"task": "do", "kind": "worker"}`, `{"message": "rest", "agent_type": "guest"}`, `{"task":"rest","kind":"guest"}`},
		{"ask", `{"x": 1}`, `{"y": 2}`, `{"y":2}`},
		{"glob", `{"pattern": "*"}`, `{"pattern": "a"}`, `{"pattern":"a"}`},
	} {
		answer, err := json.Marshal(map[string]any{"hookSpecificOutput": map[string]any{
			"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": json.RawMessage(c.input),
		}})
		require.NoError(t, err)
		command := "cat <<'E'\n" + string(answer) + "\nE\n"
		switch r := call(t, codex.BridgeOptions{Config: hookOn(t, "PreToolUse", command)}, c.tool, c.arguments).(type) {
		case tool.Success:
			require.Equal(t, c.want, string(r.Value.AppendJSON(nil)), "%s %s", c.tool, c.input)
		case tool.Failure:
			require.Empty(t, c.want, r.Message)
		}
	}
}

// Hooks that guard something and fail let it pass, as in the client, unless they
// are to be strict.
func TestStrict(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"exit 1", "kill -9 $$", "echo '{'", "no-such-program-here", "echo '[]'"} {
		config := hookOn(t, "PreToolUse", command)
		require.IsType(t, tool.Success{}, call(t, codex.BridgeOptions{Config: config}, "glob", "{}"), command)
		require.IsType(t, tool.Failure{}, call(t, codex.BridgeOptions{Config: config, Strict: true}, "glob", "{}"), command)
	}
}

// What will not run is told when the configuration is loaded.
func TestUnfired(t *testing.T) {
	t.Parallel()
	b := codex.NewBridge(codex.BridgeOptions{Config: configured(t, `{"hooks": {
		"PostModelRequest": [{"hooks": [{"type": "command", "command": "a"}]}],
		"PreCompact": [{"hooks": [{"type": "command", "command": "b"}]}],
		"Stop": [{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t"}]}]
	}}`)})
	var kinds []string
	for _, p := range b.Problems() {
		require.Equal(t, hookproto.HandlerNotRun, p.Severity)
		require.Equal(t, "/u/hooks.json", p.At.File)
		kinds = append(kinds, p.Event+" "+p.Kind)
	}
	require.ElementsMatch(t, []string{"PostModelRequest unsupported-event", "PreCompact unsupported-event", "Stop unsupported-type"}, kinds)
}
