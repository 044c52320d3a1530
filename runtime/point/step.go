package point

import (
	"context"
	"sync/atomic"
	"time"
)

// A step is one handler's turn in a run. A handler may call next on goroutines
// of its own, so what they and the handler share is kept apart by turn: a next
// writes while it is under way, and the step reads only once none is.
//
// There is one for each handler of each run, so it is kept small.
type step struct {
	run   *running
	turn  atomic.Uint32
	depth int32  // of the handler in the chain
	watch *watch // nil without an observer and until there is something to note
	inner any    // the last answer of next; nil if there is none
}

// A turn holds, from its low end, the number of calls of next, the number of
// those under way, and whether the handler returned.
const (
	oneCall  uint32 = 1
	oneBelow uint32 = 1 << 16
	returned uint32 = 1 << 31
)

// mostNext bounds how often next can be called, so that a turn has room for it.
const mostNext = 1000

func calls(turn uint32) int     { return int(turn % oneBelow) }
func underWay(turn uint32) bool { return turn&^returned >= oneBelow }
func hasEnded(turn uint32) bool { return turn&returned != 0 }

// begin makes s the turn of the handler at depth.
func (s *step) begin(r *running, depth int) {
	s.run, s.depth = r, int32(depth)
	if r.observer != nil {
		s.watch = &watch{start: time.Now()}
	}
}

// entry returns the handler whose turn it is.
func (s *step) entry() *entry { return s.run.chain[s.depth] }

// next asks the handlers behind s.
func (s *step) next(ctx context.Context) (any, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	if s.run.observer != nil || s.run.point.maxNext > 1 {
		return s.nextWatched(ctx)
	}
	d, err := s.run.ask(ctx, int(s.depth)+1)
	if err == nil {
		s.inner = d
	}
	s.leave()
	return d, err
}

// nextWatched is the rest of next where its time counts, or others of it may be
// under way.
func (s *step) nextWatched(ctx context.Context) (any, error) {
	var start time.Time
	if s.run.observer != nil {
		start = time.Now()
	}
	d, err := s.run.ask(ctx, int(s.depth)+1)
	s.run.leaving.Lock()
	if s.run.observer != nil {
		s.watch.inside += time.Since(start)
	}
	if err == nil {
		s.inner = d
	}
	s.run.leaving.Unlock()
	s.leave()
	return d, err
}

func (s *step) enter() error {
	for {
		turn := s.turn.Load()
		switch {
		case hasEnded(turn):
			return ErrNextLate
		case calls(turn) >= s.run.point.maxNext:
			return ErrNextTwice
		}
		if s.turn.CompareAndSwap(turn, turn+oneCall+oneBelow) {
			return nil
		}
	}
}

// leave ends a next. It comes after everything that next writes.
func (s *step) leave() { s.turn.Add(^(oneBelow - 1)) }

// close ends the handler's turn: from now on its next is late. After an error
// what next writes must not be read.
func (s *step) close() error {
	if underWay(s.turn.Or(returned)) {
		return ErrNextRunning
	}
	return nil
}

// heard reports whether next gave an answer that can be read.
func (s *step) heard() bool { return !underWay(s.turn.Load()) && s.inner != nil }
