package claudecode_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/bridges/claudecode"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

func file(path string, change tool.Change) []tool.File {
	return []tool.File{{Path: path, Real: path, Change: change}}
}

// actions of the captured calls, by tool.
var actions = map[string]tool.Action{
	"Agent":         tool.Agent{Type: "general-purpose", Prompt: "SUBAGENT PROMPT"},
	"Edit":          tool.Edit{Files: file("/home/dev/app/w.txt", tool.ChangeEdit)},
	"EnterWorktree": tool.Other{},
	"ExitWorktree":  tool.Other{},
	"mcp__rig__ask": tool.MCP{Server: "rig", Name: "ask"},
	"Read":          tool.Read{Files: file("/home/dev/app/w.txt", tool.ChangeRead)},
	"Skill":         tool.Other{},
	"TaskCreate":    tool.Other{},
	"TaskUpdate":    tool.Other{},
	"ToolSearch":    tool.Other{},
	"WebFetch":      tool.Fetch{URL: "http://127.0.0.1:1/x"},
	"Write":         tool.Write{Files: file("/home/dev/app/w.txt", tool.ChangeWrite)},
}

func actionOf(name, command string) tool.Action {
	if name == "Bash" {
		return tool.Shell{Command: command, Cwd: "/home/dev/app"}
	}
	return actions[name]
}

// Every captured call decodes to the action that it was, and nobody's opinion is
// silence.
func TestCapturedCalls(t *testing.T) {
	command := claudecode.New(claudecode.Options{Resolve: real})
	for _, stdin := range captured(t, "PreToolUse") {
		e, err := command.Decode(invocation(stdin))
		require.NoError(t, err)
		p := e.Proposal
		require.Nil(t, e.Done)
		require.True(t, e.Listed, p.Tool)
		require.Equal(t, actionOf(p.Tool, p.Arguments.Get("command").String()), p.Action, p.Tool)
		checkSession(t, stdin, p.Session)
		require.True(t, strings.HasPrefix(p.ID, "toolu_"), p.ID)

		served := explain(t, stdin)
		require.Equal(t, tool.Allow{}, served.Decision)
		require.Equal(t, tool.PreExecute, served.Point)
		require.Empty(t, served.Reply)
	}
}

func TestCapturedResults(t *testing.T) {
	command := claudecode.New(claudecode.Options{Resolve: real})
	shown := map[string]string{
		"Agent": "sub done", "Read": "z\nb\n",
		"mcp__rig__ask": `elicited {"action":"accept","content":{"colour":"blue"}}`,
		"Skill":         `{"success":true,"commandName":"rigskill"}`,
	}
	for _, stdin := range captured(t, "PostToolUse") {
		e, err := command.Decode(invocation(stdin))
		require.NoError(t, err)
		call := e.Done.Call
		require.Nil(t, e.Proposal)
		require.Equal(t, actionOf(call.Tool, call.Arguments.Get("command").String()), call.Action, call.Tool)
		checkSession(t, stdin, call.Session)
		require.True(t, e.Done.Ran)
		require.NotZero(t, e.Done.DurationMS)
		success := e.Done.Result.(tool.Success)
		require.False(t, success.Value.IsAbsent())
		if want, ok := shown[call.Tool]; ok {
			require.Equal(t, []session.Part{session.Text{Text: want}}, success.Content)
		}

		require.Empty(t, explain(t, stdin).Reply)
	}
}

func checkSession(t *testing.T, stdin string, s session.Ref) {
	t.Helper()
	require.Equal(t, "5f0c1b9e-7d21-4c3a-9a10-000000000001", s.ID)
	require.Contains(t, stdin, `"cwd":"`+s.Cwd+`"`)
	require.Equal(t, "/home/dev/app", s.Project)
	require.Equal(t, claudecode.Name, s.Client)
	require.Contains(t, stdin, `"permission_mode":"`+s.Mode+`"`)
	require.Equal(t, "/home/dev/.claude/projects/-project/5f0c1b9e-7d21-4c3a-9a10-000000000001.jsonl", s.Transcript)
	require.Equal(t, strings.Contains(stdin, `"prompt_id"`), s.Turn != "")
	require.Equal(t, strings.Contains(stdin, `"agent_id"`), s.Agent != nil)
	if s.Agent != nil {
		require.Equal(t, session.AgentRef{ID: "a0000000000000003", Type: "general-purpose"}, *s.Agent)
	}
}

// Events that nobody is asked about get no opinion, and it is said.
func TestCapturedOtherEvents(t *testing.T) {
	files, err := filepath.Glob("../../spec/dialects/claude-code/payloads/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		event := strings.TrimSuffix(filepath.Base(path), ".json")
		require.Contains(t, claudecode.Events(), event)
		if event == "PreToolUse" || event == "PostToolUse" {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if !strings.Contains(string(text), "stdin_text") {
			continue
		}
		for _, stdin := range captured(t, event) {
			reply := explain(t, stdin).Reply
			require.Zero(t, reply.Exit)
			require.Empty(t, reply.Stdout)
			require.Equal(t, "dsh: claude-code: nothing is asked on "+event+": no opinion\n", string(reply.Stderr))
		}
	}
}
