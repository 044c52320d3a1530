// Package filestate keeps the state of policies in one file of the user's.
//
// Every hook is a process of its own, and many may run at once. So the file is
// open only during a transaction, and a lock beside it is waited for [Wait] at
// most: who comes too late gets [ErrBusy] and changes nothing. A transaction that
// was committed is on the disk before anybody is told; one that was not leaves no
// trace, whenever the process dies.
//
// The lock is fair enough that nobody waits for long while others come and go: who
// finds others waiting lets them go first, and who has waited longest looks most
// often.
package filestate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/dsh-lua/dsh/lua/stdlib"
)

// Wait is how long a transaction waits for others.
const Wait = 250 * time.Millisecond

// ErrBusy is returned when others kept the state locked for all of [Wait].
var ErrBusy error = busy{}

type busy struct{}

func (busy) Error() string {
	return fmt.Sprintf("the state is in use by others for more than %s", Wait)
}

// ErrDamaged is returned when the file is not what this package wrote.
var ErrDamaged = errors.New("the state file is damaged")

// A Store is a [stdlib.State] in a folder. It holds nothing open between
// transactions and may be used by many goroutines and processes.
type Store struct {
	folder string
	now    func() time.Time
}

var _ stdlib.State = (*Store)(nil)

// New returns the store in folder, which is made when something is first kept.
func New(folder string) *Store { return &Store{folder: folder, now: time.Now} }

const (
	fileName = "state.db"
	newName  = "state.new"
)

// Update implements [stdlib.State].
func (s *Store) Update(ctx context.Context, scope string, f func(stdlib.Entries) error) error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}
	return s.within(ctx, func(db *bbolt.DB) error {
		return db.Update(func(tx *bbolt.Tx) error { return s.update(tx, scope, f) })
	})
}

// View implements [stdlib.State].
func (s *Store) View(ctx context.Context, scope string, f func(stdlib.Entries) error) error {
	if _, err := os.Stat(filepath.Join(s.folder, fileName)); errors.Is(err, fs.ErrNotExist) {
		return f(entries{})
	}
	return s.within(ctx, func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			var e entries
			if all := tx.Bucket([]byte(dataBucket)); all != nil {
				e.bucket = all.Bucket([]byte(scope))
			}
			return f(e)
		})
	})
}

// within runs do while the state is locked and its file is open. A file that was
// damaged makes the library panic, or the machine fault.
func (s *Store) within(ctx context.Context, do func(*bbolt.DB) error) (err error) {
	deadline := time.Now().Add(Wait)
	unlock, err := acquire(ctx, s.folder, deadline)
	if err != nil {
		return err
	}
	defer unlock()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var held handle
	defer func() {
		if r := recover(); r != nil {
			err = errors.Join(fmt.Errorf("%w: %v", ErrDamaged, r), held.release())
		}
		if errors.Is(err, ErrDamaged) {
			err = fmt.Errorf("%s: %w; move it away to begin anew", filepath.Join(s.folder, fileName), err)
		}
	}()
	db, err := s.open(deadline, &held)
	if err != nil {
		return err
	}
	if err = held.complete(db); err == nil {
		err = do(db)
	}
	return errors.Join(err, db.Close())
}

// A handle is the file that the library has open.
type handle struct{ file *os.File }

func (h *handle) open(name string, flag int, mode os.FileMode) (file *os.File, err error) {
	h.file, err = os.OpenFile(name, flag, mode)
	return h.file, err
}

// release gives up the file behind the library's back. After a panic that may hold
// its own locks, and to close it would wait for ever; but the lock on the file must
// not outlast the transaction.
func (h *handle) release() error {
	if h.file == nil {
		return nil
	}
	return errors.Join(unlockFile(h.file), h.file.Close())
}

// complete returns an error if the file is shorter than what it says it holds.
func (h *handle) complete(db *bbolt.DB) error {
	info, err := h.file.Stat()
	if err != nil {
		return err
	}
	return db.View(func(tx *bbolt.Tx) error {
		if info.Size() < tx.Size() {
			return fmt.Errorf("%w: it has %d of %d bytes", ErrDamaged, info.Size(), tx.Size())
		}
		return nil
	})
}

// open opens the file. A new one gets its name only when it is whole.
func (s *Store) open(deadline time.Time, held *handle) (*bbolt.DB, error) {
	file := filepath.Join(s.folder, fileName)
	options := &bbolt.Options{Timeout: max(time.Until(deadline), time.Millisecond), OpenFile: held.open}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := s.create(file, options); err != nil {
			return nil, err
		}
	}
	if err := whole(file); err != nil {
		return nil, err
	}
	db, err := bbolt.Open(file, 0o600, options)
	var denied *fs.PathError
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return nil, ErrBusy
	case errors.As(err, &denied):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return db, nil
}

// whole returns an error for what the library would take for a new file, or would
// wait for: the file gets its name only with something in it.
func whole(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: it is no regular file", ErrDamaged)
	case info.Size() == 0:
		return fmt.Errorf("%w: it is empty", ErrDamaged)
	}
	return nil
}

func (s *Store) create(file string, options *bbolt.Options) error {
	fresh := filepath.Join(s.folder, newName)
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	db, err := bbolt.Open(fresh, 0o600, options)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	if err := os.Rename(fresh, file); err != nil {
		return err
	}
	return syncFolder(s.folder)
}
