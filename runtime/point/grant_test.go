package point_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
)

func TestAPrivilegedAnswerNeedsAGrant(t *testing.T) {
	var r point.Registry
	remove := on(t, &r, "trusted", answers(Yes{Sure: true}), sure)
	d, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, Yes{Sure: true}, d)
	remove()
	on(t, &r, "other grant", answers(Yes{Sure: true}), "another")
	_, err = run(&r)
	require.ErrorContains(t, err, `needs the grant "sure"`)
}

// TestPassingAPrivilegedAnswerOnNeedsNoGrant: whoever asked the rest may hand on
// what it said, but not make it up.
func TestPassingAPrivilegedAnswerOnNeedsNoGrant(t *testing.T) {
	for _, test := range []struct {
		name      string
		front     handler
		inner     Answer
		want      Answer
		forbidden bool
	}{
		{"passed on", delegates, Yes{Sure: true}, Yes{Sure: true}, false},
		{"weakened", func(ctx context.Context, _ Question, next next) (Answer, error) {
			_, err := next(ctx)
			return Yes{}, err
		}, Yes{Sure: true}, Yes{}, false},
		{"made up from a weaker answer", func(ctx context.Context, _ Question, next next) (Answer, error) {
			_, err := next(ctx)
			return Yes{Sure: true}, err
		}, Yes{}, nil, true},
		{"made up from a refusal", func(ctx context.Context, _ Question, next next) (Answer, error) {
			_, err := next(ctx)
			return Yes{Sure: true}, err
		}, No{Why: "no"}, nil, true},
		{"made up without asking", answers(Yes{Sure: true}), Yes{Sure: true}, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r point.Registry
			on(t, &r, "front", test.front)
			on(t, &r, "trusted", answers(test.inner), sure)
			d, err := run(&r)
			if test.forbidden {
				require.EqualError(t, err, `test/ask: extension front: decision: needs the grant "sure", which this extension does not have`)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, d)
		})
	}
}

// TestGrantsAreCopied: whoever installs cannot change them afterwards by
// accident.
func TestGrantsAreCopied(t *testing.T) {
	grants := []point.Grant{sure}
	var r point.Registry
	on(t, &r, "trusted", answers(Yes{Sure: true}), grants...)
	grants[0] = "none"
	_, err := run(&r)
	require.NoError(t, err)
}

// TestAdditionsAreAttributedToTheirExtension, each to the one that made it,
// however many handlers pass the answer on.
func TestAdditionsAreAttributedToTheirExtension(t *testing.T) {
	var r point.Registry
	on(t, &r, "front", func(ctx context.Context, _ Question, next next) (Answer, error) {
		d, err := next(ctx)
		y := d.(Yes)
		y.Adds = append(y.Adds, Add{Text: "mine"})
		return y, err
	})
	on(t, &r, "middle", delegates)
	inner := []Add{{Text: "theirs"}}
	on(t, &r, "behind", answers(Yes{Adds: inner}))
	d, err := run(&r)
	require.NoError(t, err)
	require.Equal(t, Yes{Adds: []Add{{"theirs", "behind"}, {"mine", "front"}}}, d)
	require.Empty(t, inner[0].By, "what the extension keeps is not written to")
}

// TestNobodyGrantsToItself what it was not installed with.
func TestNobodyGrantsToItself(t *testing.T) {
	var r point.Registry
	install(t, &r, "front", func(in *point.Installer) {
		ask.HandleValue(in, func(_ context.Context, asked point.Asked) (point.Answer, error) {
			asked.Grants[0] = sure
			return point.Answer{Decision: Yes{Sure: true}}, nil
		}, point.Attach{})
	}, "another")
	_, err := run(&r)
	require.ErrorContains(t, err, `needs the grant "sure"`)
}
