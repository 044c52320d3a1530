package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

var errBroken = errors.New("broken")

type extension func(in *point.Installer)

func (extension) Name() string { return "ext" }

func (e extension) Install(in *point.Installer) error { e(in); return nil }

// hostOf returns a host whose one extension is attach, and what it collects.
func hostOf(t *testing.T, attach extension) (host.Host, *session.Effects) {
	t.Helper()
	r := new(point.Registry)
	_, err := r.Install(attach)
	require.NoError(t, err)
	effects := session.NewEffects(session.EffectTell)
	return host.Host{Run: point.Run{Handlers: r}, Live: effects}, effects
}

// call is a payload that handlers can read in full.
func call() tool.Call {
	return tool.Call{ID: "1", Tool: "Bash", Arguments: value.OfObject(), Action: tool.Shell{Command: "ls"}, Session: session.Ref{ID: "s"}}
}

func denied(err error) tool.PreDecision { return tool.Deny{Reason: "fault: " + err.Error()} }

func TestFireGivesTheAnswer(t *testing.T) {
	h, effects := hostOf(t, func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(_ context.Context, c tool.Call, _ tool.PreNext) (tool.PreDecision, error) {
			return tool.Ask{Reason: "sure?"}, c.Live.Tell("asked")
		})
	})
	out := host.Fire(context.Background(), h, tool.PreExecute, call(), denied)
	require.NoError(t, out.Fault)
	require.Equal(t, tool.Ask{Reason: "sure?"}, out.Decision)
	require.Equal(t, []string{"asked"}, effects.Told(), "the payload carries the live handle of the host")
}

// TestFireTurnsAFaultIntoWhatTheHostMakesOfIt: nothing that an extension does
// wrong is an answer.
func TestFireTurnsAFaultIntoWhatTheHostMakesOfIt(t *testing.T) {
	h, _ := hostOf(t, func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
			return tool.Allow{}, errBroken
		})
		tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) { panic("ouch") })
		tool.OnResult.Handle(in, func(context.Context, tool.Done) error { return errBroken })
	})
	out := host.Fire(context.Background(), h, tool.PreExecute, call(), denied)
	require.ErrorIs(t, out.Fault, errBroken)
	require.Equal(t, tool.Deny{Reason: "fault: tools/pre-execute: extension ext: broken"}, out.Decision)

	guarded := host.FireGuard(context.Background(), h, tool.OnGuard, call(), func(err error) tool.GuardDecision {
		return tool.Forbid{Reason: err.Error()}
	})
	require.Error(t, guarded.Fault)
	require.Equal(t, tool.Forbid{Reason: "tools/guard: extension ext: panic: ouch"}, guarded.Decision)

	require.ErrorIs(t, host.Tell(context.Background(), h, tool.OnResult, tool.Done{Call: call()}), errBroken)
}

// TestAnUnsupportedEffectFailsTheRun, so that nothing is lost in silence.
func TestAnUnsupportedEffectFailsTheRun(t *testing.T) {
	h, _ := hostOf(t, func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(_ context.Context, c tool.Call, _ tool.PreNext) (tool.PreDecision, error) {
			return tool.Allow{}, c.Live.Halt("stop")
		})
	})
	out := host.Fire(context.Background(), h, tool.PreExecute, call(), denied)
	require.ErrorIs(t, out.Fault, session.ErrUnsupported)
	require.Equal(t, tool.Deny{Reason: "fault: tools/pre-execute: extension ext: halt: this client cannot do that"}, out.Decision)
}

// TestNobodyIsAttached is the host's own policy: the defaults of the points.
func TestNobodyIsAttached(t *testing.T) {
	var h host.Host
	require.Equal(t, tool.Allow{}, host.Fire(context.Background(), h, tool.PreExecute, call(), denied).Decision)
	require.Equal(t, tool.Abstain{}, host.FireGuard(context.Background(), h, tool.OnGuard, call(), nil).Decision)
	require.NoError(t, host.Tell(context.Background(), h, tool.OnResult, tool.Done{}))
	require.Equal(t, host.Pass{}, host.Fire(context.Background(), h, host.OnEvent, host.Event{}, nil).Decision)
}

// TestACancelledFireIsAFault: who was not asked did not consent.
func TestACancelledFireIsAFault(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errBroken)
	out := host.Fire(ctx, host.Host{}, tool.PreExecute, call(), denied)
	require.Equal(t, errBroken, out.Fault)
	require.Equal(t, tool.Deny{Reason: "fault: broken"}, out.Decision)
}

// knock is a payload with a live handle.
type knock struct {
	Live session.Live `json:"-"`
}

type reply interface{ isReply() }

type fine struct{}

func (fine) isReply() {}

// TestWhoeverIsAskedHasALiveHandle, also who was attached while the point was fired.
func TestWhoeverIsAskedHasALiveHandle(t *testing.T) {
	decls := &schema.Decls{Doc: func(string) string { return "" }, Variants: func(string) []any { return []any{fine{}} }}
	asked, lives := 0, 0
	hear := func(k knock) {
		asked++
		if k.Live != nil {
			lives++
		}
	}
	late := new(point.Registry)
	var attach extension
	subject := func(knock) point.Subject { // the last thing that is asked before handlers are chosen
		_, err := late.Install(attach)
		require.NoError(t, err)
		return point.Subject{}
	}
	w := point.NewWaterfall("test/w", decls, point.Spec[knock, reply]{Default: func(knock) reply { return fine{} }, Subject: subject})
	g := point.NewGuard("test/g", decls, point.GuardSpec[knock, reply]{Abstain: fine{}, Refuses: func(reply) bool { return false }, Subject: subject})
	n := point.NewNotification("test/n", decls, point.NotificationSpec[knock]{Subject: subject})
	attach = func(in *point.Installer) {
		w.Handle(in, func(ctx context.Context, k knock, next point.Next[reply]) (reply, error) { hear(k); return next(ctx) })
		g.Handle(in, func(_ context.Context, k knock) (reply, error) { hear(k); return fine{}, nil })
		n.Handle(in, func(_ context.Context, k knock) error { hear(k); return nil })
	}
	for _, fire := range []func(host.Host) error{
		func(h host.Host) error { return host.Fire(t.Context(), h, w, knock{}, nil).Fault },
		func(h host.Host) error {
			return host.FireTo(t.Context(), h, w, knock{}, func(context.Context) reply { return fine{} }, nil).Fault
		},
		func(h host.Host) error { return host.FireGuard(t.Context(), h, g, knock{}, nil).Fault },
		func(h host.Host) error { return host.Tell(t.Context(), h, n, knock{}) },
	} {
		late, asked, lives = new(point.Registry), 0, 0
		require.NoError(t, fire(host.Host{Run: point.Run{Handlers: late}, Live: session.NewEffects()}))
		require.Equal(t, 1, asked)
		require.Equal(t, 1, lives)
	}
}
