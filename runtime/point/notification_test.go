package point_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
)

// tells attaches a handler that logs its name.
func tells(t testing.TB, r *point.Registry, n *point.Notification[Question], name string, log *[]string, fail func() error) {
	install(t, r, name, func(in *point.Installer) {
		n.Handle(in, func(context.Context, Question) error {
			*log = append(*log, name)
			return fail()
		})
	})
}

func fine() error { return nil }

// TestAFailureDoesNotStarveTheNext: handlers of a notification are contained one
// by one, and the caller gets every failure, to log it.
func TestAFailureDoesNotStarveTheNext(t *testing.T) {
	var r point.Registry
	var log []string
	tells(t, &r, tell, "a", &log, func() error { return errBroken })
	tells(t, &r, tell, "b", &log, func() error { panic("ouch") })
	tells(t, &r, tell, "c", &log, fine)
	err := tell.Run(context.Background(), point.Run{Handlers: &r}, Question{})
	require.Equal(t, []string{"a", "b", "c"}, log)
	require.EqualError(t, err, "test/tell: extension a: broken\ntest/tell: extension b: panic: ouch")
	require.ErrorIs(t, err, errBroken)
	require.Equal(t, "a", handlerError(t, err).Extension)
}

func TestNobodyToTell(t *testing.T) {
	require.NoError(t, tell.Run(context.Background(), point.Run{}, Question{}))
}

// TestStoppingOnTheFirstError is what agent/turn-stopping does.
func TestStoppingOnTheFirstError(t *testing.T) {
	var r point.Registry
	var log []string
	tells(t, &r, stop, "a", &log, fine)
	tells(t, &r, stop, "b", &log, func() error { return errBroken })
	tells(t, &r, stop, "c", &log, fine)
	err := stop.Run(context.Background(), point.Run{Handlers: &r}, Question{})
	require.Equal(t, []string{"a", "b"}, log)
	require.EqualError(t, err, "test/stop: extension b: broken")
}

// TestCancellationIsReportedWithTheFailuresBeforeIt.
func TestCancellationIsReportedWithTheFailuresBeforeIt(t *testing.T) {
	var r point.Registry
	var log []string
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("cancelled")
	tells(t, &r, tell, "a", &log, func() error { cancel(cause); return errBroken })
	tells(t, &r, tell, "b", &log, fine)
	err := tell.Run(ctx, point.Run{Handlers: &r}, Question{})
	require.Equal(t, []string{"a"}, log)
	require.ErrorIs(t, err, errBroken)
	require.ErrorIs(t, err, cause)
}

func TestNotificationsSeeScopesInOrderOfAttachment(t *testing.T) {
	var root point.Registry
	child := root.Child()
	var log []string
	tells(t, child, tell, "child", &log, fine)
	tells(t, &root, tell, "root", &log, fine)
	require.NoError(t, tell.Run(context.Background(), point.Run{Handlers: child}, Question{}))
	require.Equal(t, []string{"child", "root"}, log)
}
