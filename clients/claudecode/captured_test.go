package claudecode_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
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

// around are the events around a turn.
var around = map[string]point.Point{
	"PermissionRequest": tool.OnApprove, "UserPromptSubmit": agent.PreStep, "SessionStart": agent.OnSessionStart,
	"Stop": agent.OnTurnStopping, "SubagentStop": subagent.OnEnd,
}

// Every captured event around a turn is asked about, and nobody's opinion is
// silence. Of the others it is said, once, that nobody is asked.
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
		note := "dsh: claude-code: nothing is asked on " + event + ": no opinion\n"
		if around[event] != nil {
			note = ""
		}
		for _, stdin := range captured(t, event) {
			served := explain(t, stdin)
			require.NoError(t, served.Fault)
			require.Equal(t, around[event], served.Point)
			require.Zero(t, served.Reply.Exit)
			require.Empty(t, served.Reply.Stdout)
			require.Equal(t, note, string(served.Reply.Stderr))
		}
	}
}

// What a captured event around a turn says reaches the payload of its point.
func TestCapturedTurns(t *testing.T) {
	decode := func(event string, check func(text string, e claudecode.Event)) {
		for _, stdin := range captured(t, event) {
			e, err := claudecode.New(claudecode.Options{Resolve: real}).Decode(invocation(stdin))
			require.NoError(t, err)
			require.Equal(t, "5f0c1b9e-7d21-4c3a-9a10-000000000001", e.Session.ID)
			check(stdin, e)
		}
	}
	decode("UserPromptSubmit", func(text string, e claudecode.Event) { require.Contains(t, text, `"prompt":`+quote(e.Step.Prompt)) })
	decode("SessionStart", func(text string, e claudecode.Event) { require.Contains(t, text, `"source":`+quote(e.Started.Source)) })
	decode("Stop", func(text string, e claudecode.Event) {
		require.Contains(t, text, `"last_assistant_message":`+quote(e.Stopping.LastMessage))
		require.Equal(t, strings.Contains(text, `"stop_hook_active":true`), e.Stopping.StopActive)
	})
	decode("SubagentStop", func(text string, e claudecode.Event) {
		require.Contains(t, text, `"agent_id":`+quote(e.Ended.ID)+`,"agent_type":`+quote(e.Ended.Type))
		require.Equal(t, strings.Contains(text, `"stop_hook_active":true`), e.Ended.StopActive)
		require.Nil(t, e.Ended.Session.Agent)
	})
	decode("PermissionRequest", func(_ string, e claudecode.Event) {
		require.Equal(t, actionOf(e.Approval.Call.Tool, e.Approval.Call.Arguments.Get("command").String()), e.Approval.Call.Action)
	})
}
