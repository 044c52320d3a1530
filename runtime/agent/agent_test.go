package agent_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

func replies(texts ...string) *model.Scripted {
	m := &model.Scripted{}
	for _, text := range texts {
		m.Replies = append(m.Replies, model.Reply{Text: text})
	}
	return m
}

func texts(list []session.Message) (out []string) {
	for _, m := range list {
		out = append(out, line(m))
	}
	return out
}

func TestHaltFromSessionStart(t *testing.T) {
	a := build(t, agent.Options{Model: replies("never"), Extensions: []point.Extension{policy{"p", func(in *point.Installer) {
		agent.OnSessionStart.Handle(in, func(_ context.Context, p agent.Started) error { return p.Live.Halt("not here") })
	}}}})
	say(t, a, "go")
	idle(t, a)
	require.Equal(t, session.End{Kind: session.EndAborted, Cause: &session.Cause{Kind: session.CauseHook, Reason: "not here"}}, a.Log().Work().End)
	require.Empty(t, a.Log().History())
	say(t, a, "again")
	idle(t, a)
	require.Equal(t, session.EndCompleted, a.Log().Work().End.Kind, "a halt ends one turn")
	require.NoError(t, a.Close(context.Background(), ""))
}

// Halt keeps what is pending; it waits for the next wake.
func TestHaltKeepsTheInbox(t *testing.T) {
	var a *agent.Agent
	a = build(t, agent.Options{Model: replies("one", "two"), Extensions: []point.Extension{policy{"p", func(in *point.Installer) {
		agent.OnTurnStopping.Handle(in, func(_ context.Context, p agent.Stopping) error {
			if p.Turn == 1 {
				say(t, a, "second")
				return p.Live.Halt("enough")
			}
			return nil
		})
	}}}})
	say(t, a, "first")
	idle(t, a)
	require.Equal(t, []string{"user: second"}, texts(a.Pending(session.NextTurn)))
	require.NoError(t, a.Steer(context.Background(), agent.Said("wake")))
	idle(t, a)
	require.Empty(t, a.Pending(session.NextTurn))
	require.NoError(t, a.Close(context.Background(), ""))
}

// A turn that extensions prolong ends at the limit, and the count begins anew
// with a tool call or what the human says.
func TestStopLimit(t *testing.T) {
	var stops []int
	endless := func(in *point.Installer) {
		agent.OnTurnStopping.Handle(in, func(_ context.Context, p agent.Stopping) error {
			stops = append(stops, p.Stops)
			return p.Live.Steer(session.FromExtension("p", "go on"))
		})
	}
	a := build(t, agent.Options{Model: replies("1", "2", "3", "4", "5", "6", "7", "8"), MaxStops: 2, Extensions: []point.Extension{policy{"p", endless}}})
	say(t, a, "go")
	idle(t, a)
	require.Equal(t, []int{0, 1, 2}, stops)
	require.Equal(t, session.EndCompleted, a.Log().Work().End.Kind)
	require.Empty(t, a.Pending(session.NextStep))
	stops = nil
	say(t, a, "again")
	idle(t, a)
	require.Equal(t, []int{0, 1, 2}, stops)
	require.NoError(t, a.Close(context.Background(), ""))
}

func TestBackoff(t *testing.T) {
	failing := func(code string) model.Reply {
		return model.Reply{Throw: &model.Error{Failure: session.Failure{Message: "x", Code: code}}}
	}
	for _, test := range []struct {
		name    string
		replies []model.Reply
		end     session.EndKind
	}{
		{"goes away", []model.Reply{failing("RATE_LIMIT"), failing("SERVER"), {Text: "ok"}}, session.EndCompleted},
		{"stays", []model.Reply{failing("SERVER"), failing("SERVER"), failing("SERVER")}, session.EndError},
		{"will not go away", []model.Reply{failing("AUTH"), {Text: "never"}}, session.EndError},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := build(t, agent.Options{Model: &model.Scripted{Replies: test.replies}, Extensions: []point.Extension{agent.Backoff{Tries: 3, First: 1, Most: 2}}})
			say(t, a, "go")
			idle(t, a)
			require.Equal(t, test.end, a.Log().Work().End.Kind)
			require.NoError(t, a.Close(context.Background(), ""))
		})
	}
}

