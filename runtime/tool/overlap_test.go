package tool_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// hedge runs the body of a call of the model twice, the second time a millisecond
// after the first, and answers for both.
func hedge(ctx context.Context, call tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
	if call.Nested() {
		return next(ctx)
	}
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			inner, cancel := context.WithCancel(ctx)
			defer cancel()
			time.Sleep(time.Duration(i) * time.Millisecond)
			_, _ = next(inner)
		})
	}
	both.Wait()
	return tool.Failure{Message: "both"}, nil
}

// hedged makes a call whose two bodies overlap; the number of each is from 0.
func hedged(t *testing.T, ctx context.Context, body func(ctx context.Context, run *tool.Running, number int)) *rig { //nolint:revive // t first
	r := newRig(t)
	var mu sync.Mutex
	count := 0
	r.tool(func(ctx context.Context, run *tool.Running) (any, error) {
		if run.Call().Nested() {
			return "inner", nil
		}
		mu.Lock()
		number := count
		count++
		mu.Unlock()
		body(ctx, run, number)
		return "x", nil
	})
	r.attach(func(in *point.Installer) { tool.OnExecute.Handle(in, hedge) })
	require.Equal(t, "both", r.call(ctx, nil).(tool.Failure).Message)
	require.Equal(t, 2, count)
	return r
}

// TestTheEndOfOneBodyIsNotThatOfAnother: what it calls is not cancelled with the
// other, and it is named when it ignores its context, whatever the other does.
func TestTheEndOfOneBodyIsNotThatOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hedged(t, t.Context(), func(ctx context.Context, run *tool.Running, number int) {
			if number == 0 {
				time.Sleep(time.Second)
				require.True(t, succeeded(run.Execute(ctx, tool.Input{Tool: "t"})))
			}
		})
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := hedged(t, ctx, func(_ context.Context, _ *tool.Running, number int) {
			time.Sleep([]time.Duration{2 * time.Second, 20 * time.Second}[number])
		})
		r.mu.Lock()
		defer r.mu.Unlock()
		require.Equal(t, []string{`tool "t" (1): the body ignores its context and is still running 5s after it was cancelled`}, r.warns)
	})
}

// TestABodyThatReturnedDoesNothing, not even while another one runs.
func TestABodyThatReturnedDoesNothing(t *testing.T) {
	r := newRig(t)
	var left *tool.Running
	r.tool(func(ctx context.Context, run *tool.Running) (any, error) {
		if left == nil {
			left = run
			return nil, &tool.Error{Message: "again"}
		}
		left.ConcludeTurn()
		left.DeferContext(session.Context{Text: "late"})
		require.Equal(t, tool.CodeNotDispatched, left.Execute(ctx, tool.Input{Tool: "t"}).(tool.Failure).Code)
		return "x", nil
	})
	r.attach(func(in *point.Installer) {
		tool.OnExecute.Handle(in, func(ctx context.Context, _ tool.Call, next point.Next[tool.Result]) (tool.Result, error) {
			_, err := next(ctx)
			require.NoError(t, err)
			return next(ctx)
		})
	})
	got := r.call(t.Context(), nil).(tool.Success)
	require.False(t, got.Concludes)
	require.Empty(t, got.Contexts)
}
