package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/dsh-lua/dsh/runtime/value"
)

// Sync says when a log on disk is made to survive a loss of power. What was
// appended survives the death of the process in any case: it is with the
// operating system before Append returns.
type Sync int

// The policies.
const (
	// SyncNever leaves it to the operating system, and to calls of Flush.
	SyncNever Sync = iota
	// SyncTurns does it at the end of every turn.
	SyncTurns
	// SyncAlways does it for every event.
	SyncAlways
)

// LogOptions are the settings of a log.
type LogOptions struct {
	Sync Sync
	// Checks see every event before it is logged; an error refuses it, and
	// nothing has happened. They must not use the log.
	Checks []func(Entry) error
	// Observers are told of every event after it was logged, one by one and in
	// order. Their context marks them: with it, an append fails with
	// [ErrReentrant]. What they return or panic with goes to Warn.
	Observers []func(context.Context, Entry) error
	// Warn is told what went wrong without changing an outcome. nil drops it.
	Warn func(text string)
	// Now tells the time; nil means the system's clock.
	Now func() time.Time
	// Flushers keep copies of the log elsewhere. Flush asks each, after the log
	// itself is safe, to make sure of everything that it was told as an observer.
	Flushers []func() error
	// Unchecked skips the check of events against the ones before them. It is for
	// whoever has another guarantee; an inbox and an approval policy are checked
	// anyway.
	Unchecked bool
}

var (
	// ErrReentrant refuses an append from inside the publication of another one.
	ErrReentrant = errors.New("an observer of a log cannot append to it")
	// ErrLossy refuses data that JSON would change: text that is not UTF-8, the
	// negative zero, nesting without end.
	ErrLossy = errors.New("the data would not survive in JSON")
	// ErrLocked refuses a log that another process writes.
	ErrLocked = errors.New("another process writes this log")
)

// A Log is the append-only record of one session. What is in it happened;
// everything a session is can be read from it. It has one writer, and is safe
// for concurrent use.
type Log struct {
	head    Header
	options LogOptions
	path    string
	live    int64 // the first entry of this life

	mu         sync.Mutex
	state      *state
	store      store
	queue      []Entry // committed, and not published yet
	publishing bool
	published  int64 // all entries below are
	progress   *sync.Cond
}

func newLog(h Header, o LogOptions, s store) *Log {
	l := &Log{head: h, options: o, store: s, state: newState(h.Seed)}
	l.progress = sync.NewCond(&l.mu)
	return l
}

func (h Header) validate() error {
	switch {
	case h.ID == "":
		return errors.New("a session needs an ID")
	case h.Cwd != "" && !filepath.IsAbs(h.Cwd):
		return fmt.Errorf("the directory %q of a session must be absolute", h.Cwd)
	case h.Seed < 0 || h.Depth < 0:
		return errors.New("the header of a session counts below 0")
	}
	return nil
}

// NewLog returns a log that is kept in memory.
func NewLog(h Header, o LogOptions) (*Log, error) {
	if err := h.validate(); err != nil {
		return nil, err
	}
	l := newLog(h, o, &memory{})
	if h.Created == 0 {
		l.head.Created = l.now()
	}
	return l, nil
}

func (l *Log) now() int64 {
	if l.options.Now != nil {
		return l.options.Now().UnixMilli()
	}
	return time.Now().UnixMilli()
}

// marker is the key of contexts inside the publication of a log.
type marker struct{ log *Log }

