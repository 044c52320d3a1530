package session_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/session"
)

var (
	_ session.Live = (*session.Effects)(nil)

	one = session.FromExtension("ext", "one")
	two = session.FromExtension("ext", "two")
)

func TestEffectsAreCollectedInOrder(t *testing.T) {
	e := session.NewEffects(session.EffectInject, session.EffectSteer, session.EffectHalt, session.EffectTell)
	_, halted := e.Halted()
	require.False(t, halted)
	for _, act := range []func() error{
		func() error { return e.Inject(one) },
		func() error { return e.Inject(two) },
		func() error { return e.Steer(two) },
		func() error { return e.Tell("a") },
		func() error { return e.Tell("b") },
		func() error { return e.Halt("") },
		func() error { return e.Halt("second") },
	} {
		require.NoError(t, act())
	}
	require.Equal(t, []session.Message{one, two}, e.Injected())
	require.Equal(t, []session.Message{two}, e.Steered())
	require.Equal(t, []string{"a", "b"}, e.Told())
	reason, halted := e.Halted()
	require.True(t, halted, "a halt without a reason is a halt")
	require.Empty(t, reason, "the first reason stays")
}

// TestWhatAClientCannotCarryIsAnError and is not collected.
func TestWhatAClientCannotCarryIsAnError(t *testing.T) {
	for _, test := range []struct {
		effect session.Effect
		act    func(e *session.Effects) error
	}{
		{session.EffectInject, func(e *session.Effects) error { return e.Inject(one) }},
		{session.EffectSteer, func(e *session.Effects) error { return e.Steer(one) }},
		{session.EffectHalt, func(e *session.Effects) error { return e.Halt("why") }},
		{session.EffectTell, func(e *session.Effects) error { return e.Tell("text") }},
	} {
		t.Run(string(test.effect), func(t *testing.T) {
			only := session.NewEffects(test.effect)
			require.NoError(t, test.act(only))
			none := session.NewEffects()
			err := test.act(none)
			require.ErrorIs(t, err, session.ErrUnsupported)
			require.EqualError(t, err, string(test.effect)+": this client cannot do that")
			_, halted := none.Halted()
			require.False(t, halted)
			require.Empty(t, none.Injected())
			require.Empty(t, none.Steered())
			require.Empty(t, none.Told())
		})
	}
}

func TestWhatIsReturnedIsACopy(t *testing.T) {
	e := session.NewEffects(session.EffectTell)
	require.NoError(t, e.Tell("a"))
	e.Told()[0] = "changed"
	require.Equal(t, []string{"a"}, e.Told())
}

func TestEffectsMayBeUsedConcurrently(t *testing.T) {
	e := session.NewEffects(session.EffectInject, session.EffectHalt)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				_ = e.Inject(one)
				_ = e.Halt("why")
				_ = e.Injected()
			}
		})
	}
	wg.Wait()
	require.Len(t, e.Injected(), 100)
}

// TestWhoEndedTheTurnIsKept: the origin is that of the reason that stays.
func TestWhoEndedTheTurnIsKept(t *testing.T) {
	e := session.NewEffects(session.EffectHalt, session.EffectTell)
	first := session.Origin{Extension: "a.lua", Rule: "stop", At: "a.lua:1"}
	require.Zero(t, e.HaltedBy())
	require.NoError(t, e.By(first).Tell("x"))
	require.Zero(t, e.HaltedBy())
	require.NoError(t, e.By(first).Halt("one"))
	require.NoError(t, e.By(session.Origin{Extension: "b.lua"}).Halt("two"))
	require.Equal(t, first, e.HaltedBy())
	require.Equal(t, []string{"x"}, e.Told())

	plain := session.NewEffects(session.EffectHalt)
	require.NoError(t, plain.Halt("one"))
	require.Zero(t, plain.HaltedBy())
}
