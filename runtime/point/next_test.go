package point_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
)

func TestNextIsSingleUse(t *testing.T) {
	var r point.Registry
	asked := 0
	on(t, &r, "a", func(ctx context.Context, _ Question, next next) (Answer, error) {
		_, err := next(ctx)
		require.NoError(t, err)
		_, err = next(ctx)
		require.ErrorIs(t, err, point.ErrNextTwice)
		return nil, err
	})
	on(t, &r, "b", func(context.Context, Question, next) (Answer, error) { asked++; return Yes{}, nil })
	_, err := run(&r)
	require.ErrorIs(t, err, point.ErrNextTwice)
	require.Equal(t, "a", handlerError(t, err).Extension)
	require.Equal(t, 1, asked)
}

// TestNextIsSpentByAFailure: a second try must not turn a fault into an answer.
func TestNextIsSpentByAFailure(t *testing.T) {
	var r point.Registry
	asked := 0
	on(t, &r, "a", func(ctx context.Context, _ Question, next next) (Answer, error) {
		_, err := next(ctx)
		require.ErrorIs(t, err, errBroken)
		return next(ctx)
	})
	on(t, &r, "b", func(context.Context, Question, next) (Answer, error) {
		asked++
		return nil, errBroken
	})
	_, err := run(&r)
	require.ErrorIs(t, err, errBroken)
	require.Equal(t, 1, asked)
}

func TestNextCannotBeCalledAfterTheHandlerReturned(t *testing.T) {
	var r point.Registry
	var kept next
	on(t, &r, "a", func(_ context.Context, _ Question, next next) (Answer, error) {
		kept = next
		return Yes{}, nil
	})
	on(t, &r, "b", func(context.Context, Question, next) (Answer, error) {
		t.Error("must not be asked")
		return Yes{}, nil
	})
	_, err := run(&r)
	require.NoError(t, err)
	_, err = kept(context.Background())
	require.ErrorIs(t, err, point.ErrNextLate)
}

// TestNextIsLateThoughItIsSpent: neither that it was called, nor what handlers
// behind did meanwhile, makes it anything else.
func TestNextIsLateThoughItIsSpent(t *testing.T) {
	for name, last := range map[string]handler{"handed on": delegates, "answered": answers(Yes{})} {
		t.Run(name, func(t *testing.T) {
			var r point.Registry
			var kept []next
			for range 3 {
				on(t, &r, "keeps", func(ctx context.Context, _ Question, next next) (Answer, error) {
					kept = append(kept, next)
					d, err := next(ctx)
					_, again := next(ctx)
					require.ErrorIs(t, again, point.ErrNextTwice)
					return d, err
				})
			}
			on(t, &r, "last", last)
			_, err := run(&r)
			require.NoError(t, err)
			require.Len(t, kept, 3)
			for _, next := range kept {
				_, err := next(t.Context())
				require.ErrorIs(t, err, point.ErrNextLate)
			}
		})
	}
}

// TestALongChainIsAsked, of whatever length, and answers every one of its handlers.
func TestALongChainIsAsked(t *testing.T) {
	for _, n := range []int{1, 200, 700, 3000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var r point.Registry
			asked := 0
			install(t, &r, "ext", func(in *point.Installer) {
				for range n {
					ask.Handle(in, func(ctx context.Context, q Question, next next) (Answer, error) {
						asked++
						return next(ctx)
					})
				}
			})
			d, err := run(&r)
			require.NoError(t, err)
			require.Equal(t, Yes{}, d)
			require.Equal(t, n, asked)
		})
	}
}

// TestHandlerMustWaitForItsNext: the answer of a handler whose next is still
// under way on another goroutine cannot have seen what the rest says.
func TestHandlerMustWaitForItsNext(t *testing.T) {
	for name, handle := range map[string]func(in *point.Installer, h handler){"once": ask.Handle, "repeatable": retry.Handle} {
		t.Run(name, func(t *testing.T) {
			var r point.Registry
			inside, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
			install(t, &r, "a", func(in *point.Installer) {
				handle(in, func(ctx context.Context, _ Question, next next) (Answer, error) {
					go func() {
						defer close(done)
						_, _ = next(ctx)
					}()
					<-inside
					return Yes{}, nil
				})
			})
			install(t, &r, "b", func(in *point.Installer) {
				handle(in, func(context.Context, Question, next) (Answer, error) {
					close(inside)
					<-release
					return No{Why: "b"}, nil
				})
			})
			w := map[string]*point.Waterfall[Question, Answer]{"once": ask, "repeatable": retry}[name]
			var o lockedObserver
			_, err := w.Run(context.Background(), point.Run{Handlers: &r, Observer: &o}, Question{})
			close(release)
			<-done
			require.ErrorIs(t, err, point.ErrNextRunning)
			require.Equal(t, "a", handlerError(t, err).Extension)
			require.Len(t, o.handled, 2)
		})
	}
}

