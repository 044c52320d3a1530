package subagent_test

import (
	"context"
	"testing"
	"time"

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
type parentPolicy struct {
	rounds int
	active []bool // what subagent/end said of stop_active
}

func (*parentPolicy) Name() string { return "policy" }

func (p *parentPolicy) Install(in *point.Installer) error {
	tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
		return tool.Deny{Reason: "not here"}, nil
	})
	subagent.OnStart.Handle(in, func(_ context.Context, s subagent.Started) error {
		return s.Live.Inject(session.FromExtension("policy", "be brief"))
	})
	subagent.OnEnd.Handle(in, func(_ context.Context, e subagent.Ended) error {
		p.active = append(p.active, e.StopActive)
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
	require.Equal(t, []bool{false, true}, p.active)
	history := run.Agent().Log().History()
	require.Equal(t, "be brief", history[0].Text())
	require.Equal(t, "do it", history[1].Text())
	require.Contains(t, history[2].Text(), "You work for another agent")
	require.True(t, history[4].Content[0].(session.ToolResult).Failed, "the parent's policy denied the call")
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

func TestProviders(t *testing.T) {
	a := parent(t, &parentPolicy{})
	p := subagent.InProcess()
	_, err := p.Start(context.Background(), "ghost", a, subagent.Options{ID: "child", Prompt: "x"})
	require.Equal(t, subagent.CodeNoProvider, codeOf(t, err))
	_, err = p.Register(subagent.Spawn, subagent.Start)
	require.Equal(t, subagent.CodeDuplicateProvider, codeOf(t, err))
	var asked string
	remove, err := p.Register("mine", func(_ context.Context, _ *agent.Agent, o subagent.Options) (*subagent.Run, error) {
		asked = o.Prompt
		return nil, subagent.ErrDepth
	})
	require.NoError(t, err)
	_, err = p.Start(context.Background(), "mine", a, subagent.Options{ID: "child", Prompt: "x"})
	require.ErrorIs(t, err, subagent.ErrDepth)
	require.Equal(t, "x", asked)
	remove()
	_, err = p.Start(context.Background(), "mine", a, subagent.Options{ID: "child", Prompt: "x"})
	require.Equal(t, subagent.CodeNoProvider, codeOf(t, err))
	run, err := p.Start(context.Background(), subagent.Spawn, a, subagent.Options{ID: "child", Prompt: "x"})
	require.NoError(t, err)
	require.Equal(t, subagent.Completed, run.Wait().Outcome)
	require.NoError(t, run.Close(context.Background()))
	require.NoError(t, a.Close(context.Background(), ""))
}

func codeOf(t *testing.T, err error) string {
	t.Helper()
	var e *subagent.Error
	require.ErrorAs(t, err, &e)
	return e.Code
}

// cancelling cancels what its subagent was to do before it is given its task,
// and then hangs in its end.
type cancelling struct {
	cancel context.CancelFunc
	ends   []string
}

func (*cancelling) Name() string { return "cancelling" }

func (c *cancelling) Install(in *point.Installer) error {
	subagent.OnStart.Handle(in, func(context.Context, subagent.Started) error { c.cancel(); return nil })
	subagent.OnEnd.Handle(in, func(ctx context.Context, e subagent.Ended) error {
		c.ends = append(c.ends, e.Outcome)
		<-ctx.Done()
		return ctx.Err()
	})
	return nil
}

// Whose start was told, of that the end is told, and nobody who is told can hold
// up what follows.
func TestEveryStartHasItsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &cancelling{cancel: cancel}
	log, err := session.NewLog(session.Header{ID: "parent"}, session.LogOptions{})
	require.NoError(t, err)
	a, err := agent.New(context.Background(), agent.Options{
		Session: session.Ref{ID: "parent"}, Log: log, Model: &model.Scripted{}, Extensions: []point.Extension{c}, TellTimeout: time.Millisecond,
	})
	require.NoError(t, err)
	result, err := subagent.Do(ctx, a, subagent.Options{ID: "child", Prompt: "x"})
	require.NoError(t, err)
	require.Equal(t, subagent.Aborted, result.Outcome)
	require.Equal(t, []string{subagent.Aborted}, c.ends)
	require.NoError(t, a.Close(context.Background(), ""))
}
