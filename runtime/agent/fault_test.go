package agent_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"strconv"
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

// hangLimit is how long things may take in the tests of what hangs.
const hangLimit = 50 * time.Millisecond

// hang waits for its context.
func hang(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }

// hangs is something that hangs, and how its turn ends.
type hangs struct {
	name    string
	model   model.Model
	install func(in *point.Installer)
	options agent.Options
	end     session.EndKind
	code    string
}

// hangsInLoop lists what hangs beside the tools.
func hangsInLoop() []hangs {
	const limit = hangLimit
	limited := agent.Options{TurnTimeout: limit}
	return []hangs{
		{"a model that never answers", hungModel{}, nil, agent.Options{StallTimeout: limit}, session.EndError, model.CodeTimeout},
		{"a model that stops in the middle", hungModel{[]model.Chunk{model.TextDelta{Text: "well"}}}, nil, agent.Options{StallTimeout: limit}, session.EndError, model.CodeTimeout},
		{"a turn with such a model", hungModel{[]model.Chunk{model.TextDelta{Text: "well"}}}, nil, limited, session.EndAborted, ""},
		{"the prompt", hungModel{}, nil, agent.Options{TurnTimeout: limit, Prompt: func(ctx context.Context, _ agent.Proposal) (agent.Prompt, error) {
			return agent.Prompt{}, hang(ctx)
		}}, session.EndAborted, ""},
		{"a handler of session start", replies("done"), func(in *point.Installer) { wait(agent.OnSessionStart, in, hang) }, agent.Options{StartTimeout: limit}, session.EndCompleted, ""},
		{"a handler of the status", replies("done"), func(in *point.Installer) { wait(agent.OnStatus, in, hang) }, agent.Options{TellTimeout: limit}, session.EndCompleted, ""},
		{"a handler of an error", &model.Scripted{}, func(in *point.Installer) { wait(agent.OnError, in, hang) }, agent.Options{TellTimeout: limit}, session.EndError, "SCRIPT_ENDED"},
		{"a handler of the end", replies("done"), func(in *point.Installer) { wait(agent.OnSessionEnd, in, hang) }, agent.Options{TellTimeout: limit}, session.EndCompleted, ""},
		{"a handler of turn-stopping", replies("done"), func(in *point.Installer) { wait(agent.OnTurnStopping, in, hang) }, limited, session.EndAborted, ""},
		{"a handler of pre-step", hungModel{}, func(in *point.Installer) { hold(agent.PreStep, in, nil, hang) }, limited, session.EndAborted, ""},
		{"a handler of the request", hungModel{}, func(in *point.Installer) { hold(agent.OnRequest, in, nil, hang) }, limited, session.EndAborted, ""},
		{"a handler of a failed request", &model.Scripted{}, func(in *point.Installer) { hold(agent.OnRequestError, in, nil, hang) }, limited, session.EndAborted, ""},
	}
}

