package point_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// lockedObserver collects what overlapping handlers did.
type lockedObserver struct {
	mu      sync.Mutex
	handled []point.Handled
}

func (o *lockedObserver) Handled(h point.Handled) {
	o.mu.Lock()
	defer o.mu.Unlock()
	h.Took = min(h.Took, 0) // a time that is not negative counts as none
	o.handled = append(o.handled, h)
}

// observed runs p with an observer and returns what that was told.
func observed(t *testing.T, r *point.Registry, p point.Point) []point.Handled {
	t.Helper()
	var o lockedObserver
	_, _ = p.RunValue(context.Background(), point.Run{Handlers: r, Observer: &o}, value.MustFrom(map[string]any{"text": "?"}), nil)
	return o.handled
}

func TestObserverIsToldOfEveryHandlerThatRan(t *testing.T) {
	var r point.Registry
	on(t, &r, "passes", delegates)
	install(t, &r, "changes", func(in *point.Installer) {
		ask.HandleWith(in, func(ctx context.Context, _ Question, next next) (Answer, error) {
			_, err := next(ctx)
			return Maybe{}, err
		}, point.Attach{Rule: "always maybe"})
	})
	on(t, &r, "answers", answers(Yes{}))
	on(t, &r, "hidden", delegates)
	require.Equal(t, []point.Handled{
		{Point: "test/ask", Extension: "answers", Rule: "answers", Said: Yes{}, Answer: Yes{}, Own: true},
		{Point: "test/ask", Extension: "changes", Rule: "always maybe", Said: Maybe{}, Answer: Maybe{}, Own: true},
		{Point: "test/ask", Extension: "passes", Rule: "passes", Answer: Maybe{}, Own: false},
	}, observed(t, &r, ask), "innermost first, because each is told when it returns")
}

func TestObserverIsToldOfFaults(t *testing.T) {
	var r point.Registry
	on(t, &r, "swallows", func(ctx context.Context, _ Question, next next) (Answer, error) {
		_, _ = next(ctx)
		return Yes{}, nil
	})
	on(t, &r, "bad", func(context.Context, Question, next) (Answer, error) { return Yes{}, errBroken })
	got := observed(t, &r, ask)
	require.Len(t, got, 2)
	require.Equal(t, "bad", got[0].Extension)
	require.Nil(t, got[0].Answer)
	require.ErrorIs(t, got[0].Err, errBroken)
	require.Equal(t, "swallows", got[1].Extension)
	require.NoError(t, got[1].Err)
}

// untyped returns a handler that gives the answer with the given tag, or has no
// opinion, after asking the rest or not.
func untyped(tag string, askRest bool) point.ValueHandler {
	return func(ctx context.Context, asked point.Asked) (a point.Answer, err error) {
		if askRest {
			if _, err = asked.Next(ctx); err != nil {
				return a, err
			}
		}
		a.At, a.Steps = "policy.lua:3", 42
		if tag != "" {
			a.Decision, err = asked.Decode(schema.NodeOf(value.MustFrom(map[string]any{"kind": tag})))
		}
		return a, err
	}
}

func TestObserverSeesWhereAnUntypedAnswerWasBuilt(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler point.ValueHandler
		want    point.Handled
	}{
		{"no opinion", untyped("", false), point.Handled{Answer: Yes{}}},
		{"no opinion after asking", untyped("", true), point.Handled{Answer: Yes{}}},
		{"an answer of its own", untyped("maybe", false), point.Handled{Said: Maybe{}, Answer: Maybe{}, Own: true}},
		{"an answer of its own after asking", untyped("maybe", true), point.Handled{Said: Maybe{}, Answer: Maybe{}, Own: true}},
		{"an answer that agrees with the rest", untyped("yes", false), point.Handled{Said: Yes{}, Answer: Yes{}, Own: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r point.Registry
			install(t, &r, "script", func(in *point.Installer) { ask.HandleValue(in, test.handler, point.Attach{}) })
			test.want.Point, test.want.Extension, test.want.Rule = "test/ask", "script", "script"
			test.want.At, test.want.Steps = "policy.lua:3", 42
			require.Equal(t, []point.Handled{test.want}, observed(t, &r, ask))
		})
	}
}

func TestObserverOfGuardsAndNotifications(t *testing.T) {
	var r point.Registry
	install(t, &r, "guards", func(in *point.Installer) {
		guard.HandleValue(in, untyped("", false), point.Attach{Rule: "first"})
		guard.Handle(in, func(context.Context, Question) (Answer, error) { return No{Why: "x"}, nil })
		guard.Handle(in, func(context.Context, Question) (Answer, error) { return Maybe{}, nil })
		tell.Handle(in, func(context.Context, Question) error { return nil })
		tell.Handle(in, func(context.Context, Question) error { return errBroken })
		tell.HandleValue(in, untyped("", false), point.Attach{})
	})
	require.Equal(t, []point.Handled{
		{Point: "test/guard", Extension: "guards", Rule: "first", At: "policy.lua:3", Steps: 42, Said: Maybe{}, Answer: Maybe{}, Own: true},
		{Point: "test/guard", Extension: "guards", Rule: "guards", Said: No{Why: "x"}, Answer: No{Why: "x"}, Own: true},
	}, observed(t, &r, guard), "nobody behind a refusal is asked")
	got := observed(t, &r, tell)
	require.Len(t, got, 3)
	for i, h := range got {
		require.Nil(t, h.Answer)
		require.False(t, h.Own)
		require.Equal(t, i == 1, h.Err != nil)
	}
	require.Equal(t, "policy.lua:3", got[2].At)
}

// TestTimeInsideNextIsNotTheHandlers: a policy is not charged for what runs
// behind it.
func TestTimeInsideNextIsNotTheHandlers(t *testing.T) {
	var r point.Registry
	const slow = 20 * time.Millisecond
	on(t, &r, "front", delegates)
	on(t, &r, "slow", func(ctx context.Context, _ Question, next next) (Answer, error) {
		for start := time.Now(); time.Since(start) < slow; {
		}
		return next(ctx)
	})
	var took []time.Duration
	o := point.ObserverFunc(func(h point.Handled) { took = append(took, h.Took) })
	start := time.Now()
	_, err := ask.Run(context.Background(), point.Run{Handlers: &r, Observer: o}, Question{})
	all := time.Since(start)
	require.NoError(t, err)
	require.GreaterOrEqual(t, took[0], slow)
	require.LessOrEqual(t, took[1], all-slow)
}

// TestPanickingObserverFailsTheRun: what it was to record is lost, so nothing may
// go on as if it had been recorded.
func TestPanickingObserverFailsTheRun(t *testing.T) {
	var r point.Registry
	on(t, &r, "answers", answers(Yes{}))
	run := point.Run{Handlers: &r, Observer: point.ObserverFunc(func(point.Handled) { panic("full") })}
	_, err := ask.Run(t.Context(), run, Question{})
	require.ErrorContains(t, err, "panic: full")
}
