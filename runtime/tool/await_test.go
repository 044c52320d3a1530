package tool_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// leaving attaches a wrapper that leaves its next behind once inside is closed.
func (r *rig) leaving(inside <-chan struct{}, derive func(context.Context) context.Context) (left <-chan struct{}) {
	done := make(chan struct{})
	r.attach(func(in *point.Installer) {
		tool.OnExecute.Handle(in, func(ctx context.Context, _ tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
			go func() {
				defer close(done)
				_, _ = next(derive(ctx))
			}()
			<-inside
			return tool.Failure{Message: "too slow"}, nil
		})
	})
	return done
}

// TestABodyLeftBehindIsAwaited: a wrapper that answers without waiting for its
// next does not end the call before the body does, and a context that it derived
// ends at once.
func TestABodyLeftBehindIsAwaited(t *testing.T) {
	type key struct{}
	for name, derive := range map[string]func(context.Context) context.Context{
		"its own context": func(ctx context.Context) context.Context { return ctx },
		"a derived one":   func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, true) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				inside, release := make(chan struct{}), make(chan struct{})
				var during error
				r.tool(func(ctx context.Context, _ *tool.Running) (any, error) {
					close(inside)
					<-release
					during = ctx.Err()
					return "x", nil
				})
				r.leaving(inside, derive)
				var result tool.Result
				go func() { result = r.call(t.Context(), nil) }()
				synctest.Wait()
				require.Nil(t, result, "the body runs")
				close(release)
				synctest.Wait()
				require.Equal(t, point.ErrNextRunning.Error(), result.(tool.Failure).Message)
				require.Equal(t, name == "a derived one", during != nil)
			})
		})
	}
}

// TestNoBodyBeginsOnceTheWrappersAnswered, not even behind a wrapper that was
// left behind itself.
func TestNoBodyBeginsOnceTheWrappersAnswered(t *testing.T) {
	r := newRig(t)
	inside, release, ran := make(chan struct{}), make(chan struct{}), false
	r.tool(func(context.Context, *tool.Running) (any, error) { ran = true; return "x", nil })
	left := r.leaving(inside, func(ctx context.Context) context.Context { return ctx })
	r.attach(func(in *point.Installer) {
		tool.OnExecute.Handle(in, func(ctx context.Context, _ tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
			close(inside)
			<-release
			return next(ctx)
		})
	})
	result := r.call(t.Context(), nil)
	close(release)
	<-left
	require.Equal(t, point.ErrNextRunning.Error(), result.(tool.Failure).Message)
	require.False(t, ran)
}

// TestPolicyThatEndsTheGoroutine of a batch leaves no body behind.
func TestPolicyThatEndsTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, ended := newRig(t), false
		r.tool(func(context.Context, *tool.Running) (any, error) {
			time.Sleep(time.Second)
			ended = true
			return "x", nil
		}, parallel)
		r.attach(func(in *point.Installer) {
			tool.OnGuard.Handle(in, func(_ context.Context, c tool.Call) (tool.GuardDecision, error) {
				if c.ID == "2" {
					runtime.Goexit()
				}
				return tool.Abstain{}, nil
			})
		})
		awaited := make(chan bool)
		go func() {
			defer func() { awaited <- ended }()
			batch := tool.Batch{Runtime: r.rt, Journal: new(journal)}
			_ = batch.Run(t.Context(), []tool.Input{{ID: "1", Tool: "t", Agent: r.scope}, {ID: "2", Tool: "t", Agent: r.scope}})
		}()
		require.True(t, <-awaited)
	})
}

// TestABodyThatEndsItsGoroutine is a failed call; the batch goes on.
func TestABodyThatEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.tool(func(_ context.Context, run *tool.Running) (any, error) {
			if run.Call().ID == "1" {
				runtime.Goexit()
			}
			return "x", nil
		}, func(d *tool.Definition) { d.Parallel = func(value.Value) bool { return true } })
		j := new(journal)
		batch := tool.Batch{Runtime: r.rt, Journal: j}
		require.NoError(t, batch.Run(t.Context(), []tool.Input{{ID: "1", Tool: "t"}, {ID: "2", Tool: "t"}}))
		require.Equal(t, []string{"call 1 null", "call 2 null", "fail 1 ", "ok 2"}, j.lines)
	})
}
