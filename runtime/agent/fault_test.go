package agent_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

func sleepyTool() (*tool.Registry, error) {
	tools := new(tool.Registry)
	_, err := tools.Register(tool.Definition{
		Name: "t", Output: tool.Output{Schema: value.OfObject()},
		Execute: func(context.Context, *tool.Running) (any, error) { return "ok", nil },
	})
	return tools, err
}

// build makes an agent whose log is in memory.
func build(t testing.TB, o agent.Options) *agent.Agent {
	t.Helper()
	if o.Log == nil {
		log, err := session.NewLog(session.Header{ID: "s"}, session.LogOptions{})
		require.NoError(t, err)
		o.Log = log
	}
	o.Session.ID = o.Log.Header().ID
	if o.Config.Model == "" {
		o.Config.Model = "m"
	}
	a, err := agent.New(context.Background(), o)
	require.NoError(t, err)
	require.NoError(t, a.WhenStarted(context.Background()))
	return a
}

func idle(t testing.TB, a *agent.Agent) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	require.NoError(t, a.WhenIdle(ctx))
}

func say(t testing.TB, a *agent.Agent, text string) {
	t.Helper()
	require.NoError(t, a.Followup(context.Background(), agent.Said(text)))
}

// policy is an extension made of one function.
type policy struct {
	name    string
	install func(in *point.Installer)
}

func (p policy) Name() string                      { return p.name }
func (p policy) Install(in *point.Installer) error { p.install(in); return nil }

// hungModel answers nothing until its request is cancelled.
type hungModel struct{ first []model.Chunk }

func (m hungModel) Stream(ctx context.Context, _ model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for _, c := range m.first {
			if !yield(c, nil) {
				return
			}
		}
		<-ctx.Done()
		yield(nil, context.Cause(ctx))
	}
}

// Whatever hangs as long as its context lives, the turn ends soon after its
// time-out, and nothing is left running.
func TestHangs(t *testing.T) {
	const limit = 50 * time.Millisecond
	hang := func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }
	tools := new(tool.Registry)
	_, err := tools.Register(tool.Definition{
		Name: "t", Output: tool.Output{Schema: value.OfObject()},
		Execute: func(ctx context.Context, _ *tool.Running) (any, error) { return nil, hang(ctx) },
	})
	require.NoError(t, err)
	calls := func() model.Model {
		return &model.Scripted{Replies: []model.Reply{{Calls: []session.ToolCall{{ID: "c", Tool: "t", Arguments: value.OfObject()}}}, {Text: "done"}}}
	}
	for _, test := range []struct {
		name    string
		model   model.Model
		install func(in *point.Installer)
		options agent.Options
		end     session.EndKind
		code    string
	}{
		{"a model that never answers", hungModel{}, nil, agent.Options{StallTimeout: limit}, session.EndError, model.CodeTimeout},
		{"a model that stops in the middle", hungModel{[]model.Chunk{model.TextDelta{Text: "well"}}}, nil, agent.Options{StallTimeout: limit}, session.EndError, model.CodeTimeout},
		{"a turn with such a model", hungModel{[]model.Chunk{model.TextDelta{Text: "well"}}}, nil, agent.Options{TurnTimeout: limit}, session.EndAborted, ""},
		{"a tool", calls(), nil, agent.Options{TurnTimeout: limit, Tools: tools}, session.EndAborted, ""},
		{"a handler of pre-step", hungModel{}, func(in *point.Installer) {
			agent.PreStep.Handle(in, func(ctx context.Context, _ agent.Step, _ point.Next[agent.StepDecision]) (agent.StepDecision, error) {
				return nil, hang(ctx)
			})
		}, agent.Options{TurnTimeout: limit}, session.EndAborted, ""},
		{"a handler of pre-execute", calls(), func(in *point.Installer) {
			tool.PreExecute.Handle(in, func(ctx context.Context, _ tool.Call, _ tool.PreNext) (tool.PreDecision, error) {
				return nil, hang(ctx)
			})
		}, agent.Options{TurnTimeout: limit, Tools: tools}, session.EndAborted, ""},
		{"a handler of turn-stopping", &model.Scripted{Replies: []model.Reply{{Text: "done"}}}, func(in *point.Installer) {
			agent.OnTurnStopping.Handle(in, func(ctx context.Context, _ agent.Stopping) error { return hang(ctx) })
		}, agent.Options{TurnTimeout: limit}, session.EndAborted, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			routines := runtime.NumGoroutine()
			o := test.options
			o.Model = test.model
			if test.install != nil {
				o.Extensions = []point.Extension{policy{"p", test.install}}
			}
			a := build(t, o)
			start := time.Now()
			say(t, a, "go")
			idle(t, a)
			require.Less(t, time.Since(start), limit+time.Second)
			end := a.Log().Work().End
			require.Equal(t, test.end, end.Kind)
			if test.code != "" {
				require.Equal(t, test.code, end.Failure.Code)
			}
			require.Empty(t, unanswered(t, a.Log()))
			require.NoError(t, a.Close(context.Background(), ""))
			require.LessOrEqual(t, settledGoroutines(routines), routines)
		})
	}
}