// TestHandingOnIsNotTrustedBlindly: an answer that a handler hands on has been
// judged as that of a handler behind, or else it is judged now.
func TestHandingOnIsNotTrustedBlindly(t *testing.T) {
	broken := point.NewWaterfall("test/broken", decls, point.Spec[Question, Answer]{Default: func(Question) Answer { return No{} }})
	var r point.Registry
	for _, name := range []string{"outer", "inner"} {
		install(t, &r, name, func(in *point.Installer) {
			broken.Handle(in, delegates)
			retry.Handle(in, func(ctx context.Context, _ Question, next next) (Answer, error) {
				d, err := next(ctx)
				if name == "outer" {
					return &Yes{}, err
				}
				return d, err
			})
		})
	}
	_, err := broken.Run(context.Background(), point.Run{Handlers: &r}, Question{})
	require.ErrorContains(t, err, "test/broken: extension inner: decision: no needs a why")
	_, err = retry.Run(context.Background(), point.Run{Handlers: &r}, Question{})
	require.ErrorContains(t, err, "test/retry: extension outer: ")
}

// TestMaxNextIsBounded when the point is declared.
func TestMaxNextIsBounded(t *testing.T) {
	require.PanicsWithValue(t, "test/many: MaxNext is 1001, at most 1000 is possible", func() {
		point.NewWaterfall("test/many", decls, point.Spec[Question, Answer]{MaxNext: 1001})
	})
}

// TestALongChain runs every handler once, in order, past the steps that are
// allocated together.
func TestALongChain(t *testing.T) {
	for name, handle := range map[string]func(in *point.Installer, h handler){"once": ask.Handle, "repeatable": retry.Handle} {
		t.Run(name, func(t *testing.T) {
			var r point.Registry
			var order []int
			install(t, &r, "ext", func(in *point.Installer) {
				for i := range 100 {
					handle(in, func(ctx context.Context, q Question, next next) (Answer, error) {
						order = append(order, i)
						d, err := next(ctx)
						order = append(order, -i)
						return d, err
					})
				}
			})
			w := map[string]*point.Waterfall[Question, Answer]{"once": ask, "repeatable": retry}[name]
			_, err := w.Run(context.Background(), point.Run{Handlers: &r}, Question{})
			require.NoError(t, err)
			require.Len(t, order, 200)
			for i := range 100 {
				require.Equal(t, [2]int{i, -i}, [2]int{order[i], order[199-i]})
			}
		})
	}
}

func TestRepeatableNext(t *testing.T) {
	var r point.Registry
	tries := 0
	install(t, &r, "again", func(in *point.Installer) {
		retry.Handle(in, func(ctx context.Context, _ Question, next next) (d Answer, err error) {
			for range 8 {
				d, err = next(ctx)
				require.NoError(t, err)
			}
			_, err = next(ctx)
			require.ErrorIs(t, err, point.ErrNextTwice)
			return d, nil
		})
	})
	install(t, &r, "counts", func(in *point.Installer) {
		retry.Handle(in, func(context.Context, Question, next) (Answer, error) {
			if tries++; tries < 8 {
				return Maybe{}, nil
			}
			return Yes{}, nil
		})
	})
	d, err := retry.Run(context.Background(), point.Run{Handlers: &r}, Question{})
	require.NoError(t, err)
	require.Equal(t, Yes{}, d, "the last answer")
	require.Equal(t, 8, tries)
}

// TestRepeatableNextMayOverlap: two tries at once are each asked, and the race
// detector has nothing to say.
func TestRepeatableNextMayOverlap(t *testing.T) {
	var r point.Registry
	install(t, &r, "both", func(in *point.Installer) {
		retry.Handle(in, func(ctx context.Context, _ Question, next next) (Answer, error) {
			results := make(chan Answer, 2)
			for range 2 {
				go func() { d, _ := next(ctx); results <- d }()
			}
			d := <-results
			<-results
			return d, nil
		})
	})
	var both sync.WaitGroup // so that they do overlap
	install(t, &r, "inner", func(in *point.Installer) {
		retry.Handle(in, func(ctx context.Context, _ Question, next next) (Answer, error) {
			both.Done()
			both.Wait()
			return next(ctx)
		})
	})
	observer := point.ObserverFunc(func(point.Handled) {})
	for _, o := range []point.Observer{nil, observer} {
		if o != nil {
			o = &lockedObserver{}
		}
		both.Add(2)
		d, err := retry.Run(context.Background(), point.Run{Handlers: &r, Observer: o}, Question{})
		require.NoError(t, err)
		require.Equal(t, Maybe{}, d)
	}
}