// Each session has its own extensions and tools; what the program has, all have.
func TestSessionsAreApart(t *testing.T) {
	var mu sync.Mutex
	heard := map[string]int{}
	counter := func(name string) point.Extension {
		return policy{name, func(in *point.Installer) {
			agent.PreStep.Handle(in, func(ctx context.Context, _ agent.Step, next point.Next[agent.StepDecision]) (agent.StepDecision, error) {
				mu.Lock()
				heard[name]++
				mu.Unlock()
				return next(ctx)
			})
		}}
	}
	program := new(point.Registry)
	_, err := program.Install(counter("program"))
	require.NoError(t, err)
	one := build(t, agent.Options{Handlers: program, Model: replies("x", "y"), Extensions: []point.Extension{counter("one")}})
	two := build(t, agent.Options{Handlers: program, Model: replies("x", "y")})
	say(t, one, "go")
	say(t, two, "go")
	idle(t, one)
	idle(t, two)
	require.Equal(t, map[string]int{"program": 2, "one": 1}, heard)
	require.NoError(t, one.Close(context.Background(), ""))
	_, err = one.Handlers().Install(counter("late"))
	require.ErrorIs(t, err, point.ErrDisposed)
	require.NoError(t, two.Close(context.Background(), ""))
}

// Whatever the timing of senders, every message gets a turn of its own, once,
// in the order of its sender.
func TestEveryMessageOnce(t *testing.T) {
	const senders, each = 8, 20
	m := &model.Scripted{Replies: make([]model.Reply, senders*each)}
	for i := range m.Replies {
		m.Replies[i].Text = "ok"
	}
	var statuses []string
	name := filepath.Join(t.TempDir(), "log")
	log, err := session.CreateLog(name, session.Header{ID: "s"}, session.LogOptions{})
	require.NoError(t, err)
	a := build(t, agent.Options{Model: m, Log: log, Extensions: []point.Extension{policy{"p", func(in *point.Installer) {
		agent.OnStatus.Handle(in, func(_ context.Context, s agent.Status) error { statuses = append(statuses, s.Status); return nil })
	}}}})
	var group sync.WaitGroup
	for s := range senders {
		group.Go(func() {
			for n := range each {
				require.NoError(t, a.Followup(context.Background(), session.Message{ID: fmt.Sprintf("%d-%d", s, n), Content: []session.Part{session.Text{Text: "x"}}}))
			}
		})
	}
	group.Wait()
	idle(t, a)
	next := map[string]int{}
	for _, msg := range a.Log().History() {
		if msg.Role != session.RoleUser {
			continue
		}
		var s, n int
		_, err := fmt.Sscanf(msg.ID, "%d-%d", &s, &n)
		require.NoError(t, err)
		require.Equal(t, next[fmt.Sprint(s)], n)
		next[fmt.Sprint(s)]++
	}
	require.Len(t, a.Log().History(), 2*senders*each)
	turns, open := a.Log().Turn()
	require.Equal(t, senders*each, turns)
	require.False(t, open)
	require.NoError(t, a.Close(context.Background(), ""))
	for i, s := range statuses {
		require.Equal(t, []string{agent.Running, agent.Idle}[i%2], s, "%d of %v", i, statuses)
	}
	require.Equal(t, agent.Idle, statuses[len(statuses)-1])
	history := log.History()
	require.NoError(t, log.Close())
	again, err := session.OpenLog(name, session.LogOptions{})
	require.NoError(t, err)
	require.Equal(t, history, again.History())
	require.NoError(t, again.Close())
}

// A session goes on where it ended, with what was pending.
func TestResume(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	log, err := session.CreateLog(name, session.Header{ID: "s"}, session.LogOptions{})
	require.NoError(t, err)
	a := build(t, agent.Options{Log: log, Model: replies("one")})
	say(t, a, "first")
	idle(t, a)
	require.NoError(t, a.Inject(context.Background(), agent.Said("by the way")))
	log.Close() // the process dies

	log, err = session.OpenLog(name, session.LogOptions{})
	require.NoError(t, err)
	var sources []string
	var asked []string
	m := replies("two")
	m.Before = func(_ context.Context, _ int, r model.Request) error { asked = texts(r.Messages); return nil }
	b := build(t, agent.Options{Log: log, Source: "resume", Model: m, Extensions: []point.Extension{policy{"p", func(in *point.Installer) {
		agent.OnSessionStart.Handle(in, func(_ context.Context, p agent.Started) error { sources = append(sources, p.Source); return nil })
	}}}})
	require.Equal(t, []string{"user: by the way"}, texts(b.Pending(session.NextStep)))
	say(t, b, "second")
	idle(t, b)
	require.Equal(t, []string{"resume"}, sources)
	require.Equal(t, []string{"user: first", "model: one", "user: by the way", "user: second"}, asked)
	require.NoError(t, b.Close(context.Background(), ""))
	require.NoError(t, log.Close())
}

