package point_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

type handle struct{ name string }

func (h *handle) fails() error { return errors.New(h.name) }

// TestUntypedHandlersOfAllKinds: each is given the payload in its wire form, the
// live handle, and next and Decode where the kind has them.
func TestUntypedHandlersOfAllKinds(t *testing.T) {
	for _, test := range []struct {
		point     point.Point
		hasNext   bool
		hasDecode bool
		answer    string
		want      string // the outcome when the handler has no opinion
		wantOwn   string // the outcome when it answers
	}{
		{ask, true, true, maybe, yes, maybe},
		{retry, true, true, yes, maybe, yes},
		{guard, false, true, no, maybe, no},
		{tell, false, false, "", "", ""},
	} {
		t.Run(test.point.Name(), func(t *testing.T) {
			live := &handle{"live"}
			payload := question().With("tool", value.OfString("Bash"))
			for _, own := range []bool{false, true} {
				var r point.Registry
				install(t, &r, "script", func(in *point.Installer) {
					test.point.HandleValue(in, func(ctx context.Context, asked point.Asked) (point.Answer, error) {
						require.True(t, payload.Equal(asked.Payload))
						require.Same(t, live, asked.Live)
						require.Equal(t, test.hasNext, asked.Next != nil)
						require.Equal(t, test.hasDecode, asked.Decode != nil)
						if !own || test.answer == "" {
							return point.Answer{}, nil
						}
						return says(test.answer)(ctx, asked)
					}, point.Attach{})
				})
				v, err := test.point.RunValue(context.Background(), point.Run{Handlers: &r},
					value.MustFrom(map[string]any{"tool": "Bash", "text": "?"}), live)
				require.NoError(t, err)
				want := test.want
				if own {
					want = test.wantOwn
				}
				require.Equal(t, want, v.String())
			}
		})
	}
}

func TestAnUntypedAnswerIsConvertedOrNamed(t *testing.T) {
	for answer, want := range map[string]string{
		`{"kind":"no","wyh":"x"}`: `test/ask: extension script: decision.wyh: no such field in point_test.No; did you mean "why"?`,
		`{"kind":"mabye"}`:        `test/ask: extension script: decision.kind: "mabye" is none of "no", "maybe", "yes"; did you mean "maybe"?`,
		`false`:                   `test/ask: extension script: decision: want a table with kind = "no", "maybe", "yes", got false`,
		`"no"`:                    `test/ask: extension script: decision: want a table with kind = "no", "maybe", "yes", got "no"`,
		`{"kind":"no"}`:           `test/ask: extension script: decision: no needs a why`,
		`{"kind":"no","why":1}`:   `test/ask: extension script: decision.why: want a string, got 1`,
	} {
		var r point.Registry
		install(t, &r, "script", func(in *point.Installer) { ask.HandleValue(in, says(answer), point.Attach{}) })
		_, err := run(&r)
		require.EqualError(t, err, want)
	}
}

// TestWhatAnUntypedHandlerGivesIsJudgedLikeAnyAnswer, although it never went
// through Decode.
func TestWhatAnUntypedHandlerGivesIsJudgedLikeAnyAnswer(t *testing.T) {
	for name, d := range map[string]any{
		"pointer": &Yes{}, "foreign": Foreign{}, "another type": "yes", "invalid": No{}, "without the grant": Yes{Sure: true},
	} {
		for _, p := range []point.Point{ask, retry, guard} {
			if p == guard && name == "without the grant" {
				continue
			}
			var r point.Registry
			install(t, &r, "script", func(in *point.Installer) {
				p.HandleValue(in, func(context.Context, point.Asked) (point.Answer, error) { return point.Answer{Decision: d}, nil }, point.Attach{})
			})
			_, err := p.RunValue(context.Background(), point.Run{Handlers: &r}, question(), nil)
			require.Error(t, err, "%s at %s", name, p.Name())
			require.Equal(t, "script", handlerError(t, err).Extension)
		}
	}
}

func TestAnAnswerToANotificationIsAFault(t *testing.T) {
	var r point.Registry
	install(t, &r, "script", func(in *point.Installer) {
		tell.HandleValue(in, func(context.Context, point.Asked) (point.Answer, error) { return point.Answer{Decision: Yes{}}, nil }, point.Attach{})
	})
	err := tell.Run(context.Background(), point.Run{Handlers: &r}, Question{})
	require.EqualError(t, err, "test/tell: extension script: decision: a handler of a notification returns nothing")
}

// TestTheAnswerOfNextKeepsItsIdentity: handed back as it is, it is the very same
// Go value; its wire form is what the handler can read.
func TestTheAnswerOfNextKeepsItsIdentity(t *testing.T) {
	var r point.Registry
	install(t, &r, "script", func(in *point.Installer) {
		ask.HandleValue(in, func(ctx context.Context, asked point.Asked) (point.Answer, error) {
			inner, err := asked.Next(ctx)
			require.NoError(t, err)
			require.Equal(t, value.OfString("go"), inner.Value.Get("adds").At(0).Get("by"))
			return point.Answer{Decision: inner.Decision}, nil
		}, point.Attach{})
	})
	given := []Add{{"x", "go"}}
	on(t, &r, "go", answers(Yes{Adds: given}))
	d, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, Yes{Adds: given}, d)
}

func TestUntypedNextIsSingleUse(t *testing.T) {
	var r point.Registry
	var kept func(context.Context) (point.Inner, error)
	install(t, &r, "script", func(in *point.Installer) {
		ask.HandleValue(in, func(ctx context.Context, asked point.Asked) (point.Answer, error) {
			kept = asked.Next
			_, err := asked.Next(ctx)
			require.NoError(t, err)
			_, err = asked.Next(ctx)
			require.ErrorIs(t, err, point.ErrNextTwice)
			return point.Answer{}, nil
		}, point.Attach{})
	})
	d, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, Yes{}, d)
	_, err = kept(context.Background())
	require.ErrorIs(t, err, point.ErrNextLate)
}

