package agent_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// callerModel calls a tool n times, one call in each answer, and then stops.
type callerModel struct{ left int }

func (m *callerModel) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		m.left--
		if m.left < 0 {
			yield(model.Finish{Reason: model.Stop}, nil)
			return
		}
		call := session.ToolCall{ID: fmt.Sprintf("c%d", m.left), Tool: "t", Arguments: value.OfObject()}
		_ = yield(model.BlockEnd{Block: call}, nil) && yield(model.Finish{Reason: model.ToolCalls}, nil)
	}
}

func simpleTool(t testing.TB) *tool.Registry {
	t.Helper()
	tools := new(tool.Registry)
	_, err := tools.Register(tool.Definition{
		Name: "t", Output: tool.Output{Schema: value.OfObject()},
		Execute: func(context.Context, *tool.Running) (any, error) { return "ok", nil },
	})
	require.NoError(t, err)
	return tools
}

// BenchmarkStep is what a step costs beside the model and the tool, both of
// which do nothing here: a request, a call with its pipeline, and all events.
func BenchmarkStep(b *testing.B) {
	for _, kind := range []string{"memory", "file"} {
		b.Run(kind, func(b *testing.B) {
			var log *session.Log
			var err error
			if kind == "file" {
				log, err = session.CreateLog(filepath.Join(b.TempDir(), "log"), session.Header{ID: "s"}, session.LogOptions{})
			} else {
				log, err = session.NewLog(session.Header{ID: "s"}, session.LogOptions{})
			}
			require.NoError(b, err)
			a, err := agent.New(context.Background(), agent.Options{
				Session: session.Ref{ID: "s"}, Log: log, Config: agent.Config{Model: "m"}, Tools: simpleTool(b), Model: &callerModel{left: b.N},
			})
			require.NoError(b, err)
			require.NoError(b, a.WhenStarted(context.Background()))
			b.ReportAllocs()
			b.ResetTimer()
			before := cpuTime()
			require.NoError(b, a.Followup(context.Background(), agent.Said("go")))
			require.NoError(b, a.WhenIdle(context.Background()))
			b.StopTimer()
			b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op")
			require.Equal(b, session.EndCompleted, log.Work().End.Kind)
			require.NoError(b, a.Close(context.Background(), ""))
			require.NoError(b, log.Close())
		})
	}
}

// TestMemoryStaysFlat runs ten thousand turns. What stays of a turn is what was
// said in it.
func TestMemoryStaysFlat(t *testing.T) {
	log, err := session.CreateLog(filepath.Join(t.TempDir(), "log"), session.Header{ID: "s"}, session.LogOptions{})
	require.NoError(t, err)
	a, err := agent.New(context.Background(), agent.Options{
		Session: session.Ref{ID: "s"}, Log: log, Config: agent.Config{Model: "m"}, Tools: simpleTool(t), Model: oneCallATurn{},
	})
	require.NoError(t, err)
	run := func(n int) {
		for range n {
			require.NoError(t, a.Followup(context.Background(), agent.Said("go")))
			require.NoError(t, a.WhenIdle(context.Background()))
		}
	}
	run(1000)
	before := heap()
	routines := runtime.NumGoroutine()
	run(9000)
	grown := float64(heap()) - float64(before)
	require.Less(t, grown/9000, 2000.0, "bytes for each turn of four messages")
	require.LessOrEqual(t, runtime.NumGoroutine(), routines)
	require.NoError(t, a.Close(context.Background(), ""))
	require.NoError(t, log.Close())
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// oneCallATurn calls a tool, and stops when it sees its result.
type oneCallATurn struct{}

func (oneCallATurn) Stream(_ context.Context, r model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if _, result := r.Messages[len(r.Messages)-1].Source.(session.Call); result {
			_ = yield(model.TextDelta{Text: "done"}, nil) && yield(model.Finish{Reason: model.Stop}, nil)
			return
		}
		call := session.ToolCall{ID: fmt.Sprintf("c%d", r.Turn), Tool: "t", Arguments: value.OfObject()}
		_ = yield(model.BlockEnd{Block: call}, nil) && yield(model.Finish{Reason: model.ToolCalls}, nil)
	}
}