func TestRefusedOptions(t *testing.T) {
	log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{})
	require.NoError(t, err)
	for name, o := range map[string]agent.Options{
		"no log":             {Session: session.Ref{ID: "s"}, Model: replies()},
		"no model":           {Session: session.Ref{ID: "s"}, Log: log},
		"another session":    {Session: session.Ref{ID: "other"}, Log: log, Model: replies()},
		"a limit below 0":    {Session: session.Ref{ID: "s"}, Log: log, Model: replies(), Config: agent.Config{MaxTokens: -1}},
		"a setup that fails": {Session: session.Ref{ID: "s"}, Log: log, Model: replies(), Setup: func(*agent.Agent) error { return tool.ErrLossy }},
	} {
		_, err := agent.New(context.Background(), o)
		require.Error(t, err, name)
	}
}

// A handler cannot take part in the log through what it is given.
func TestPayloadsAreCopies(t *testing.T) {
	a := build(t, agent.Options{Model: replies("ok"), Extensions: []point.Extension{policy{"p", func(in *point.Installer) {
		agent.PreStep.Handle(in, func(ctx context.Context, p agent.Step, next point.Next[agent.StepDecision]) (agent.StepDecision, error) {
			p.Messages[0].Content[0] = session.Text{Text: "changed"}
			return next(ctx)
		})
	}}}})
	say(t, a, "said")
	idle(t, a)
	require.Equal(t, "user: said", line(a.Log().History()[0]))
	require.NoError(t, a.Close(context.Background(), ""))
}

// A log and the points write messages in one form.
func TestMessagesHaveOneForm(t *testing.T) {
	args := callOf("c", "t", "x").Arguments
	list := []session.Message{
		{ID: "1", Role: session.RoleUser, Source: session.User{}, Content: []session.Part{session.Text{Text: "x"}, session.Image{MediaType: "image/png", Data: "eA=="}}},
		{ID: "2", Role: session.RoleAssistant, Source: session.Model{Name: "m", Replay: args}, Content: []session.Part{session.Reasoning{Text: "x"}, session.ToolCall{ID: "c", Tool: "t", Arguments: args}}},
		{ID: "3", Role: session.RoleUser, Source: session.Call{ID: "c"}, Content: []session.Part{session.ToolResult{Call: "c", Failed: true, Content: []session.Part{session.Text{Text: "x"}}}}},
		{ID: "4", Role: session.RoleUser, Source: session.Extension{Name: "e"}, Content: []session.Part{}},
		{ID: "5", Role: session.RoleSystem, Source: session.Runtime{Form: session.FormNote}, Content: []session.Part{}},
		{Role: session.RoleUser, Source: session.Model{}, Content: []session.Part{}},
	}
	v, err := agent.PreStep.Payload().Encode(agent.Step{Messages: list})
	require.NoError(t, err)
	for i, m := range list {
		encoded := session.EncodeMessage(m)
		require.Equal(t, v.Get("messages").At(i).String(), encoded.String())
		back, err := session.DecodeMessage(encoded)
		require.NoError(t, err)
		require.Equal(t, encoded.String(), session.EncodeMessage(back).String())
	}
}

