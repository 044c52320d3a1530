package claudecode_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

const app = "/home/dev/app"

var calls = []struct {
	tool, input string
	want        tool.Action
}{
	{"Bash", `{"command":"ls"}`, tool.Shell{Command: "ls", Cwd: app}},
	{"Bash", `{}`, tool.Shell{Cwd: app, Partial: true}},
	{"Bash", `{"command":["ls"]}`, tool.Shell{Cwd: app, Partial: true}},
	{"PowerShell", `{"command":"dir"}`, tool.Shell{Command: "dir", Cwd: app}},
	{"Monitor", `{"command":"tail -f x"}`, tool.Shell{Command: "tail -f x", Cwd: app}},
	{"Monitor", `{"ws":{"url":"wss://x"}}`, tool.Fetch{URL: "wss://x"}},
	{"Monitor", `{"ws":"wss://x"}`, tool.Fetch{Partial: true}},
	{"Monitor", `{"ws":{"url":"wss://x"},"command":"ls"}`, tool.Shell{Command: "ls", Cwd: app, Partial: true}},
	{"Write", `{"file_path":"/home/dev/app/a"}`, tool.Write{Files: file(app+"/a", tool.ChangeWrite)}},
	{"Write", `{"file_path":"src/../.env"}`, tool.Write{Files: file(app+"/.env", tool.ChangeWrite)}},
	{"Write", `{"file_path":"../x"}`, tool.Write{Files: file("/home/dev/x", tool.ChangeWrite)}},
	{"Write", `{"file_path":"~/x"}`, tool.Write{Files: file("/home/dev/x", tool.ChangeWrite)}},
	{"Write", `{"file_path":"~"}`, tool.Write{Files: file("/home/dev", tool.ChangeWrite)}},
	{"Write", `{"file_path":"~x"}`, tool.Write{Files: file(app+"/~x", tool.ChangeWrite)}},
	{"Write", `{"file_path":"//etc//passwd/"}`, tool.Write{Files: file("/etc/passwd", tool.ChangeWrite)}},
	{"Write", `{"file_path":"link/passwd"}`, tool.Write{Files: []tool.File{{Path: app + "/link/passwd", Real: "/etc/passwd", Change: tool.ChangeWrite}}}},
	{"Write", `{"file_path":""}`, tool.Write{Partial: true}},
	{"Write", `{"file_path":7}`, tool.Write{Partial: true}},
	{"Write", `{"path":"x"}`, tool.Write{Partial: true}},
	{"Write", `null`, tool.Write{Partial: true}},
	{"Edit", `{"file_path":"a"}`, tool.Edit{Files: file(app+"/a", tool.ChangeEdit)}},
	{"MultiEdit", `{"file_path":"a","edits":[]}`, tool.Edit{Files: file(app+"/a", tool.ChangeEdit)}},
	{"NotebookEdit", `{"notebook_path":"a"}`, tool.Edit{Files: file(app+"/a", tool.ChangeEdit)}},
	{"Read", `{"file_path":"a"}`, tool.Read{Files: file(app+"/a", tool.ChangeRead)}},
	{"NotebookRead", `{"notebook_path":"a"}`, tool.Read{Files: file(app+"/a", tool.ChangeRead)}},
	{"LSP", `{"filePath":"a"}`, tool.Read{Files: file(app+"/a", tool.ChangeRead)}},
	{"LS", `{"path":"/etc"}`, tool.Search{Files: file("/etc", tool.ChangeRead)}},
	{"Grep", `{"pattern":"KEY","path":".env"}`, tool.Search{Pattern: "KEY", Files: file(app+"/.env", tool.ChangeRead)}},
	{"Grep", `{"pattern":"KEY"}`, tool.Search{Pattern: "KEY", Files: file(app, tool.ChangeRead)}},
	{"Grep", `{"pattern":"KEY","path":null}`, tool.Search{Pattern: "KEY", Files: file(app, tool.ChangeRead)}},
	{"Grep", `{"pattern":"KEY","path":[]}`, tool.Search{Pattern: "KEY", Files: file(app, tool.ChangeRead), Partial: true}},
	{"Glob", `{"pattern":"**/*.go"}`, tool.Search{Pattern: "**/*.go", Files: file(app, tool.ChangeRead)}},
	{"Glob", `{"pattern":"*.{go,mod}","path":"src"}`, tool.Search{Pattern: "*.{go,mod}", Files: file(app+"/src", tool.ChangeRead)}},
	{"Glob", `{"pattern":"lib/*.go","path":"src"}`, tool.Search{Pattern: "lib/*.go", Files: file(app+"/src/lib", tool.ChangeRead)}},
	{"Glob", `{"pattern":"lib/*.go","path":"/src/"}`, tool.Search{Pattern: "lib/*.go", Files: file("/src/lib", tool.ChangeRead)}},
	{"Glob", `{"pattern":"/etc/*","path":"src"}`, tool.Search{Pattern: "/etc/*", Files: file("/etc", tool.ChangeRead)}},
	{"Glob", `{"pattern":"~/.ssh/id_*"}`, tool.Search{Pattern: "~/.ssh/id_*", Files: file("/home/dev/.ssh", tool.ChangeRead)}},
	{"Glob", `{"pattern":"../../etc/passwd"}`, tool.Search{Pattern: "../../etc/passwd", Files: file("/home/etc/passwd", tool.ChangeRead)}},
	{"Glob", `{"pattern":"*/../../x"}`, tool.Search{Pattern: "*/../../x", Files: file(app, tool.ChangeRead), Partial: true}},
	{"Glob", `{"pattern":"{/etc,/usr}/*"}`, tool.Search{Pattern: "{/etc,/usr}/*", Files: file(app, tool.ChangeRead), Partial: true}},
	{"WebFetch", `{"url":"https://x"}`, tool.Fetch{URL: "https://x"}},
	{"WebSearch", `{"query":"q"}`, tool.Fetch{Query: "q"}},
	{"Task", `{"prompt":"p","subagent_type":"Explore"}`, tool.Agent{Type: "Explore", Prompt: "p"}},
	{"Agent", `{"prompt":"p"}`, tool.Agent{Prompt: "p"}},
	{"Workflow", `{"script":"s"}`, tool.Agent{Prompt: "s"}},
	{"Workflow", `{"name":"n"}`, tool.Agent{Partial: true}},
	{"ReadMcpResourceTool", `{"server":"s","uri":"u"}`, tool.MCP{Server: "s", Name: "resources/read"}},
	{"ListMcpResourcesTool", `{}`, tool.MCP{Name: "resources/list"}},
	{"mcp__github__create_issue", `{}`, tool.MCP{Server: "github", Name: "create_issue"}},
	{"mcp__plugin_a_b__do__it", `{}`, tool.MCP{Server: "plugin_a_b", Name: "do__it"}},
	{"mcp__x", `{}`, tool.MCP{Server: "x"}},
	{"TodoWrite", `{}`, tool.Other{}},
	{"KillShell", `{"shell_id":"1"}`, tool.Other{}},
}

