package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// One policy, written twice. It says that it is there, rejects a prompt, denies
// a tool, changes an argument, adds a context to every result, and makes a turn
// go on once.
const luaPolicy = `
dsh.on("agent/session-start", function(start)
  start.live:inject("policy active: " .. start.source)
end)
dsh.on("agent/pre-step", function(step)
  if step.prompt and step.prompt:find("rm -rf", 1, true) then
    return dsh.reject "no such prompts"
  end
end)
dsh.on("tools/rewrite", { tool = "echo" }, function(call)
  if call.arguments.text == "loud" then
    return dsh.rewrite { arguments = { text = "quiet" }, reason = "not so loud" }
  end
end)
dsh.on("tools/pre-execute", { tool = "danger" }, function()
  return dsh.deny "danger is denied"
end)
dsh.on("tools/post-execute", { tool = "echo" }, function()
  return dsh.accept { contexts = { "audited" } }
end)
dsh.on("agent/turn-stopping", function(stop)
  if not stop.stop_active then
    stop.live:steer("say more than " .. stop.last_message)
  end
end)
`

type goPolicy struct{}

func (goPolicy) Name() string { return "policy" }

func (goPolicy) Install(in *point.Installer) error {
	agent.OnSessionStart.Handle(in, func(_ context.Context, p agent.Started) error {
		return p.Live.Inject(session.FromExtension("policy", "policy active: "+p.Source))
	})
	agent.PreStep.Handle(in, func(ctx context.Context, p agent.Step, next point.Next[agent.StepDecision]) (agent.StepDecision, error) {
		if strings.Contains(p.Prompt, "rm -rf") {
			return agent.Reject{Reason: "no such prompts"}, nil
		}
		return next(ctx)
	})
	tool.OnRewrite.Handle(in, func(ctx context.Context, p tool.Proposal, next point.Next[tool.Rewriting]) (tool.Rewriting, error) {
		if p.Arguments.Get("text").String() == "loud" {
			return tool.Rewrite{Arguments: value.MustFrom(map[string]any{"text": "quiet"}), Reason: "not so loud"}, nil
		}
		return next(ctx)
	})
	tool.PreExecute.Handle(in, func(ctx context.Context, c tool.Call, next tool.PreNext) (tool.PreDecision, error) {
		if c.Tool == "danger" {
			return tool.Deny{Reason: "danger is denied"}, nil
		}
		return next(ctx)
	})
	tool.PostExecute.Handle(in, func(ctx context.Context, d tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
		out, err := next(ctx)
		if accept, ok := out.(tool.Accept); ok && d.Call.Tool == "echo" {
			accept.Contexts = append([]session.Context{{Text: "audited"}}, accept.Contexts...)
			return accept, err
		}
		return out, err
	})
	agent.OnTurnStopping.Handle(in, func(_ context.Context, p agent.Stopping) error {
		if p.StopActive {
			return nil
		}
		return p.Live.Steer(session.FromExtension("policy", "say more than "+p.LastMessage))
	})
	return nil
}

func echoTools(t *testing.T) *tool.Registry {
	t.Helper()
	tools := new(tool.Registry)
	for _, name := range []string{"echo", "danger"} {
		_, err := tools.Register(tool.Definition{
			Name: name, Output: tool.Output{Schema: value.OfObject()},
			Execute: func(_ context.Context, run *tool.Running) (any, error) { return run.Arguments().Get("text"), nil },
		})
		require.NoError(t, err)
	}
	return tools
}

func callOf(id, name, text string) session.ToolCall {
	return session.ToolCall{ID: id, Tool: name, Arguments: value.MustFrom(map[string]any{"text": text})}
}

// The same policy in either language leads to the same log.
func TestPolicyInBothLanguages(t *testing.T) {
	logs := map[string][]string{}
	for _, language := range []string{"go", "lua"} {
		var ext point.Extension = goPolicy{}
		if language == "lua" {
			s, err := script.Load(context.Background(), "policy.lua", luaPolicy, script.Options{Points: append(agent.Points(), tool.Points()...)})
			require.NoError(t, err)
			ext = s
		}
		a := build(t, agent.Options{
			Extensions: []point.Extension{ext}, Tools: echoTools(t),
			Model: &model.Scripted{Replies: []model.Reply{
				{Calls: []session.ToolCall{callOf("c1", "echo", "loud"), callOf("c2", "danger", "x")}}, {Text: "done"}, {Text: "more"},
			}},
		})
		say(t, a, "please")
		idle(t, a)
		say(t, a, "rm -rf /")
		idle(t, a)
		for _, m := range a.Log().History() {
			logs[language] = append(logs[language], strings.ReplaceAll(line(m), "policy.lua", "policy"))
		}
		require.Equal(t, session.End{Kind: session.EndBlocked, Reason: "no such prompts"}, a.Log().Work().End)
		for e, err := range a.Log().Entries() {
			require.NoError(t, err)
			if e.Type == session.EventCall && e.Data.Get("id").String() == "c1" {
				require.JSONEq(t, `{"text":"quiet"}`, e.Data.Get("arguments").String())
				require.JSONEq(t, `{"text":"loud"}`, e.Data.Get("original_arguments").String())
				require.Equal(t, "not so loud", e.Data.Get("rewrite_reason").String())
			}
		}
		require.NoError(t, a.Close(context.Background(), ""))
	}
	require.Equal(t, []string{
		"policy: policy active: startup",
		"user: please",
		`model: echo{"text":"loud"} danger{"text":"x"}`,
		"c1: quiet",
		"c2: failed Error: danger is denied",
		"runtime: Call c1 of echo did not run as you made it. It ran with these arguments: {\"text\":\"quiet\"}\nThe reason: not so loud",
		"policy: audited",
		"model: done",
		"policy: say more than done",
		"model: more",
	}, logs["go"])
	require.Equal(t, logs["go"], logs["lua"])
}

// line writes a message as "source: content".
func line(m session.Message) string {
	var who string
	switch s := m.Source.(type) {
	case session.User:
		who = "user"
	case session.Model:
		who = "model"
	case session.Extension:
		who = s.Name
	case session.Call:
		who = s.ID
	case session.Runtime:
		who = "runtime"
	}
	var parts []string
	for _, p := range m.Content {
		switch p := p.(type) {
		case session.Text:
			parts = append(parts, p.Text)
		case session.ToolCall:
			parts = append(parts, p.Tool+p.Arguments.String())
		case session.ToolResult:
			text := session.Message{Content: p.Content}.Text()
			if p.Failed {
				text = "failed " + text
			}
			parts = append(parts, text)
		case session.Reasoning, session.Image:
		}
	}
	return fmt.Sprintf("%s: %s", who, strings.Join(parts, " "))
}