// A request can be made again from the log alone, at whatever point it was made.
func TestRequestsAreInTheLog(t *testing.T) {
	type made struct {
		entries  int64
		messages []session.Message
		system   string
		tools    []string
	}
	var requests []made
	name := filepath.Join(t.TempDir(), "log")
	log, err := session.CreateLog(name, session.Header{ID: "s"}, session.LogOptions{})
	require.NoError(t, err)
	m := &model.Scripted{Replies: []model.Reply{
		{Calls: []session.ToolCall{callOf("c1", "echo", "loud"), callOf("c2", "danger", "x")}},
		{Throw: &model.Error{Failure: session.Failure{Message: "x", Code: "SERVER"}}},
		{Text: "done"},
		{Text: "more"},
		{Text: "again"},
		{Text: "and again"},
	}}
	m.Before = func(_ context.Context, _ int, r model.Request) error {
		made := made{log.Len(), r.Messages, r.System, nil}
		for _, t := range r.Tools {
			made.tools = append(made.tools, t.Name)
		}
		requests = append(requests, made)
		return nil
	}
	a := build(t, agent.Options{
		Log: log, Model: m, Tools: echoTools(t), Extensions: []point.Extension{goPolicy{}, agent.Backoff{First: 1, Most: 2}}, ToolOrder: []string{"echo", "*"},
		Prompt: func(_ context.Context, p agent.Proposal) (agent.Prompt, error) {
			return agent.Prompt{Sections: []agent.Section{{Name: "s", Text: fmt.Sprintf("turn %d", p.Turn)}}, Contexts: []string{fmt.Sprintf("step %d", p.Step)}}, nil
		},
	})
	for _, text := range []string{"please", "once more"} {
		say(t, a, text)
		idle(t, a)
	}
	require.NoError(t, a.Close(context.Background(), ""))
	require.NoError(t, log.Close())
	require.Len(t, requests, 6)
	for i, r := range requests {
		again, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{})
		require.NoError(t, err)
		require.NoError(t, session.ReadLog(name, func(session.Header) error { return nil }, func(e session.Entry) error {
			if e.Seq >= r.entries {
				return nil
			}
			_, err := again.Append(context.Background(), e.Event)
			return err
		}))
		header, _ := again.Request()
		require.Equal(t, r.messages, again.History(), "request %d", i)
		require.Equal(t, r.system, header.Get("system").String())
		require.Equal(t, []string{"echo", "danger"}, r.tools)
		for k, name := range r.tools {
			require.Equal(t, name, header.Get("tools").At(k).Get("name").String())
		}
	}
}

// An order of tools that cannot be kept fails its step, or the agent.
func TestToolOrder(t *testing.T) {
	a := build(t, agent.Options{Model: replies("never"), Tools: echoTools(t), ToolOrder: []string{"*", "gone"}})
	say(t, a, "go")
	idle(t, a)
	require.Contains(t, a.Log().Work().End.Failure.Message, `"gone"`)
	require.NoError(t, a.Close(context.Background(), ""))
	for _, order := range [][]string{{}, {"echo"}, {"*", "*"}} {
		_, err := agent.New(context.Background(), agent.Options{Session: session.Ref{ID: "s"}, Log: inMemory(t), Model: replies(), ToolOrder: order})
		require.Error(t, err, order)
	}
}

// Statuses alternate, however often an agent becomes idle while somebody wakes it.
func TestStatusesAlternate(t *testing.T) {
	var mu sync.Mutex
	var statuses []string
	m := &model.Scripted{Replies: make([]model.Reply, 400)}
	for i := range m.Replies {
		m.Replies[i].Text = "ok"
	}
	a := build(t, agent.Options{Model: m, Extensions: []point.Extension{policy{"p", func(in *point.Installer) {
		agent.OnStatus.Handle(in, func(_ context.Context, s agent.Status) error {
			mu.Lock()
			defer mu.Unlock()
			statuses = append(statuses, s.Status)
			return nil
		})
	}}}})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				say(t, a, "go")
				idle(t, a)
			}
		})
	}
	group.Wait()
	idle(t, a)
	require.NoError(t, a.Close(context.Background(), ""))
	for i, s := range statuses {
		require.Equal(t, []string{agent.Running, agent.Idle}[i%2], s, "%d of %d", i, len(statuses))
	}
	require.Equal(t, agent.Idle, statuses[len(statuses)-1])
}

// TestContentWithoutEnd is refused where it comes from, and ends no process.
func TestContentWithoutEnd(t *testing.T) {
	parts := make([]session.Part, 1)
	parts[0] = session.ToolResult{Call: "1", Content: parts}
	endless := session.Message{Content: parts}
	for _, enters := range []bool{false, true} {
		var injected error
		a := build(t, agent.Options{Model: replies("ok"), Extensions: []point.Extension{policy{"p", func(in *point.Installer) {
			agent.PreStep.Handle(in, func(ctx context.Context, p agent.Step, next point.Next[agent.StepDecision]) (agent.StepDecision, error) {
				if injected = p.Live.Inject(endless); enters {
					return agent.Enter{Messages: []session.Message{endless}}, nil
				}
				return next(ctx)
			})
		}}}})
		say(t, a, "said")
		idle(t, a)
		require.ErrorContains(t, injected, "content is nested deeper than 1000")
		want := session.EndCompleted
		if enters {
			want = session.EndError
		}
		require.Equal(t, want, a.Log().Work().End.Kind)
		require.NoError(t, a.Close(context.Background(), ""))
	}
}
