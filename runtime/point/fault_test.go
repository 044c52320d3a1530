package point_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
)

// failures are the ways in which a handler can go wrong, with what the message
// of the fault says behind "test/ask: extension bad: ".
var failures = []struct {
	name string
	fail handler
	want string
}{
	{"error", func(context.Context, Question, next) (Answer, error) { return Yes{}, errBroken }, "broken"},
	{"panic", func(context.Context, Question, next) (Answer, error) { panic("ouch") }, "panic: ouch"},
	{"panic with an error", func(context.Context, Question, next) (Answer, error) { panic(errBroken) }, "panic: broken"},
	{"panic with nil", func(context.Context, Question, next) (Answer, error) {
		panic(nil)
	}, "panic: panic called with nil argument"},
	{"type assertion", func(_ context.Context, q Question, _ next) (Answer, error) {
		return Yes{}, q.Live.(*handle).fails()
	}, "panic: interface conversion: interface {} is nil, not *point_test.handle"},
	{"error that cannot be asked", func(context.Context, Question, next) (Answer, error) { return nil, (*fs.PathError)(nil) }, "an error that panics when it is asked what it is"},
	{"panic with such an error", func(context.Context, Question, next) (Answer, error) { panic((*fs.PathError)(nil)) }, "panic: <nil>"},
	{"nil answer", answers(nil), `point_test.Answer: nil is not a variant; want one of "no", "maybe", "yes"`},
	{"pointer variant", answers(&Yes{}), `point_test.Answer: *point_test.Yes is not a variant; want one of "no", "maybe", "yes"`},
	{"nil pointer variant", answers((*Yes)(nil)), `point_test.Answer: *point_test.Yes is not a variant; want one of "no", "maybe", "yes"`},
	{"foreign type", answers(Foreign{}), `point_test.Answer: point_test.Foreign is not a variant; want one of "no", "maybe", "yes"`},
	{"answer that is not valid", answers(No{}), "decision: no needs a why"},
	{"missing grant", answers(Yes{Sure: true}), `decision: needs the grant "sure", which this extension does not have`},
	{"panic after next", func(ctx context.Context, _ Question, next next) (Answer, error) {
		if _, err := next(ctx); err != nil {
			return nil, err
		}
		panic("late")
	}, "panic: late"},
}

// TestAFailureIsNeverAnAnswer: whatever goes wrong in a handler ends the run
// with an error that names it.
func TestAFailureIsNeverAnAnswer(t *testing.T) {
	for _, test := range failures {
		t.Run(test.name, func(t *testing.T) {
			var r point.Registry
			on(t, &r, "before", delegates)
			on(t, &r, "bad", test.fail)
			on(t, &r, "behind", delegates)
			d, err := run(&r)
			require.Nil(t, d)
			require.EqualError(t, err, "test/ask: extension bad: "+test.want)
			require.Equal(t, "bad", handlerError(t, err).Extension)
		})
	}
}

// TestFaultsAreSticky: no handler in front can turn the fault of one behind into
// an answer, however it answers.
func TestFaultsAreSticky(t *testing.T) {
	for _, test := range failures {
		for name, answer := range map[string]Answer{"yes": Yes{}, "no": No{Why: "anyway"}} {
			t.Run(test.name+", answered with "+name, func(t *testing.T) {
				var r point.Registry
				on(t, &r, "swallows", func(ctx context.Context, _ Question, next next) (Answer, error) {
					_, err := next(ctx)
					require.Error(t, err)
					return answer, nil
				})
				on(t, &r, "bad", test.fail)
				d, err := run(&r)
				require.Nil(t, d)
				require.EqualError(t, err, "test/ask: extension bad: "+test.want)
			})
		}
	}
}

// TestTheFirstFaultIsReported although a handler in front fails because of it.
func TestTheFirstFaultIsReported(t *testing.T) {
	var r point.Registry
	on(t, &r, "front", func(ctx context.Context, _ Question, next next) (Answer, error) {
		_, _ = next(ctx)
		return nil, errors.New("something else")
	})
	on(t, &r, "cause", func(context.Context, Question, next) (Answer, error) { return nil, errBroken })
	_, err := run(&r)
	require.EqualError(t, err, "test/ask: extension cause: broken")
}

// TestWrappingAFaultKeepsWhoCausedIt: the handler that passes an error on, with
// words of its own, is not blamed for it, neither where faults are sticky nor
// where they are forgiven.
func TestWrappingAFaultKeepsWhoCausedIt(t *testing.T) {
	for _, p := range []*point.Waterfall[Question, Answer]{ask, retry} {
		var r point.Registry
		install(t, &r, "front", func(in *point.Installer) {
			p.Handle(in, func(ctx context.Context, _ Question, next next) (Answer, error) {
				d, err := next(ctx)
				return d, fmt.Errorf("asking the rest: %w", err)
			})
		})
		install(t, &r, "cause", func(in *point.Installer) {
			p.Handle(in, func(context.Context, Question, next) (Answer, error) { return nil, errBroken })
		})
		_, err := p.Run(context.Background(), point.Run{Handlers: &r}, Question{})
		require.Equal(t, "cause", handlerError(t, err).Extension)
		require.ErrorIs(t, err, errBroken)
	}
}

// TestTheFaultOfAnotherPointIsTheHandlersOwn: who runs another point inside and
// lets its fault pass is to blame here.
func TestTheFaultOfAnotherPointIsTheHandlersOwn(t *testing.T) {
	var r point.Registry
	install(t, &r, "inner", func(in *point.Installer) {
		guard.Handle(in, func(context.Context, Question) (Answer, error) { return nil, errBroken })
	})
	on(t, &r, "outer", func(context.Context, Question, next) (Answer, error) { return runGuard(&r) })
	_, err := run(&r)
	require.EqualError(t, err, "test/ask: extension outer: test/guard: extension inner: broken")
}