// hangsInCalls lists what hangs while tools run: one that hangs, or one that is
// quick and something around it.
func hangsInCalls(t *testing.T) []hangs {
	const limit = hangLimit
	tools := new(tool.Registry)
	_, err := tools.Register(tool.Definition{
		Name: "t", Output: tool.Output{Schema: value.OfObject()}, Parallel: func(value.Value) bool { return true },
		Execute: func(ctx context.Context, _ *tool.Running) (any, error) { return nil, hang(ctx) },
	})
	require.NoError(t, err)
	_, err = tools.Register(tool.Definition{
		Name: "quick", Output: tool.Output{Schema: value.OfObject()}, Parallel: func(value.Value) bool { return true },
		Execute: func(context.Context, *tool.Running) (any, error) { return "ok", nil },
	})
	require.NoError(t, err)
	calls := func(names ...string) model.Model {
		var list []session.ToolCall
		for i, name := range names {
			list = append(list, session.ToolCall{ID: strconv.Itoa(i), Tool: name, Arguments: value.OfObject()})
		}
		return &model.Scripted{Replies: []model.Reply{{Calls: list}, {Text: "done"}}}
	}
	limited := agent.Options{TurnTimeout: limit, Tools: tools}
	return []hangs{
		{"a tool", calls("t"), nil, limited, session.EndAborted, ""},
		{"an approver", calls("quick"), func(in *point.Installer) { hold(tool.PreExecute, in, tool.PreDecision(tool.Ask{}), nil) }, agent.Options{
			TurnTimeout: limit, Tools: tools, Pipeline: &tool.Runtime{Approvals: &tool.Approvals{Approver: tool.ApproverFunc(func(ctx context.Context, _ tool.Approval) (tool.ApprovalDecision, error) {
				return nil, hang(ctx)
			})}},
		}, session.EndAborted, ""},
		{"a handler of rewrite", calls("quick"), func(in *point.Installer) { hold(tool.OnRewrite, in, nil, hang) }, limited, session.EndAborted, ""},
		{"a handler of pre-execute", calls("quick"), func(in *point.Installer) { hold(tool.PreExecute, in, nil, hang) }, limited, session.EndAborted, ""},
		{"a handler of approve", calls("quick"), func(in *point.Installer) {
			hold(tool.PreExecute, in, tool.PreDecision(tool.Ask{}), nil)
			hold(tool.OnApprove, in, nil, hang)
		}, limited, session.EndAborted, ""},
		{"a handler of execute", calls("quick"), func(in *point.Installer) { hold(tool.OnExecute, in, nil, hang) }, limited, session.EndAborted, ""},
		{"a handler of post-execute", calls("quick"), func(in *point.Installer) { hold(tool.PostExecute, in, nil, hang) }, limited, session.EndAborted, ""},
		{"a handler of result", calls("quick"), func(in *point.Installer) { wait(tool.OnResult, in, hang) }, limited, session.EndAborted, ""},
		{"handlers of every phase of several calls", calls("t", "quick", "t"), func(in *point.Installer) {
			hold(tool.PostExecute, in, nil, hang)
			wait(tool.OnResult, in, hang)
		}, limited, session.EndAborted, ""},
	}
}

// Whatever hangs as long as its context lives, the turn ends soon after its
// time-out, and nothing is left running.
func TestHangs(t *testing.T) {
	for _, test := range append(hangsInLoop(), hangsInCalls(t)...) {
		t.Run(test.name, func(t *testing.T) {
			routines := runtime.NumGoroutine()
			o := test.options
			o.Model = test.model
			if test.install != nil {
				o.Extensions = []point.Extension{policy{"p", test.install}}
			}
			start := time.Now()
			a := build(t, o)
			say(t, a, "go")
			idle(t, a)
			require.Less(t, time.Since(start), hangLimit+time.Second)
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

// hold attaches a handler to p that answers d, once hang lets it.
func hold[P, D any](p *point.Waterfall[P, D], in *point.Installer, d D, hang func(context.Context) error) {
	p.Handle(in, func(ctx context.Context, _ P, _ point.Next[D]) (D, error) {
		if hang == nil {
			return d, nil
		}
		return d, hang(ctx)
	})
}

// wait attaches a handler to p that ends when hang does.
func wait[P any](p *point.Notification[P], in *point.Installer, hang func(context.Context) error) {
	p.Handle(in, func(ctx context.Context, _ P) error { return hang(ctx) })
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

// leaving is a model whose first answer ends the goroutine that asks it, as a
// failed assertion of a test does.
type leaving struct{ asked int }

func (m *leaving) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if m.asked++; m.asked == 1 {
			runtime.Goexit()
		}
		yield(model.TextDelta{Text: "ok"}, nil)
	}
}

// Whoever ends the goroutine of a turn ends that turn, and no more.
func TestGoroutineIsEnded(t *testing.T) {
	a := build(t, agent.Options{Model: new(leaving)})
	for _, want := range []session.EndKind{session.EndError, session.EndCompleted} {
		say(t, a, "go")
		idle(t, a)
		require.Equal(t, agent.Idle, a.Status())
		require.Equal(t, want, a.Log().Work().End.Kind)
	}
	require.NoError(t, a.Close(t.Context(), "done"))
}