// Append logs ev and returns when its observers were told. A refusal changes
// nothing.
func (l *Log) Append(ctx context.Context, ev Event) (Entry, error) {
	e, err := l.Commit(ctx, ev)
	if err != nil {
		return e, err
	}
	l.Publish(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.published <= e.Seq && l.publishing {
		l.progress.Wait()
	}
	return e, nil
}

// Commit is [Log.Append] without telling the observers, which is what Publish
// does. It is for callers that hold a lock of their own.
func (l *Log) Commit(ctx context.Context, ev Event) (Entry, error) {
	if ctx.Value(marker{l}) != nil {
		return Entry{}, ErrReentrant
	}
	if !lossless(ev.Data, 0) {
		return Entry{}, fmt.Errorf("%s: %w", ev.Type, ErrLossy)
	}
	ev.Sources = slices.Clone(ev.Sources)
	l.mu.Lock()
	defer l.mu.Unlock()
	e := Entry{Event: ev, Seq: l.state.next, Time: max(l.now(), l.state.time)}
	if err := l.take(e, l.options.Checks); err != nil {
		return Entry{}, err
	}
	if len(l.options.Observers) > 0 {
		l.queue = append(l.queue, e)
	} else {
		l.published = l.state.next
	}
	if l.options.Sync == SyncAlways || l.options.Sync == SyncTurns && ev.Type == EventTurnEnd {
		return e, l.store.sync()
	}
	return e, nil
}

// take checks e, keeps it and folds it. The lock is held.
func (l *Log) take(e Entry, checks []func(Entry) error) error {
	if !e.Type.known() && !e.Ignorable {
		return &UnknownEventError{e.Type, e.Seq}
	}
	m, splice, err := l.state.check(e)
	if err != nil && l.options.Unchecked && forgivable(err) && e.Type != EventInbox && e.Type != EventPolicy {
		m, err = e.decode()
	}
	if err != nil {
		return err
	}
	for _, check := range checks {
		if err := contain(func() error { return check(e) }); err != nil {
			return err
		}
	}
	if err := l.store.append(e); err != nil {
		return fmt.Errorf("event %d: %w", e.Seq, err)
	}
	l.state.apply(e, m, splice)
	return nil
}

func forgivable(err error) bool {
	var relation *RelationError
	return errors.As(err, &relation)
}

// Publish tells the observers what was committed and not told yet, unless
// another goroutine is at it, which then does this too.
func (l *Log) Publish(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.publishing || len(l.queue) == 0 {
		return
	}
	l.publishing = true
	defer func() { // also when an observer ends this goroutine
		l.publishing = false
		l.progress.Broadcast()
	}()
	inside := context.WithValue(ctx, marker{l}, true)
	for len(l.queue) > 0 {
		e := l.queue[0]
		l.queue = l.queue[1:]
		l.tell(inside, e)
		l.published = e.Seq + 1
		l.progress.Broadcast()
	}
}

// tell tells the observers without the lock, which is held before and after.
func (l *Log) tell(ctx context.Context, e Entry) {
	l.mu.Unlock()
	defer l.mu.Lock()
	for _, observe := range l.options.Observers {
		if err := contain(func() error { return observe(ctx, e) }); err != nil && l.options.Warn != nil {
			l.options.Warn(fmt.Sprintf("session %s: observer of %s: %v", l.head.ID, e.Type, err))
		}
	}
}

func contain(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

// Flush makes everything that was appended survive a loss of power, here and
// with every flusher. All are asked whatever the others say; the error is that of
// all who failed.
func (l *Log) Flush() error {
	l.mu.Lock()
	err := l.store.sync()
	l.mu.Unlock()
	for _, flush := range l.options.Flushers {
		err = errors.Join(err, contain(flush))
	}
	return err
}

// Close flushes the log and lets another process write it.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.store.sync(), l.store.close())
}

// Header returns what is true of the session from its beginning.
func (l *Log) Header() Header { return l.head }

// Path returns the file of the log; empty if it is in memory.
func (l *Log) Path() string { return l.path }

// FirstLive returns the sequence number of the first event of this life: all
// before it were there when the log was opened or forked.
func (l *Log) FirstLive() int64 { return l.live }

// Entries iterates over the entries that are there now.
func (l *Log) Entries() iter.Seq2[Entry, error] {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.store.entries()
}

// read calls f with the state.
func read[T any](l *Log, f func(*state) T) T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return f(l.state)
}

// Len returns the number of entries.
func (l *Log) Len() int64 { return read(l, func(s *state) int64 { return s.next }) }

// Turn returns the number of the last turn that was opened, and whether it still
// is.
func (l *Log) Turn() (turn int, open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.turn, l.state.turnOpen
}

// History returns the conversation as a model is sent it. The list and what is
// in it are shared: nobody may change them. A later call returns a list that
// begins with this one, unless messages were replaced.
func (l *Log) History() []Message {
	return read(l, func(s *state) []Message { return slices.Clip(s.history) })
}

// Request returns the last request header and request context that were logged;
// absent if there are none.
func (l *Log) Request() (header, context value.Value) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.header, l.state.context
}

// Pending returns copies of the messages that wait in a list of the inbox.
func (l *Log) Pending(t Target) []Message {
	return read(l, func(s *state) []Message { return CloneMessages(s.pending[t]) })
}

// Snapshot returns the text of the last message in the conversation that tells
// the state of the world around the session; empty if there is none.
func (l *Log) Snapshot() string { return read(l, func(s *state) string { return s.snapshot }) }

// PendingLen returns how many messages wait in a list of the inbox.
func (l *Log) PendingLen(t Target) int {
	return read(l, func(s *state) int { return len(s.pending[t]) })
}

// Work returns what became of what was asked of this session.
func (l *Log) Work() Work { return read(l, func(s *state) Work { return s.work }) }

// Output returns the last answer of this session that has content, or what
// arrived of one that never became complete; nil if there is neither. What a fork
// took over does not count.
func (l *Log) Output() []Part {
	return read(l, func(s *state) []Part {
		if s.output == nil && len(s.deltas) > 0 {
			return []Part{Text{string(s.deltas)}}
		}
		return CloneParts(s.output)
	})
}
