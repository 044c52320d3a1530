package point_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// says is an untyped handler that answers without asking the rest.
func says(answer string) point.ValueHandler {
	return func(_ context.Context, asked point.Asked) (a point.Answer, err error) {
		v, err := value.ParseString(answer)
		if err != nil {
			return a, err
		}
		a.Decision, err = asked.Decode(schema.NodeOf(v))
		return a, err
	}
}

const (
	no       = `{"kind":"no","why":"n"}`
	maybe    = `{"kind":"maybe"}`
	yes      = `{"kind":"yes"}`
	yesSure  = `{"kind":"yes","sure":true}`
	yesAdds  = `{"kind":"yes","adds":["a"]}`
	noReason = `{"kind":"no"}`
)

// TestJoinTakesTheStricter: the answer of an untyped handler that did not ask
// the rest is joined with it, so that no policy's yes hides another's no,
// whichever was attached first.
func TestJoinTakesTheStricter(t *testing.T) {
	for _, test := range []struct {
		name    string
		answers []string
		want    string
	}{
		{"yes does not hide a no", []string{yes, no}, no},
		{"no ends the chain", []string{no, yes}, no},
		{"yes does not hide a maybe", []string{yes, maybe}, maybe},
		{"maybe beats a yes behind it", []string{maybe, yes}, maybe},
		{"a no behind two", []string{yes, maybe, no}, no},
		{"all agree", []string{yes, yes, yes}, yes},
		{"what both add is kept", []string{yesAdds, yesAdds}, `{"kind":"yes","adds":[{"text":"a","by":"policy"},{"text":"a","by":"policy"}]}`},
		{"nobody but one", []string{maybe}, maybe},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r point.Registry
			for _, a := range test.answers {
				install(t, &r, "policy", func(in *point.Installer) { ask.HandleValue(in, says(a), point.Attach{}) })
			}
			v, err := ask.RunValue(context.Background(), point.Run{Handlers: &r}, question(), nil)
			require.NoError(t, err)
			require.Equal(t, test.want, v.String())
		})
	}
}

func question() value.Value { return value.MustFrom(map[string]any{"text": "?"}) }

func TestARefusalIsNotJoined(t *testing.T) {
	var r point.Registry
	install(t, &r, "policy", func(in *point.Installer) { ask.HandleValue(in, says(no), point.Attach{}) })
	on(t, &r, "behind", func(context.Context, Question, next) (Answer, error) {
		t.Error("must not be asked")
		return Yes{}, nil
	})
	d, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, No{Why: "n"}, d)
}

// TestAFaultBehindAJoinedAnswerIsAFault: a yes cannot stand when the rest failed.
func TestAFaultBehindAJoinedAnswerIsAFault(t *testing.T) {
	var r point.Registry
	install(t, &r, "policy", func(in *point.Installer) { ask.HandleValue(in, says(yes), point.Attach{}) })
	on(t, &r, "bad", func(context.Context, Question, next) (Answer, error) { panic("ouch") })
	_, err := run(&r)
	require.EqualError(t, err, "test/ask: extension bad: panic: ouch")
}

// TestAnInvalidAnswerIsNotHiddenByTheRest: it is judged before it is joined.
func TestAnInvalidAnswerIsNotHiddenByTheRest(t *testing.T) {
	for answer, want := range map[string]string{
		yesSure:  `test/ask: extension policy: decision: needs the grant "sure", which this extension does not have`,
		noReason: `test/ask: extension policy: decision: no needs a why`,
	} {
		var r point.Registry
		install(t, &r, "policy", func(in *point.Installer) { ask.HandleValue(in, says(answer), point.Attach{}) })
		on(t, &r, "behind", answers(No{Why: "behind"}))
		_, err := run(&r)
		require.EqualError(t, err, want)
	}
}

// TestAPrivilegeSurvivesAJoin with the answers of extensions that need none.
func TestAPrivilegeSurvivesAJoin(t *testing.T) {
	for name, order := range map[string][]string{"before": {yesSure, yes}, "behind": {yes, yesSure}} {
		t.Run(name, func(t *testing.T) {
			var r point.Registry
			for _, a := range order {
				var grants []point.Grant
				if a == yesSure {
					grants = append(grants, sure)
				}
				install(t, &r, "policy", func(in *point.Installer) { ask.HandleValue(in, says(a), point.Attach{}) }, grants...)
			}
			d, err := run(&r)
			require.NoError(t, err)
			require.True(t, d.(Yes).Sure)
		})
	}
}

func TestRawAnswersAreNotJoined(t *testing.T) {
	var r point.Registry
	install(t, &r, "raw", func(in *point.Installer) { ask.HandleValue(in, says(yes), point.Attach{Raw: true}) })
	on(t, &r, "behind", func(context.Context, Question, next) (Answer, error) {
		t.Error("must not be asked")
		return Yes{}, nil
	})
	d, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, Yes{}, d)
}

// TestAnAnswerAfterNextIsNotJoinedAgain: who asked the rest has seen its answer.
func TestAnAnswerAfterNextIsNotJoinedAgain(t *testing.T) {
	var r point.Registry
	asked := 0
	install(t, &r, "policy", func(in *point.Installer) { ask.HandleValue(in, untyped("maybe", true), point.Attach{}) })
	on(t, &r, "behind", func(context.Context, Question, next) (Answer, error) { asked++; return Yes{}, nil })
	d, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, Maybe{}, d)
	require.Equal(t, 1, asked)
}

// TestPointsWithoutJoinLeaveAnswersAsTheyAre.
func TestPointsWithoutJoinLeaveAnswersAsTheyAre(t *testing.T) {
	var r point.Registry
	install(t, &r, "policy", func(in *point.Installer) { retry.HandleValue(in, says(yes), point.Attach{}) })
	d, err := retry.Run(context.Background(), point.Run{Handlers: &r}, Question{})
	require.NoError(t, err)
	require.Equal(t, Yes{}, d)
}

// TestAConflictIsAFault of the handler whose answer cannot be joined.
func TestAConflictIsAFault(t *testing.T) {
	for name, merge := range map[string]func(Question, Answer, Answer) (Answer, error){
		"error": func(Question, Answer, Answer) (Answer, error) { return Yes{}, errors.New("conflict") },
		"panic": func(Question, Answer, Answer) (Answer, error) { panic("conflict") },
		"nil":   func(Question, Answer, Answer) (Answer, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			clash := point.NewWaterfall("test/clash", decls, point.Spec[Question, Answer]{
				Default: func(Question) Answer { return Yes{} },
				Join:    &point.Join[Question, Answer]{Refuses: refuses, Merge: merge},
			})
			var r point.Registry
			install(t, &r, "policy", func(in *point.Installer) { clash.HandleValue(in, says(maybe), point.Attach{}) })
			d, err := clash.Run(context.Background(), point.Run{Handlers: &r}, Question{})
			require.Nil(t, d)
			require.Equal(t, "policy", handlerError(t, err).Extension)
		})
	}
}
