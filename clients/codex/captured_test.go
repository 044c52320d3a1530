package codex_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

func file(path string, change tool.Change) []tool.File {
	return []tool.File{{Path: path, Real: path, Change: change}}
}

func shell(command, cwd string) tool.Action { return tool.Shell{Command: command, Cwd: cwd} }

const app = "/home/dev/app"

// actions of the captured calls, by variant.
var actions = map[string]tool.Action{
	"shell":                 shell("echo hi; pwd", app),
	"shell-workdir":         shell("pwd", "/tmp"),
	"shell-exit3":           shell("echo out; echo err >&2; exit 3", app),
	"apply_patch":           tool.Write{Files: file(app+"/new.txt", tool.ChangeCreate)},
	"apply_patch-via-shell": shell("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+line one\n+line two\n*** End Patch\nEOF\n", app),
	"mcp":                   tool.MCP{Server: "rig", Name: "echo"},
	"view_image":            tool.Read{Files: file(app+"/x.png", tool.ChangeRead)},
	"spawn_agent":           tool.Agent{Type: "default", Prompt: "CHILDTASK do it"},
	"wait_agent":            tool.Other{},
	"subagent-shell":        shell("echo child", app),
	"code-mode-nested":      shell("echo nested", app),
	"default-mode":          shell("echo ran > ran.txt; echo TOOLOUT", app),
	"via-write_stdin":       shell("read x; echo got $x; sleep 0.5; echo end", app),
}

// Every captured call decodes to the action that it was, and nobody's opinion is
// silence.
func TestCapturedCalls(t *testing.T) {
	for variant, stdin := range captured(t, "PreToolUse") {
		t.Run(variant, func(t *testing.T) {
			e, err := codex.New(codex.Options{Resolve: same, Project: app}).Decode(invocation(stdin))
			require.NoError(t, err)
			require.True(t, e.Listed)
			require.Contains(t, actions, variant)
			require.Equal(t, actions[variant], e.Proposal.Action)
			require.NotEmpty(t, e.Proposal.ID)
			checkSession(t, stdin, e.Proposal.Session)
			served := explain(t, stdin)
			require.Equal(t, tool.Allow{}, served.Decision)
			require.Empty(t, served.Reply)
		})
	}
}

func TestCapturedResults(t *testing.T) {
	shown := map[string][]session.Part{
		"shell":      texts("hi\n/home/dev/app\n"),
		"mcp":        texts(`echo:{"text":"yo","n":3}`),
		"view_image": {session.Image{MediaType: "application/octet-stream", Data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}},
	}
	for variant, stdin := range captured(t, "PostToolUse") {
		t.Run(variant, func(t *testing.T) {
			e, err := codex.New(codex.Options{Resolve: same, Project: app}).Decode(invocation(stdin))
			require.NoError(t, err)
			require.Contains(t, actions, variant)
			require.Equal(t, actions[variant], e.Done.Call.Action)
			require.True(t, e.Done.Ran)
			require.Zero(t, e.Done.DurationMS, "this client does not tell it")
			if want, ok := shown[variant]; ok {
				require.Equal(t, want, e.Done.Result.(tool.Success).Content)
			}
			checkSession(t, stdin, e.Done.Call.Session)
			require.Empty(t, explain(t, stdin).Reply)
		})
	}
}

func checkSession(t *testing.T, stdin string, s session.Ref) {
	t.Helper()
	require.NotEmpty(t, s.ID)
	require.NotEmpty(t, s.Model)
	require.Contains(t, stdin, `"`+s.Cwd+`"`)
	require.Contains(t, stdin, `"`+s.Turn+`"`)
	require.Equal(t, app, s.Project)
	require.Equal(t, codex.Name, s.Client)
	require.Contains(t, []string{"default", "bypassPermissions"}, s.Mode)
	require.True(t, strings.HasPrefix(s.Transcript, "/home/dev/.codex/sessions/"))
	require.Equal(t, strings.Contains(stdin, `"agent_id"`), s.Agent != nil)
}

// around are the events around a turn.
var around = map[string]point.Point{
	"PermissionRequest": tool.OnApprove, "UserPromptSubmit": agent.PreStep, "SessionStart": agent.OnSessionStart,
	"Stop": agent.OnTurnStopping, "SubagentStop": subagent.OnEnd,
}

// Every captured event around a turn is asked about, and nobody's opinion is
// silence. Of the others it is said, once, that nobody is asked.
func TestCapturedOtherEvents(t *testing.T) {
	files, err := filepath.Glob("../../spec/dialects/codex/payloads/*.json")
	require.NoError(t, err)
	require.Len(t, files, len(codex.Events()))
	for _, path := range files {
		event := strings.TrimSuffix(filepath.Base(path), ".json")
		require.Contains(t, codex.Events(), event)
		if event == "PreToolUse" || event == "PostToolUse" {
			continue
		}
		note := "dsh: codex: nothing is asked on " + event + ": no opinion\n"
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
	decode := func(event string, check func(sent value.Value, e codex.Event)) {
		for variant, stdin := range captured(t, event) {
			e, err := codex.New(codex.Options{Resolve: same, Project: app}).Decode(invocation(stdin))
			require.NoError(t, err, variant)
			sent, err := value.ParseString(stdin)
			require.NoError(t, err)
			check(sent, e)
		}
	}
	decode("UserPromptSubmit", func(sent value.Value, e codex.Event) {
		require.Equal(t, sent.Get("prompt").String(), e.Step.Prompt)
		require.Equal(t, sent.Get("turn_id").String(), e.Step.Session.Turn)
	})
	decode("SessionStart", func(sent value.Value, e codex.Event) {
		require.Equal(t, sent.Get("source").String(), e.Started.Source)
	})
	decode("Stop", func(sent value.Value, e codex.Event) {
		require.Equal(t, e.Stopping.StopActive, e.Stopping.Stops > 0)
		require.Equal(t, sent.Get("stop_hook_active"), value.OfBool(e.Stopping.StopActive))
		text, _ := sent.Get("last_assistant_message").Str()
		require.Equal(t, text, e.Stopping.LastMessage)
	})
	decode("SubagentStop", func(sent value.Value, e codex.Event) {
		require.Equal(t, sent.Get("agent_id").String(), e.Ended.ID)
		require.Equal(t, sent.Get("agent_type").String(), e.Ended.Type)
		require.Equal(t, sent.Get("session_id").String(), e.Ended.Session.ID)
	})
	decode("PermissionRequest", func(sent value.Value, e codex.Event) {
		require.Equal(t, sent.Get("tool_name").String(), e.Approval.Call.Tool)
		require.NotEqual(t, tool.Other{}, e.Approval.Call.Action)
	})
}

// The client takes "~" for an ordinary name; other releases may not.
func TestTildeIsName(t *testing.T) {
	const stdin = `{"hook_event_name":"PreToolUse","cwd":"/home/dev/app","tool_name":"view_image","tool_input":{"path":"~/x.png"}}`
	e, err := codex.New(codex.Options{Resolve: same}).Decode(invocation(stdin))
	require.NoError(t, err)
	want := append(file(app+"/~/x.png", tool.ChangeRead), file("/home/dev/x.png", tool.ChangeRead)...)
	require.Equal(t, tool.Read{Files: want}, e.Proposal.Action)
}

func TestTableOfTools(t *testing.T) {
	for _, known := range append(codex.Tools(), "mcp__a__b") {
		require.True(t, codex.Known(known))
	}
	for _, unknown := range []string{"", "bash", "shell", "Write"} {
		require.False(t, codex.Known(unknown), unknown)
	}
}
