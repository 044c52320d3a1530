package agent_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

func inMemory(t *testing.T) *session.Log {
	t.Helper()
	log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{})
	require.NoError(t, err)
	return log
}

// Whoever heard that something came hears that it went, and nobody else; an
// agent that is refused gives its ID back.
func TestAnnouncementsArePaired(t *testing.T) {
	for _, test := range []struct {
		name, refuses string
		setup         error
		want          []string
	}{
		{"a full life", "", nil, []string{agent.SessionCreated, agent.AgentCreated, agent.AgentDisposed, agent.SessionDisposed}},
		{"refused as a session", agent.SessionCreated, nil, []string{agent.SessionCreated, agent.SessionDisposed}},
		{"refused as an agent", agent.AgentCreated, nil, []string{agent.SessionCreated, agent.AgentCreated, agent.AgentDisposed, agent.SessionDisposed}},
		{"a setup that fails", "", errors.New("no"), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var directory agent.Directory
			var heard []string
			o := agent.Options{Session: session.Ref{ID: "s"}, Log: inMemory(t), Model: replies(), Directory: &directory}
			o.Setup = func(*agent.Agent) error { return test.setup }
			o.Announce = []func(agent.Announcement) error{
				func(a agent.Announcement) error {
					if a.Kind == test.refuses {
						panic("refused")
					}
					return nil
				},
				func(a agent.Announcement) error {
					require.Equal(t, "s", a.Agent.Session().ID)
					heard = append(heard, a.Kind)
					return nil
				},
			}
			a, err := agent.New(context.Background(), o)
			if err == nil {
				require.NoError(t, a.Close(context.Background(), ""))
			}
			require.Equal(t, test.refuses != "" || test.setup != nil, err != nil, "%v", err)
			require.Equal(t, test.want, heard)
			o.Setup, o.Announce = nil, nil
			again, err := agent.New(context.Background(), o)
			require.NoError(t, err, "the ID is free")
			require.NoError(t, again.Close(context.Background(), ""))
		})
	}
}

// Of many who want an ID at the same time one gets it.
func TestOneAgentForEachSession(t *testing.T) {
	var directory agent.Directory
	var made atomic.Pointer[agent.Agent]
	var refused atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			a, err := agent.New(context.Background(), agent.Options{Session: session.Ref{ID: "s"}, Log: inMemory(t), Model: replies("hello"), Config: agent.Config{Model: "m"}, Directory: &directory})
			var exists *agent.ExistsError
			if errors.As(err, &exists) {
				refused.Add(1)
				return
			}
			require.NoError(t, err)
			require.Nil(t, made.Swap(a))
		})
	}
	group.Wait()
	require.EqualValues(t, 7, refused.Load())
	found, ok := directory.Agent("s")
	require.True(t, ok)
	require.NoError(t, found.Followup(context.Background(), agent.Said("hi")))
	require.NoError(t, found.WhenIdle(context.Background()))
	log, ok := directory.Log("s")
	require.True(t, ok)
	require.Len(t, log.History(), 2)
	require.NoError(t, made.Load().Close(context.Background(), ""))
	_, ok = directory.Agent("s")
	require.False(t, ok)
}

// Whoever does not want the agent any more while it is made gets none.
func TestCreationIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	enough := errors.New("enough")
	var heard []string
	_, err := agent.New(ctx, agent.Options{
		Session: session.Ref{ID: "s"}, Log: inMemory(t), Model: replies(),
		Setup:    func(*agent.Agent) error { cancel(enough); return nil },
		Announce: []func(agent.Announcement) error{func(a agent.Announcement) error { heard = append(heard, a.Kind); return nil }},
	})
	require.ErrorIs(t, err, enough)
	require.Empty(t, heard)
}

// Handlers, tools and models can tell on whose behalf they run.
func TestFromContext(t *testing.T) {
	var who []string
	see := func(ctx context.Context) {
		p, ok := agent.FromContext(ctx)
		require.True(t, ok)
		who = append(who, p.Session().ID)
	}
	m := &model.Scripted{Replies: []model.Reply{{Calls: []session.ToolCall{callOf("c", "echo", "x")}}, {Text: "done"}}}
	m.Before = func(ctx context.Context, _ int, _ model.Request) error { see(ctx); return nil }
	a := build(t, agent.Options{Model: m, Tools: echoTools(t), Extensions: []point.Extension{policy{"p", func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(ctx context.Context, _ tool.Call, next tool.PreNext) (tool.PreDecision, error) {
			see(ctx)
			return next(ctx)
		})
	}}}})
	say(t, a, "go")
	idle(t, a)
	require.Equal(t, []string{"s", "s", "s"}, who)
	require.NoError(t, a.Close(context.Background(), ""))
	_, ok := agent.FromContext(context.Background())
	require.False(t, ok)
}
