//go:build unix

package filestate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lockName  = "state.lock"
	queueName = "state.queue" // whoever waits holds it together with the others
)

// acquire locks the state. Whoever has waited longer looks more often, so those
// that come later, or again and again, do not keep it from going on.
func acquire(ctx context.Context, folder string, deadline time.Time) (unlock func(), err error) {
	lock, err := os.OpenFile(filepath.Join(folder, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	queue, err := os.OpenFile(filepath.Join(folder, queueName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	defer func() { _ = queue.Close() }() // nothing was written; it also leaves the queue
	if err := wait(ctx, lock, queue, deadline); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return func() { _ = lock.Close() }, nil
}

func wait(ctx context.Context, lock, queue *os.File, deadline time.Time) error {
	alone, err := try(queue, unix.LOCK_EX)
	if err != nil {
		return err
	}
	if alone {
		if got, err := try(lock, unix.LOCK_EX); got || err != nil {
			return err
		}
	}
	// From an exclusive lock this is a change that others may slip into, which
	// makes the queue less exact and nothing worse.
	if _, err := try(queue, unix.LOCK_SH); err != nil {
		return err
	}
	timer := time.NewTimer(pause(time.Until(deadline)))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
		}
		got, err := try(lock, unix.LOCK_EX)
		if got || err != nil {
			return err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return ErrBusy
		}
		timer.Reset(min(pause(left), left))
	}
}

// pauses say how long to wait before looking again, by how much of the time is
// left.
var pauses = []struct{ left, pause time.Duration }{
	{220 * time.Millisecond, 4 * time.Millisecond},
	{180 * time.Millisecond, 2 * time.Millisecond},
	{120 * time.Millisecond, time.Millisecond},
	{0, 250 * time.Microsecond},
}

func pause(left time.Duration) time.Duration {
	for _, p := range pauses {
		if left > p.left {
			return p.pause
		}
	}
	return pauses[len(pauses)-1].pause
}

// try takes a lock if nobody else has it.
func try(f *os.File, how int) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, os.NewSyscallError("flock", err)
		}
	}
}

// unlockFile gives up the lock on a file: closing it does not as long as it is mapped.
func unlockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// syncFolder makes the names in folder outlast the machine, as what is in a file
// does by itself.
func syncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