func TestActions(t *testing.T) {
	at := claudecode.Place{Cwd: app, Home: "/home/dev", Resolve: real}
	for _, test := range calls {
		t.Run(test.tool+test.input, func(t *testing.T) {
			input, err := value.ParseString(test.input)
			require.NoError(t, err)
			got, known := claudecode.Action(test.tool, input, at)
			require.Equal(t, test.want, got)
			require.True(t, known)
		})
	}
}

func TestPathsWithoutPlace(t *testing.T) {
	for _, path := range []string{"a", "~/a", "."} {
		input := value.OfObject(value.Member{Key: "file_path", Value: value.OfString(path)})
		got, _ := claudecode.Action("Write", input, claudecode.Place{Resolve: real})
		require.True(t, got.(tool.Write).Partial, path)
		require.Empty(t, got.(tool.Write).Files[0].Real, path)
	}
}

func TestTableOfTools(t *testing.T) {
	names := claudecode.Tools()
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names), "a tool has two rows")
	for _, known := range append(names, "mcp__a__b") {
		require.True(t, claudecode.Known(known))
	}
	for _, unknown := range []string{"", "bash", "shell", "Nope", "mcp_a"} {
		require.False(t, claudecode.Known(unknown), unknown)
		got, known := claudecode.Action(unknown, value.OfObject(), claudecode.Place{})
		require.Equal(t, tool.Other{}, got)
		require.False(t, known)
	}
}
