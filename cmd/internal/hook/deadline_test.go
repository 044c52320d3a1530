package hook

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Whoever waits for the deadline, or derives from it, sees it as it would see that of
// the library.
func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late, start := errors.New("late"), time.Now()
		ctx, release := within(t.Context(), time.Second, late)
		defer release()
		require.NoError(t, ctx.Err())
		derived, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		require.NoError(t, context.Cause(derived))

		<-derived.Done()
		require.Equal(t, time.Second, time.Since(start))
		for _, c := range []context.Context{ctx, derived} {
			require.ErrorIs(t, c.Err(), context.DeadlineExceeded)
			require.ErrorIs(t, context.Cause(c), late)
		}

		again, release := within(ctx, time.Hour, errors.New("later"))
		defer release()
		require.ErrorIs(t, context.Cause(again), late)
		require.Error(t, again.Err())
	})
}

func TestWithinOnlyAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := errors.New("late")
		ctx, release := within(t.Context(), time.Second, late)
		time.Sleep(time.Second - 1)
		require.NoError(t, ctx.Err())
		time.Sleep(time.Nanosecond)
		require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
		require.ErrorIs(t, context.Cause(ctx), late)
		release()
	})
}