// TestTheLastAnswerOfNextIsTheOneThatCameLast, whichever of two tries at once was
// begun first.
func TestTheLastAnswerOfNextIsTheOneThatCameLast(t *testing.T) {
	for name, late := range map[string]int32{"the first try": 0, "the second try": 1} {
		t.Run(name, func(t *testing.T) {
			var r point.Registry
			var tries atomic.Int32
			begun, release := make(chan struct{}, 2), make(chan struct{})
			install(t, &r, "both", func(in *point.Installer) {
				retry.HandleValue(in, func(ctx context.Context, asked point.Asked) (point.Answer, error) {
					ended := make(chan struct{})
					try := func() { _, _ = asked.Next(ctx); ended <- struct{}{} }
					go try()
					<-begun
					go try()
					<-begun
					<-ended
					close(release)
					<-ended
					return point.Answer{}, nil
				}, point.Attach{})
			})
			install(t, &r, "tells", func(in *point.Installer) {
				retry.Handle(in, func(context.Context, Question, next) (Answer, error) {
					this := tries.Add(1) - 1
					begun <- struct{}{}
					if this == late {
						<-release
						return Yes{}, nil
					}
					return Maybe{}, nil
				})
			})
			d, err := retry.Run(t.Context(), point.Run{Handlers: &r}, Question{})
			require.NoError(t, err)
			require.Equal(t, Yes{}, d)
		})
	}
}

// TestEveryTurnIsItsOwn: what a repeated next leads to is a turn anew, with its
// own count of nexts, and ends for itself.
func TestEveryTurnIsItsOwn(t *testing.T) {
	var r point.Registry
	const tries = 3
	var kept []next
	twice := func(ctx context.Context, _ Question, next next) (d Answer, err error) {
		kept = append(kept, next)
		for range tries {
			if d, err = next(ctx); err != nil {
				return nil, err
			}
		}
		return d, nil
	}
	asked := 0
	install(t, &r, "ext", func(in *point.Installer) {
		for range 3 {
			retry.Handle(in, twice)
		}
		retry.Handle(in, func(context.Context, Question, next) (Answer, error) {
			asked++
			return Yes{}, nil
		})
	})
	d, err := retry.Run(t.Context(), point.Run{Handlers: &r}, Question{})
	require.NoError(t, err)
	require.Equal(t, Yes{}, d)
	require.Equal(t, tries*tries*tries, asked)
	require.Len(t, kept, 1+tries+tries*tries)
	for _, next := range kept {
		_, err := next(t.Context())
		require.ErrorIs(t, err, point.ErrNextLate)
	}
}

// TestARunLeftBehindKeepsToItsOwnSteps: a handler that does not wait for its next
// leaves a chain under way beside what others ask for next.
func TestARunLeftBehindKeepsToItsOwnSteps(t *testing.T) {
	var r point.Registry
	inside, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	tries := 0
	install(t, &r, "outer", func(in *point.Installer) {
		retry.Handle(in, func(ctx context.Context, _ Question, next next) (Answer, error) {
			_, err := next(ctx)
			require.ErrorIs(t, err, point.ErrNextRunning)
			close(release)
			return next(ctx)
		})
	})
	install(t, &r, "leaves", func(in *point.Installer) {
		retry.Handle(in, func(ctx context.Context, _ Question, next next) (Answer, error) {
			if tries++; tries > 1 {
				return next(ctx)
			}
			go func() {
				defer close(done)
				_, _ = next(ctx)
			}()
			<-inside
			return Yes{}, nil
		})
	})
	install(t, &r, "waits", func(in *point.Installer) {
		var once sync.Once
		retry.Handle(in, func(ctx context.Context, _ Question, next next) (Answer, error) {
			once.Do(func() { close(inside) })
			<-release
			return next(ctx)
		})
		for range 40 { // so that both need more steps
			retry.Handle(in, delegates)
		}
	})
	d, err := retry.Run(t.Context(), point.Run{Handlers: &r}, Question{})
	<-done
	require.NoError(t, err)
	require.Equal(t, Maybe{}, d)
}