// TestForgivingPointsLetOuterHandlersAnswer: retry and fallback are the business
// of such a point.
func TestForgivingPointsLetOuterHandlersAnswer(t *testing.T) {
	var r point.Registry
	install(t, &r, "fallback", func(in *point.Installer) {
		retry.Handle(in, func(ctx context.Context, _ Question, next next) (Answer, error) {
			_, err := next(ctx)
			require.ErrorIs(t, err, errBroken)
			return No{Why: "fell back"}, nil
		})
	})
	install(t, &r, "bad", func(in *point.Installer) {
		retry.Handle(in, func(context.Context, Question, next) (Answer, error) { return nil, errBroken })
	})
	d, err := retry.Run(context.Background(), point.Run{Handlers: &r}, Question{})
	require.NoError(t, err)
	require.Equal(t, No{Why: "fell back"}, d)
}

// TestForgivingPointsStillReportTheirFaults if nobody answers.
func TestForgivingPointsStillReportTheirFaults(t *testing.T) {
	for _, test := range failures {
		if test.name == "panic after next" {
			continue
		}
		var r point.Registry
		install(t, &r, "bad", func(in *point.Installer) { retry.Handle(in, test.fail) })
		_, err := retry.Run(context.Background(), point.Run{Handlers: &r}, Question{})
		require.EqualError(t, err, "test/retry: extension bad: "+test.want, test.name)
	}
}

func TestPanicsCarryTheirStackButNotInTheMessage(t *testing.T) {
	var r point.Registry
	on(t, &r, "bad", func(context.Context, Question, next) (Answer, error) { panic(errBroken) })
	_, err := run(&r)
	require.NotEmpty(t, handlerError(t, err).Stack)
	require.NotContains(t, err.Error(), "goroutine")
	var p *point.PanicError
	require.ErrorAs(t, err, &p)
	require.ErrorIs(t, err, errBroken, "an error that was panicked with stays reachable")
	require.NoError(t, (&point.PanicError{Value: "text"}).Unwrap())
}

func TestFaultsNameTheRule(t *testing.T) {
	for rule, want := range map[string]string{
		"":     "test/ask: extension ext: broken",
		"ext":  "test/ask: extension ext: broken",
		"rule": "test/ask: extension ext: rule rule: broken",
	} {
		var r point.Registry
		install(t, &r, "ext", func(in *point.Installer) {
			ask.HandleWith(in, func(context.Context, Question, next) (Answer, error) { return nil, errBroken }, point.Attach{Rule: rule})
		})
		_, err := run(&r)
		require.EqualError(t, err, want)
	}
}

// TestTwoPointsOfOneName: handlers of one never run as those of the other.
func TestTwoPointsOfOneName(t *testing.T) {
	const want = "test/ask: extension ext: two points have this name"
	told := point.NewNotification("test/ask", decls, point.NotificationSpec[Add]{})
	asked := point.NewWaterfall("test/ask", decls, point.Spec[Add, Answer]{Default: func(Add) Answer { return Maybe{} }})
	guarded := point.NewGuard("test/ask", decls, point.GuardSpec[Add, Answer]{Abstain: Maybe{}, Refuses: refuses})
	for name, attach := range map[string]func(in *point.Installer){
		"a notification": func(in *point.Installer) { told.Handle(in, func(context.Context, Add) error { return nil }) },
		"a guard": func(in *point.Installer) {
			guarded.Handle(in, func(context.Context, Add) (Answer, error) { return Maybe{}, nil })
		},
		"a waterfall": func(in *point.Installer) {
			asked.Handle(in, func(context.Context, Add, next) (Answer, error) { return Maybe{}, nil })
		},
	} {
		var r point.Registry
		install(t, &r, "ext", attach)
		_, err := run(&r)
		require.EqualError(t, err, want, name)
	}
	var r point.Registry
	on(t, &r, "ext", delegates)
	require.EqualError(t, told.Run(t.Context(), point.Run{Handlers: &r}, Add{}), want)
	_, err := guarded.Run(t.Context(), point.Run{Handlers: &r}, Add{})
	require.EqualError(t, err, want)
	_, err = asked.Run(t.Context(), point.Run{Handlers: &r}, Add{})
	require.EqualError(t, err, want)
}

// TestWhatHandlersStandAround is reached, and its panic is theirs to see, whether
// or not the context is done.
func TestWhatHandlersStandAround(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, ctx := range []context.Context{t.Context(), ended} {
		for handlers := range 3 {
			var r point.Registry
			for range handlers {
				install(t, &r, "ext", func(in *point.Installer) {
					retry.Handle(in, func(ctx context.Context, _ Question, next next) (Answer, error) {
						return next(context.WithValue(ctx, key{}, "given"))
					})
				})
			}
			d, err := retry.RunTo(ctx, point.Run{Handlers: &r}, Question{}, func(inner context.Context) Answer {
				require.Equal(t, ctx.Err(), inner.Err())
				require.Equal(t, handlers > 0, inner.Value(key{}) != nil)
				return No{Why: "core"}
			})
			require.NoError(t, err)
			require.Equal(t, No{Why: "core"}, d)
		}
	}
	var r point.Registry
	install(t, &r, "ext", func(in *point.Installer) { retry.Handle(in, delegates) })
	_, err := retry.RunTo(t.Context(), point.Run{Handlers: &r}, Question{}, func(context.Context) Answer { panic("core") })
	require.EqualError(t, err, "test/retry: extension ext: panic: core")
}
