package point_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
)

var errBroken = errors.New("broken")

func TestWithoutHandlersTheDefaultAnswers(t *testing.T) {
	for _, r := range []*point.Registry{nil, new(point.Registry)} {
		d, err := run(r)
		require.NoError(t, err)
		require.Equal(t, Yes{}, d)
	}
}

func TestFirstAttachedIsOutermost(t *testing.T) {
	var r point.Registry
	var log []string
	on(t, &r, "a", notes(&log, "a"))
	on(t, &r, "b", notes(&log, "b"))
	_, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "/b", "/a"}, log)
}

func TestFirstMakesOutermost(t *testing.T) {
	var r point.Registry
	var log []string
	on(t, &r, "a", notes(&log, "a"))
	for _, name := range []string{"b", "c"} {
		install(t, &r, name, func(in *point.Installer) { ask.HandleWith(in, notes(&log, name), point.Attach{First: true}) })
	}
	_, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, []string{"c", "b", "a", "/a", "/b", "/c"}, log)
}

func TestAnswerReachesTheCallerThroughEveryHandler(t *testing.T) {
	var r point.Registry
	on(t, &r, "a", func(ctx context.Context, _ Question, next next) (Answer, error) {
		d, err := next(ctx)
		require.Equal(t, Maybe{}, d)
		return No{Why: "a"}, err
	})
	on(t, &r, "b", answers(Maybe{}))
	d, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, No{Why: "a"}, d)
}

// TestAnswerWithoutNextHidesTheRest is what a handler written in Go, and a raw
// one, can do: its answer stands.
func TestAnswerWithoutNextHidesTheRest(t *testing.T) {
	var r point.Registry
	on(t, &r, "a", answers(Yes{}))
	on(t, &r, "b", func(context.Context, Question, next) (Answer, error) {
		t.Error("must not be asked")
		return No{Why: "b"}, nil
	})
	d, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, Yes{}, d)
}

func TestPayloadCannotBeChangedOnItsWay(t *testing.T) {
	var r point.Registry
	on(t, &r, "a", func(ctx context.Context, q Question, next next) (Answer, error) {
		q.Text = "changed"
		return next(ctx)
	})
	on(t, &r, "b", func(ctx context.Context, q Question, next next) (Answer, error) {
		require.Equal(t, "?", q.Text)
		return next(ctx)
	})
	_, err := run(&r)
	require.NoError(t, err)
}

type key struct{}

func TestNextHandsItsContextOn(t *testing.T) {
	var r point.Registry
	on(t, &r, "a", func(ctx context.Context, _ Question, next next) (Answer, error) {
		return next(context.WithValue(ctx, key{}, "given"))
	})
	on(t, &r, "b", func(ctx context.Context, _ Question, next next) (Answer, error) {
		require.Equal(t, "given", ctx.Value(key{}))
		return next(ctx)
	})
	_, err := run(&r)
	require.NoError(t, err)
}

// TestCancelledRunAsksNobody: the error is the cause, because nobody is to blame.
func TestCancelledRunAsksNobody(t *testing.T) {
	var r point.Registry
	on(t, &r, "a", func(context.Context, Question, next) (Answer, error) {
		t.Error("must not be asked")
		return Yes{}, nil
	})
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errBroken)
	_, err := ask.Run(ctx, point.Run{Handlers: &r}, Question{})
	require.Equal(t, errBroken, err)
	_, err = ask.Run(ctx, point.Run{}, Question{})
	require.Equal(t, errBroken, err, "the default does not answer either")
}

// TestHandlersAreFixedWhenARunStarts: attaching and detaching during a dispatch
// affects later ones only.
func TestHandlersAreFixedWhenARunStarts(t *testing.T) {
	var r point.Registry
	var log []string
	var removeB func()
	attached := false
	on(t, &r, "a", func(ctx context.Context, _ Question, next next) (Answer, error) {
		if !attached {
			attached = true
			removeB()
			on(t, &r, "c", notes(&log, "c"))
		}
		return next(ctx)
	})
	removeB = on(t, &r, "b", notes(&log, "b"))
	_, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, []string{"b", "/b"}, log, "the run under way keeps its chain")
	log = nil
	_, err = run(&r)
	require.NoError(t, err)
	require.Equal(t, []string{"c", "/c"}, log, "the next one has the new chain")
}

// TestAFailedRunDoesNotSpoilTheNext: what a run went through stays in that run.
func TestAFailedRunDoesNotSpoilTheNext(t *testing.T) {
	var r point.Registry
	fail := true
	on(t, &r, "a", func(ctx context.Context, _ Question, next next) (Answer, error) {
		if fail {
			panic("once")
		}
		return next(ctx)
	})
	_, err := run(&r)
	require.Error(t, err)
	fail = false
	d, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, Yes{}, d)
}

// TestNestedRuns: a handler may run the point it is attached to; each run has
// its own next and its own faults.
func TestNestedRuns(t *testing.T) {
	var r point.Registry
	depth := 0
	on(t, &r, "a", func(ctx context.Context, _ Question, next next) (Answer, error) {
		if depth++; depth < 4 {
			d, err := run(&r)
			require.NoError(t, err)
			require.Equal(t, Yes{}, d)
		}
		return next(ctx)
	})
	d, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, Yes{}, d)
	require.Equal(t, 4, depth)
}
