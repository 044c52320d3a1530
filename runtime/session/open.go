package session

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
)

// CreateLog creates a log in a new file, which only the user may read.
func CreateLog(path string, h Header, o LogOptions) (*Log, error) {
	l := newLog(h, o, nil)
	if h.Created == 0 {
		l.head.Created = l.now()
	}
	if err := l.head.validate(); err != nil {
		return nil, err
	}
	if err := l.create(path); err != nil {
		return nil, err
	}
	return l, nil
}

// create makes the file of l. There is no file if it fails.
func (l *Log) create(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	d := &disk{file: file, line: l.head.append(nil), folder: filepath.Dir(path)}
	if err = lock(file); err == nil {
		err = d.write()
	}
	if err != nil {
		return errors.Join(err, file.Close(), os.Remove(path))
	}
	l.path, l.store = path, d
	return nil
}

// OpenLog opens the log in a file for another life of its session. A last line
// that was torn by the death of its writer is dropped; a turn that was open then
// is closed as interrupted, see [Log.repair]. A log that cannot be understood is
// refused.
func OpenLog(path string, o LogOptions) (*Log, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	l, err := open(file, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, file.Close()))
	}
	l.path = path
	return l, nil
}

func open(file *os.File, o LogOptions) (*Log, error) {
	if err := lock(file); err != nil {
		return nil, err
	}
	r := newReader(file)
	h, err := r.header()
	if err != nil {
		return nil, err
	}
	l := newLog(h, o, nil)
	if err := l.fold(r.rest()); err != nil {
		return nil, err
	}
	if l.state.next < h.Seed {
		return nil, fmt.Errorf("the log holds %d of the %d events that it was to take over: its fork was cut off", l.state.next, h.Seed)
	}
	d := &disk{file: file, size: r.good}
	if err := file.Truncate(r.good); err != nil {
		return nil, err
	}
	l.store = d
	if err := l.begin(); err != nil {
		return nil, err
	}
	return l, nil
}

// rest iterates over the entries that are left. A torn one ends it.
func (r *reader) rest() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for {
			e, err := r.next()
			if errors.Is(err, io.EOF) || errors.Is(err, errTorn) || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// fold takes entries that are kept already into the state.
func (l *Log) fold(entries iter.Seq2[Entry, error]) error {
	for e, err := range entries {
		if err != nil {
			return err
		}
		m, splice, err := l.state.check(e)
		if err != nil {
			return err
		}
		l.state.apply(e, m, splice)
	}
	return nil
}

// begin starts another life of a session whose entries were folded.
func (l *Log) begin() error {
	if err := l.repair(); err != nil {
		return err
	}
	l.live = l.state.next
	if !l.state.sealed {
		if err := l.take(Entry{Event: Event{Type: EventSeedEnd, Data: emptyObject}, Seq: l.state.next, Time: max(l.now(), l.state.time)}, nil); err != nil {
			return err
		}
	}
	l.published = l.state.next
	return nil
}

// SeedLog returns a log in memory that begins with the given entries, as if they
// had been read from a file.
func SeedLog(h Header, entries []Entry, o LogOptions) (*Log, error) {
	l, err := NewLog(h, o)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		if e.Seq != int64(i) {
			return nil, fmt.Errorf("event %d: its sequence number is %d", i, e.Seq)
		}
		if err := l.take(e, nil); err != nil {
			return nil, err
		}
	}
	if err := l.begin(); err != nil {
		return nil, err
	}
	return l, nil
}

// ReadLog reads the log in a file, which another process may be writing: an
// entry that is not complete yet is not returned. It calls header with the
// header, and then each with every entry, until one of them fails.
func ReadLog(path string, header func(Header) error, each func(Entry) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := newReader(file)
	h, err := r.header()
	if err == nil {
		err = header(h)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for e, err := range r.rest() {
		if err == nil {
			err = each(e)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// A ForkError says why a session cannot be forked.
type ForkError struct {
	// Code is "INVALID_BOUNDARY" or "OPEN_TURN".
	Code string
	Msg  string
}

func (e *ForkError) Error() string { return e.Msg }

// Last is the boundary of a fork that takes over everything.
const Last int64 = math.MaxInt64

// Fork starts another session with the entries of this one up to and including
// boundary, in a new file, or in memory if path is empty. The header's parent,
// seed and directories are filled in. The entries must not end inside a turn. If
// the approval policy of this session is never, so is that of the fork, wherever
// the boundary lies.
func (l *Log) Fork(path string, boundary int64, h Header, o LogOptions) (*Log, error) {
	total := l.Len()
	if boundary == Last {
		boundary = total - 1
	}
	if boundary < -1 || boundary >= total {
		return nil, &ForkError{"INVALID_BOUNDARY", fmt.Sprintf("session %s has no event %d to fork at; its last one is %d", l.head.ID, boundary, total-1)}
	}
	h.Parent, h.Seed = l.head.ID, boundary+1
	if h.Cwd == "" {
		h.Cwd, h.Project = l.head.Cwd, l.head.Project
	}
	child, err := NewLog(h, o)
	if err != nil {
		return nil, err
	}
	if path != "" {
		if err := child.create(path); err != nil {
			return nil, err
		}
	}
	if err := child.inherit(l, boundary); err != nil {
		if path != "" {
			err = errors.Join(err, child.store.close(), os.Remove(child.path))
		}
		return nil, err
	}
	return child, nil
}

func (l *Log) inherit(parent *Log, boundary int64) error {
	for e, err := range parent.Entries() {
		if err != nil {
			return err
		}
		if e.Seq > boundary {
			break
		}
		if err := l.take(e, nil); err != nil {
			return err
		}
	}
	if l.state.turnOpen {
		return &ForkError{"OPEN_TURN", fmt.Sprintf("event %d of session %s is inside turn %d", boundary, parent.head.ID, l.state.turn)}
	}
	if err := l.begin(); err != nil {
		return err
	}
	return l.restrict(parent)
}

// LastEnd returns the sequence number of the last end of a turn: the boundary of
// a fork while a turn is under way. It is -1 if there is none, the boundary of a
// fork that takes over nothing.
func (l *Log) LastEnd() int64 { return read(l, func(s *state) int64 { return s.ended }) }
