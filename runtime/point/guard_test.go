package point_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
)

func runGuard(r *point.Registry) (Answer, error) {
	return guard.Run(context.Background(), point.Run{Handlers: r}, Question{})
}

// guards attaches a guard that logs its name.
func guards(t testing.TB, r *point.Registry, name string, log *[]string, d Answer) {
	install(t, r, name, func(in *point.Installer) {
		guard.Handle(in, func(context.Context, Question) (Answer, error) {
			*log = append(*log, name)
			return d, nil
		})
	})
}

func TestGuardAbstainsWithoutHandlers(t *testing.T) {
	d, err := runGuard(nil)
	require.NoError(t, err)
	require.Equal(t, Maybe{}, d)
}

func TestGuardsAreAskedUntilOneRefuses(t *testing.T) {
	var r point.Registry
	var log []string
	guards(t, &r, "a", &log, Maybe{})
	guards(t, &r, "b", &log, No{Why: "b"})
	guards(t, &r, "c", &log, Maybe{})
	d, err := runGuard(&r)
	require.NoError(t, err)
	require.Equal(t, No{Why: "b"}, d)
	require.Equal(t, []string{"a", "b"}, log)
}

// TestGuardsAreMonotonic: no order of abstentions around a refusal undoes it.
func TestGuardsAreMonotonic(t *testing.T) {
	for at := range 4 {
		var r point.Registry
		var log []string
		for i := range 4 {
			d := Answer(Maybe{})
			if i == at {
				d = No{Why: "no"}
			}
			guards(t, &r, "g", &log, d)
		}
		d, err := runGuard(&r)
		require.NoError(t, err)
		require.Equal(t, No{Why: "no"}, d)
	}
}

// TestGuardsAreAskedScopeByScope: from the root down, whatever was attached
// first; within a scope in order of attachment.
func TestGuardsAreAskedScopeByScope(t *testing.T) {
	var root point.Registry
	child := root.Child()
	grandchild := child.Child()
	var log []string
	for _, g := range []struct {
		name string
		in   *point.Registry
	}{{"grandchild", grandchild}, {"child 1", child}, {"root 1", &root}, {"child 2", child}, {"root 2", &root}} {
		guards(t, g.in, g.name, &log, Maybe{})
	}
	install(t, child, "child first", func(in *point.Installer) {
		guard.HandleWith(in, func(context.Context, Question) (Answer, error) {
			log = append(log, "child first")
			return Maybe{}, nil
		}, point.Attach{First: true})
	})
	_, err := runGuard(grandchild)
	require.NoError(t, err)
	require.Equal(t, []string{"root 1", "root 2", "child first", "child 1", "child 2", "grandchild"}, log)
}

func TestAFailingGuardIsAFault(t *testing.T) {
	for name, fails := range map[string]point.GuardHandler[Question, Answer]{
		"error":   func(context.Context, Question) (Answer, error) { return Maybe{}, errBroken },
		"panic":   func(context.Context, Question) (Answer, error) { panic("ouch") },
		"nil":     func(context.Context, Question) (Answer, error) { return nil, nil },
		"pointer": func(context.Context, Question) (Answer, error) { return &Maybe{}, nil },
		"foreign": func(context.Context, Question) (Answer, error) { return Foreign{}, nil },
		"invalid": func(context.Context, Question) (Answer, error) { return No{}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			var r point.Registry
			var log []string
			install(t, &r, "bad", func(in *point.Installer) { guard.Handle(in, fails) })
			guards(t, &r, "behind", &log, Maybe{})
			_, err := runGuard(&r)
			require.Equal(t, "bad", handlerError(t, err).Extension)
			require.Empty(t, log, "the fault ends the run")
		})
	}
}

func TestACancelledGuardDoesNotAbstain(t *testing.T) {
	var r point.Registry
	ctx, cancel := context.WithCancelCause(context.Background())
	install(t, &r, "cancels", func(in *point.Installer) {
		guard.Handle(in, func(context.Context, Question) (Answer, error) { cancel(errBroken); return Maybe{}, nil })
		guard.Handle(in, func(context.Context, Question) (Answer, error) {
			t.Error("must not be asked")
			return Maybe{}, nil
		})
	})
	_, err := guard.Run(ctx, point.Run{Handlers: &r}, Question{})
	require.Equal(t, errBroken, err)
}
