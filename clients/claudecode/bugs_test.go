package claudecode_test

import (
	"context"
	"path"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// noEnvFile denies whatever touches a file named .env, by whatever tool.
func noEnvFile(in *point.Installer) {
	tool.PreExecute.Handle(in, func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
		if slices.ContainsFunc(filesOf(c.Action), func(f tool.File) bool { return path.Base(f.Path) == ".env" }) {
			return tool.Deny{Reason: "secrets"}, nil
		}
		return next(ctx)
	})
}

func filesOf(a tool.Action) []tool.File {
	switch a := a.(type) {
	case tool.Write:
		return a.Files
	case tool.Edit:
		return a.Files
	case tool.Read:
		return a.Files
	case tool.Delete:
		return a.Files
	case tool.Search:
		return a.Files
	case tool.Shell, tool.Fetch, tool.MCP, tool.Agent, tool.Other:
	}
	return nil
}

const denied = specific + `"permissionDecision":"deny","permissionDecisionReason":"secrets"}}`

// bug-018: what is escaped in the payload reaches a policy unescaped, once.
func TestBug018(t *testing.T) {
	const prompt = `{"hook_event_name":"UserPromptSubmit","session_id":"s1","cwd":"/","prompt":"a\nb"}`
	measure := func(in *point.Installer) {
		agent.PreStep.Handle(in, func(_ context.Context, s agent.Step, _ point.Next[agent.StepDecision]) (agent.StepDecision, error) {
			return agent.Reject{Reason: strconv.Itoa(len(s.Prompt))}, nil
		})
	}
	checkReply(t, explain(t, prompt, measure).Reply, `{"decision":"block","reason":"3"}`)

	e, err := claudecode.New(claudecode.Options{}).Decode(invocation(before("Bash", `{"command":"a\nb"}`)))
	require.NoError(t, err)
	require.Len(t, e.Proposal.Action.(tool.Shell).Command, 3)
}

// bug-064: no opinion prints nothing, and never allows.
func TestBug064(t *testing.T) {
	const stdin = `{"hook_event_name":"PreToolUse","session_id":"s1","cwd":"/home/dev/app","tool_name":"Write","tool_input":{"file_path":"hello.py","content":"x"}}`
	for _, p := range []policy{nobody, pre(tool.Allow{}), noEnvFile} {
		require.Empty(t, explain(t, stdin, p).Reply)
	}
}

// bug-087: a policy sees a clean absolute path, however the call spells it.
func TestBug087(t *testing.T) {
	for _, file := range []string{"src/../.env", ".env", "./.env", "/home/dev/app/.env", "~/app/.env", "/home/dev/app//src/../.env"} {
		checkReply(t, explain(t, before("Write", `{"file_path":"`+file+`","content":"x"}`), noEnvFile).Reply, denied)
	}
}

// bug-133: a rule about a file holds for every tool that takes a path.
func TestBug133(t *testing.T) {
	for name, input := range map[string]string{
		"Grep":         `{"pattern":"KEY","path":".env"}`,
		"Glob":         `{"pattern":".env"}`,
		"LS":           `{"path":".env"}`,
		"Read":         `{"file_path":".env"}`,
		"NotebookRead": `{"notebook_path":".env"}`,
		"LSP":          `{"operation":"hover","filePath":".env"}`,
		"Edit":         `{"file_path":".env","old_string":"a","new_string":"b"}`,
	} {
		t.Run(name, func(t *testing.T) { checkReply(t, explain(t, before(name, input), noEnvFile).Reply, denied) })
	}
}