// TestAnUntypedHandlerCannotSwallowAFault: neither an answer nor having no
// opinion makes one of it.
func TestAnUntypedHandlerCannotSwallowAFault(t *testing.T) {
	for _, tag := range []string{"", "yes", "maybe"} {
		var r point.Registry
		install(t, &r, "script", func(in *point.Installer) {
			ask.HandleValue(in, func(ctx context.Context, asked point.Asked) (a point.Answer, err error) {
				_, err = asked.Next(ctx)
				require.Error(t, err)
				if tag != "" {
					a.Decision, err = asked.Decode(schema.NodeOf(value.MustFrom(map[string]any{"kind": tag})))
					return a, err
				}
				return a, nil
			}, point.Attach{})
		})
		on(t, &r, "bad", func(context.Context, Question, next) (Answer, error) { return nil, errBroken })
		_, err := run(&r)
		require.EqualError(t, err, "test/ask: extension bad: broken")
	}
}

func TestAPayloadThatDoesNotFit(t *testing.T) {
	for _, p := range []point.Point{ask, retry, guard, tell, stop} {
		for in, want := range map[string]string{
			`{}`:                       `payload.text: missing, want a string`,
			`{"text":"?","tol":"x"}`:   `payload.tol: no such field in point_test.Question; did you mean "tool"?`,
			`{"text":"?","Live":true}`: `payload.Live: no such field in point_test.Question`,
			`[]`:                       `payload: want an object (point_test.Question), got []`,
		} {
			v, err := value.ParseString(in)
			require.NoError(t, err)
			_, err = p.RunValue(context.Background(), point.Run{}, v, nil)
			var at *schema.Error
			require.ErrorAs(t, err, &at)
			require.EqualError(t, err, want)
		}
		_, err := p.RunValue(context.Background(), point.Run{}, value.Value{}, nil)
		require.EqualError(t, err, `payload: want an object (point_test.Question), got null`)
	}
}

// TestThePayloadIsEncodedOnceARun: Values can be compared by what they hold, so
// equal ones share their storage.
func TestThePayloadIsEncodedOnceARun(t *testing.T) {
	for _, p := range []point.Point{ask, guard, tell} {
		var r point.Registry
		seen := map[value.Value]int{}
		for range 3 {
			install(t, &r, "script", func(in *point.Installer) {
				p.HandleValue(in, func(_ context.Context, asked point.Asked) (point.Answer, error) {
					seen[asked.Payload]++
					return point.Answer{}, nil
				}, point.Attach{})
			})
		}
		_, err := p.RunValue(context.Background(), point.Run{Handlers: &r}, question(), nil)
		require.NoError(t, err)
		require.Len(t, seen, 1, p.Name())
	}
}

func TestSetLive(t *testing.T) {
	q := Question{Live: "old"}
	point.SetLive(&q, nil)
	require.Equal(t, "old", q.Live, "nothing to set")
	point.SetLive(&q, "new")
	require.Equal(t, "new", q.Live)
	other := struct{ Live *handle }{}
	point.SetLive(&other, "does not fit")
	require.Nil(t, other.Live)
	none := struct{ Text string }{}
	point.SetLive(&none, "no field")
}

// TestAnAnswerThatIsRefusedNamesItsPlace, whoever finds out that it cannot be.
func TestAnAnswerThatIsRefusedNamesItsPlace(t *testing.T) {
	for _, raw := range []bool{false, true} {
		var r point.Registry
		install(t, &r, "script", func(in *point.Installer) {
			ask.HandleValue(in, func(context.Context, point.Asked) (point.Answer, error) {
				return point.Answer{Decision: Yes{Sure: true}, At: "policy.lua:3"}, nil
			}, point.Attach{Raw: raw})
		})
		_, err := run(&r)
		require.EqualError(t, err, `test/ask: extension script: policy.lua:3: decision: needs the grant "sure", which this extension does not have`)
	}
}

// TestAnOwnAnswerIsSaid, even if it is equal to what next said.
func TestAnOwnAnswerIsSaid(t *testing.T) {
	for _, own := range []bool{false, true} {
		var r point.Registry
		install(t, &r, "script", func(in *point.Installer) {
			ask.HandleValue(in, func(ctx context.Context, asked point.Asked) (point.Answer, error) {
				inner, err := asked.Next(ctx)
				return point.Answer{Decision: inner.Decision, Own: own}, err
			}, point.Attach{})
		})
		got := observed(t, &r, ask)
		require.Len(t, got, 1)
		require.Equal(t, own, got[0].Own)
		require.Equal(t, own, got[0].Said != nil)
	}
}

// TestAnUntypedHandlerIsReadOnceItsNextIsLate: a goroutine that it left behind
// calls next while its answer is being read. The race detector has nothing to
// say.
func TestAnUntypedHandlerIsReadOnceItsNextIsLate(t *testing.T) {
	var r point.Registry
	var left sync.WaitGroup
	install(t, &r, "leaves", func(in *point.Installer) {
		ask.HandleValue(in, func(ctx context.Context, asked point.Asked) (point.Answer, error) {
			left.Go(func() { _, _ = asked.Next(ctx) })
			return point.Answer{}, nil
		}, point.Attach{})
	})
	on(t, &r, "behind", answers(Maybe{}))
	for range 300 { // of which some meet
		d, err := run(&r)
		left.Wait()
		if err == nil {
			require.Equal(t, Maybe{}, d)
		}
	}
}
