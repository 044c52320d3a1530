package tool_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// benchRuntime has one tool, whose body does nothing, and one agent.
func benchRuntime(b testing.TB, body func(ctx context.Context, r *tool.Running) (any, error)) (*tool.Runtime, *tool.Scope) {
	rt := &tool.Runtime{Warn: func(string) {}, Root: tool.Scope{Host: host.Host{Run: point.Run{Handlers: new(point.Registry)}}, Tools: new(tool.Registry)}}
	parameters, err := value.ParseString(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)
	require.NoError(b, err)
	_, err = rt.Root.Tools.Register(tool.Definition{
		Name: "shell", Parameters: parameters, Output: tool.Output{Schema: value.OfObject()}, Execute: body,
		Action: func(v value.Value) tool.Action { return tool.Shell{Command: v.Get("command").String()} },
	})
	require.NoError(b, err)
	return rt, &tool.Scope{
		Host:  host.Host{Run: point.Run{Handlers: rt.Root.Host.Run.Handlers.Child()}, Live: session.NewEffects()},
		Tools: rt.Root.Tools.Child(), Session: session.Ref{ID: "s", Cwd: "/work"},
	}
}

var done = value.OfString("done")

func nothing(context.Context, *tool.Running) (any, error) { return done, nil }

var benchArguments = value.OfObject(value.Member{Key: "command", Value: value.OfString("git status")})

func benchCall(b *testing.B, rt *tool.Runtime, scope *tool.Scope) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	in := tool.Input{ID: "1", Tool: "shell", Arguments: benchArguments, Agent: scope}
	_, ok := rt.Execute(ctx, in).(tool.Success)
	require.True(b, ok)
	b.ReportAllocs()
	for b.Loop() {
		rt.Execute(ctx, in)
	}
}

// BenchmarkCall is a call that no extension is interested in. The goal is 2 µs
// and 12 allocations.
func BenchmarkCall(b *testing.B) {
	rt, scope := benchRuntime(b, nothing)
	benchCall(b, rt, scope)
}

// TestACallAllocatesLittle where nobody is interested in it.
func TestACallAllocatesLittle(t *testing.T) {
	rt, scope := benchRuntime(t, nothing)
	in := tool.Input{ID: "1", Tool: "shell", Arguments: benchArguments, Agent: scope}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	require.LessOrEqual(t, testing.AllocsPerRun(200, func() { rt.Execute(ctx, in) }), 12.0)
}

// BenchmarkHandlers adds handlers in Go that delegate, to each point in turn;
// the goal is 150 ns for each.
func BenchmarkHandlers(b *testing.B) {
	for _, p := range []struct {
		name    string
		install func(in *point.Installer)
	}{
		{"pre-execute", func(in *point.Installer) {
			tool.PreExecute.Handle(in, func(ctx context.Context, _ tool.Call, next tool.PreNext) (tool.PreDecision, error) { return next(ctx) })
		}},
		{"guard", func(in *point.Installer) {
			tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) { return tool.Abstain{}, nil })
		}},
		{"execute", func(in *point.Installer) {
			tool.OnExecute.Handle(in, func(ctx context.Context, _ tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
				return next(ctx)
			})
		}},
		{"post-execute", func(in *point.Installer) {
			tool.PostExecute.Handle(in, func(ctx context.Context, _ tool.Done, next point.Next[tool.PostDecision]) (tool.PostDecision, error) {
				return next(ctx)
			})
		}},
		{"result", func(in *point.Installer) {
			tool.OnResult.Handle(in, func(context.Context, tool.Done) error { return nil })
		}},
	} {
		for _, n := range []int{0, 1, 10, 100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", p.name, n), func(b *testing.B) {
				rt, scope := benchRuntime(b, nothing)
				for i := range n {
					install(b, scope, fmt.Sprint("e", i), p.install)
				}
				benchCall(b, rt, scope)
			})
		}
	}
}

// BenchmarkFiltered adds handlers whose filter does not fit: more of them cost
// nothing.
func BenchmarkFiltered(b *testing.B) {
	for _, n := range []int{0, 1, 10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rt, scope := benchRuntime(b, nothing)
			for i := range n {
				install(b, scope, fmt.Sprint("e", i), func(in *point.Installer) {
					tool.PreExecute.HandleWith(in, func(ctx context.Context, _ tool.Call, next tool.PreNext) (tool.PreDecision, error) {
						return next(ctx)
					}, point.Attach{Filter: point.Filter{Tool: []string{"other"}}})
				})
			}
			benchCall(b, rt, scope)
		})
	}
}

// BenchmarkScripts adds handlers in Lua: 12 µs for each is the goal, 6 µs for
// those that can be used again.
func BenchmarkScripts(b *testing.B) {
	kinds := map[string]string{
		"reused": `dsh.on("tools/pre-execute", function(call)
			if call.arguments.command:find("rm -rf", 1, true) then return dsh.deny "no" end
		end)`,
		"fresh": `local seen = {}
		dsh.on("tools/pre-execute", function(call)
			seen[#seen + 1] = call.tool
			if call.arguments.command:find("rm -rf", 1, true) then return dsh.deny "no" end
		end)`,
	}
	for name, source := range kinds {
		for _, n := range []int{1, 10} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				rt, scope := benchRuntime(b, nothing)
				for i := range n {
					s, err := script.Load(b.Context(), fmt.Sprintf("e%d.lua", i), source, script.Options{Points: tool.Points()})
					require.NoError(b, err)
					_, err = scope.Host.Run.Handlers.Install(s)
					require.NoError(b, err)
				}
				benchCall(b, rt, scope)
			})
		}
	}
}

// BenchmarkWorkers runs calls with three handlers and a body of its own on one
// worker and on two; two should get at least 1.6 times as much done.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			rt, scope := benchRuntime(b, func(_ context.Context, r *tool.Running) (any, error) {
				return strings.ToUpper(r.Arguments().Get("command").String()), nil
			})
			for i := range 3 {
				install(b, scope, fmt.Sprint("e", i), func(in *point.Installer) {
					tool.PreExecute.Handle(in, func(ctx context.Context, _ tool.Call, next tool.PreNext) (tool.PreDecision, error) { return next(ctx) })
				})
			}
			work(b, workers, func() {
				rt.Execute(b.Context(), tool.Input{ID: "1", Tool: "shell", Arguments: benchArguments, Agent: scope})
			})
		})
	}
}

// work does the benchmark's share of calls on some goroutines.
func work(b *testing.B, workers int, call func()) {
	b.Helper()
	jobs := make(chan int, workers)
	ended := make(chan struct{})
	for range workers {
		go func() {
			for n := range jobs {
				for range n {
					call()
				}
			}
			ended <- struct{}{}
		}()
	}
	b.ResetTimer()
	for left := b.N; left > 0; left -= 64 {
		jobs <- min(left, 64)
	}
	close(jobs)
	for range workers {
		<-ended
	}
}

type attaching struct {
	name string
	do   func(in *point.Installer)
}

func (e attaching) Name() string                      { return e.name }
func (e attaching) Install(in *point.Installer) error { e.do(in); return nil }

func install(t testing.TB, scope *tool.Scope, name string, do func(in *point.Installer)) {
	t.Helper()
	_, err := scope.Host.Run.Handlers.Install(attaching{name, do})
	require.NoError(t, err)
}
