package spec_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/process"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// hookless is a bridge of a client whose user configured one context.
type hookless struct{}

func (hookless) Name() string { return "hookless" }

func (hookless) Install(in *point.Installer) error {
	agent.OnSessionStart.Handle(in, func(_ context.Context, s agent.Started) error {
		return s.Live.Inject(session.FromExtension("", "CONTEXT"))
	})
	return nil
}

func plainTool(name string) tool.Definition {
	return tool.Definition{
		Name: name, Output: tool.Output{Schema: value.OfObject()},
		Execute: func(context.Context, *tool.Running) (any, error) { return "ran", nil },
	}
}

// The world asks where the client would, and keeps what happened.
func TestHookWorld(t *testing.T) {
	s := hookSession{
		bridge:  func(*hookWorld) (point.Extension, []point.Grant, error) { return hookless{}, nil, nil },
		tools:   func(*hookWorld) []tool.Definition { return []tool.Definition{plainTool("free"), plainTool("asked")} },
		asks:    func(c tool.Call) bool { return c.Tool == "asked" },
		files:   map[string]string{"project/a": "$PROJECT"},
		replies: map[string]json.RawMessage{"x": json.RawMessage(`[{"exit": 2, "stderr": "no"}, "cat $O/stdin"]`)},
		answers: []model.Reply{{Calls: []session.ToolCall{
			{ID: "1", Tool: "free", Arguments: value.OfObject()}, {ID: "2", Tool: "asked", Arguments: value.OfObject()},
		}}},
		children: map[string][]model.Reply{"TASK": {{Text: "child"}}},
		model:    "m",
	}
	require.NoError(t, playHooks(s, func(w *hookWorld) error {
		end, err := w.prompt("hello")
		require.NoError(t, err)
		require.Equal(t, session.EndCompleted, end.Kind)
		require.Equal(t, []string{"2"}, w.asked)
		require.Equal(t, []string{"1"}, w.ran)
		require.Len(t, w.requests, 2)
		require.Equal(t, []string{"text: CONTEXT", "prompt"}, injected(w.requests[0].New))
		require.True(t, resultsOf(w.requests[1].New)["2"].Failed)
		for _, want := range []string{"2:no", "0:{}"} {
			r := claudecode.Process().Run(t.Context(), process.Command{Line: w.expand("$HOOK x more"), Env: w.environ(), Dir: w.project, Stdin: []byte("{}")})
			require.Equal(t, want, string(rune('0'+r.Exit))+":"+string(r.Stdout)+string(r.Stderr))
		}
		calls, err := w.calls()
		require.NoError(t, err)
		require.Len(t, calls, 2)
		require.Equal(t, 1, calls[1].N)
		require.Equal(t, []string{"more"}, calls[1].Args)
		require.Equal(t, w.project, calls[1].Cwd)
		left, err := w.left()
		require.NoError(t, err)
		require.Equal(t, []string{"a"}, left)
		run, err := w.spawn(t.Context(), "helper", "a TASK")
		require.NoError(t, err)
		require.Equal(t, "child", textOfParts(run.Wait().Output))
		stopped, err := w.compact("manual")
		require.NoError(t, err)
		require.False(t, stopped)
		return nil
	}))
}
