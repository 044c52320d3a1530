package subagent_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// parentPolicy is an extension of the parent's session alone.
type parentPolicy struct{ rounds int }

func (*parentPolicy) Name() string { return "policy" }

func (p *parentPolicy) Install(in *point.Installer) error {
	tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
		return tool.Deny{Reason: "not here"}, nil
	})
	subagent.OnStart.Handle(in, func(_ context.Context, s subagent.Started) error {
		return s.Live.Inject(session.FromExtension("policy", "be brief"))
	})
	subagent.OnEnd.Handle(in, func(_ context.Context, e subagent.Ended) error {
		if p.rounds++; p.rounds == 1 {
			return e.Live.Steer(session.FromExtension("policy", "check it"))
		}
		return nil
	})
	return nil
}

func parent(t *testing.T, p *parentPolicy) *agent.Agent {
	t.Helper()
	log, err := session.NewLog(session.Header{ID: "parent"}, session.LogOptions{})
	require.NoError(t, err)
	tools := new(tool.Registry)
	_, err = tools.Register(tool.Definition{
		Name: "t", Output: tool.Output{Schema: value.OfObject()},
		Execute: func(context.Context, *tool.Running) (any, error) { return "ran", nil },
	})
	require.NoError(t, err)
	a, err := agent.New(context.Background(), agent.Options{
		Session: session.Ref{ID: "parent"}, Log: log, Tools: tools, Config: agent.Config{Model: "m"}, Extensions: []point.Extension{p},
		Model: &model.Scripted{Replies: []model.Reply{
			{Calls: []session.ToolCall{{ID: "c", Tool: "t", Arguments: value.OfObject()}}}, {Text: "draft"}, {Text: "checked"},
		}},
	})
	require.NoError(t, err)
	return a
}

// What judges the parent's calls judges the child's, what its start injects is
// part of its first request, and its end can make it go on.
func TestSubagentIsUnderItsParentsPolicy(t *testing.T) {
	p := &parentPolicy{}
	a := parent(t, p)
	run, err := subagent.Start(context.Background(), a, subagent.Options{ID: "child", Type: "worker", Prompt: "do it"})
	require.NoError(t, err)
	result := run.Wait()
	require.Equal(t, subagent.Completed, result.Outcome)
	require.Equal(t, []session.Part{session.Text{Text: "checked"}}, result.Output)
	require.Equal(t, 2, p.rounds)
	history := run.Agent().Log().History()
	require.Equal(t, "be brief", history[0].Text())
	require.Equal(t, "do it", history[1].Text())
	require.True(t, history[3].Content[0].(session.ToolResult).Failed, "the parent's policy denied the call")
	require.NoError(t, run.Close(context.Background()))
	require.NoError(t, a.Close(context.Background(), ""))
}

func TestDepth(t *testing.T) {
	a := parent(t, &parentPolicy{})
	_, err := subagent.Start(context.Background(), a, subagent.Options{ID: "child", Prompt: "x", MaxDepth: -1})
	require.ErrorIs(t, err, subagent.ErrDepth)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = subagent.Start(gone, a, subagent.Options{ID: "child", Prompt: "x"})
	require.ErrorIs(t, err, subagent.ErrCancelled)
	require.NoError(t, a.Close(context.Background(), ""))
}