// settledGoroutines returns how many goroutines there are, once they are as few
// as wanted or have had time to end.
func settledGoroutines(wanted int) int {
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > wanted && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	return runtime.NumGoroutine()
}

// A panic anywhere ends a turn at most.
func TestPanicsAreContained(t *testing.T) {
	a := build(t, agent.Options{
		Model: panicking{}, Prompt: func(_ context.Context, p agent.Proposal) (agent.Prompt, error) {
			if p.Turn == 1 {
				panic("in the prompt")
			}
			return agent.Prompt{}, nil
		},
	})
	for range 2 {
		say(t, a, "go")
		idle(t, a)
		require.Equal(t, session.EndError, a.Log().Work().End.Kind)
		require.Contains(t, a.Log().Work().End.Failure.Message, "panic")
	}
	require.NoError(t, a.Close(context.Background(), ""))
}

type panicking struct{}

func (panicking) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(func(model.Chunk, error) bool) { panic("in the model") }
}

// A log that cannot be flushed prevents what could not be known of afterwards:
// the handlers of a step, a request, the body of a tool.
func TestFlushBeforeEffects(t *testing.T) {
	for _, test := range []struct {
		name    string
		after   int // how many flushes succeed
		effects []string
	}{
		{"before the step", 0, nil},
		{"before the request", 1, []string{"pre-step"}},
		{"before the tool", 2, []string{"pre-step", "request"}},
		{"before the next step", 3, []string{"pre-step", "request", "tool"}},
		{"never", 100, []string{"pre-step", "request", "tool", "pre-step", "request"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var effects []string
			left := test.after
			log, err := session.CreateLog(t.TempDir()+"/log", session.Header{ID: "s"}, session.LogOptions{Flushers: []func() error{func() error {
				if left--; left < 0 {
					return errors.New("the copy is out of reach")
				}
				return nil
			}}})
			require.NoError(t, err)
			tools := new(tool.Registry)
			_, err = tools.Register(tool.Definition{
				Name: "t", Output: tool.Output{Schema: value.OfObject()},
				Execute: func(context.Context, *tool.Running) (any, error) { effects = append(effects, "tool"); return "ok", nil },
			})
			require.NoError(t, err)
			m := &model.Scripted{Replies: []model.Reply{{Calls: []session.ToolCall{{ID: "c", Tool: "t", Arguments: value.OfObject()}}}, {Text: "done"}}}
			m.Before = func(context.Context, int, model.Request) error { effects = append(effects, "request"); return nil }
			a := build(t, agent.Options{Log: log, Model: m, Tools: tools, FlushBeforeEffects: true, Extensions: []point.Extension{policy{"p", func(in *point.Installer) {
				agent.PreStep.Handle(in, func(ctx context.Context, _ agent.Step, next point.Next[agent.StepDecision]) (agent.StepDecision, error) {
					effects = append(effects, "pre-step")
					return next(ctx)
				})
			}}}})
			say(t, a, "go")
			idle(t, a)
			require.Equal(t, test.effects, effects)
			require.Empty(t, unanswered(t, log), "the call that did not run has a result that says so")
			if test.after < 100 {
				require.Contains(t, log.Work().End.Failure.Message, "out of reach")
			}
			require.NoError(t, a.Close(context.Background(), ""))
			require.NoError(t, log.Close())
		})
	}
}

// Who was asked for a call, and what came of it, stays in the log.
func TestApprovalsAreLogged(t *testing.T) {
	for _, test := range []struct {
		name string
		rt   *tool.Runtime
		want string
	}{
		{"granted by the user", &tool.Runtime{Approvals: &tool.Approvals{Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) {
			return tool.Grant{}, nil
		})}}, `{"turn":1,"step":1,"call":"c","tool":"t","reason":"sure?","outcome":"allowed-once","by":{"kind":"approver"}}`},
		{"nobody is there", &tool.Runtime{Approvals: &tool.Approvals{}}, `{"turn":1,"step":1,"call":"c","tool":"t","reason":"sure?","outcome":"unavailable"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &model.Scripted{Replies: []model.Reply{{Calls: []session.ToolCall{{ID: "c", Tool: "t", Arguments: value.OfObject()}}}, {Text: "done"}}}
			a := build(t, agent.Options{Model: m, Pipeline: test.rt, Tools: simpleTool(t), Extensions: []point.Extension{policy{"p", func(in *point.Installer) {
				tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
					return tool.Ask{Reason: "sure?"}, nil
				})
			}}}})
			say(t, a, "go")
			idle(t, a)
			var kinds []session.EventType
			for e, err := range a.Log().Entries() {
				require.NoError(t, err)
				switch e.Type {
				case session.EventDecided:
					require.JSONEq(t, test.want, e.Data.String())
					kinds = append(kinds, e.Type)
				case session.EventAsked, session.EventCall, session.EventResult:
					kinds = append(kinds, e.Type)
				default:
				}
			}
			require.Equal(t, []session.EventType{session.EventCall, session.EventAsked, session.EventDecided, session.EventResult}, kinds)
			require.NoError(t, a.Close(context.Background(), ""))
		})
	}
}
