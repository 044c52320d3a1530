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
	outer *step // whose next led here
	turn  atomic.Uint32
	depth int32  // of the handler in the chain
	watch *watch // nil without an observer and until there is something to note
	first any    // the answer of the first next, if no other had begun by then; others: run.later
}

// A turn holds, from its low end, the number of calls of next, the number of
// those under way, whether a repeated next led to it, and whether the handler
// returned.
const (
	oneCall  uint32 = 1
	oneBelow uint32 = 1 << 16
	repeated uint32 = 1 << 30
	returned uint32 = 1 << 31
)

// mostNext bounds how often next can be called, so that a turn has room for it.
const mostNext = 1000

func calls(turn uint32) int     { return int(turn % oneBelow) }
func underWay(turn uint32) bool { return turn&^(returned|repeated) >= oneBelow }
func hasEnded(turn uint32) bool { return turn&returned != 0 }

// epoch is what clock reads are relative to: asking how long ago it was reads
// one clock, where asking for the time reads two.
var epoch = time.Now()

func clock() time.Duration { return time.Since(epoch) }

// watched gives s what its observer needs.
func (s *step) watched() *step {
	if s.run.observer != nil {
		s.watch = &watch{start: clock()}
	}
	return s
}

// began returns when the turn began, where there is an observer.
func (s *step) began() time.Duration {
	if s.run.observer == nil {
		return 0
	}
	return s.watch.start
}

// entry returns the handler whose turn it is.
func (s *step) entry() *entry { return s.run.chain[s.depth] }

// next asks the handlers behind s.
func (s *step) next(ctx context.Context) (any, error) { return s.run.typed.next(ctx, s) }

// enter begins a next. It returns the step behind, nil behind the last.
func (s *step) enter(ctx context.Context) (behind *step, err error) {
	turn := s.turn.Load()
	for {
		switch {
		case hasEnded(turn):
			return nil, ErrNextLate
		case calls(turn) >= s.run.point.maxNext:
			return nil, s.spent()
		}
		if s.turn.CompareAndSwap(turn, turn+oneCall+oneBelow) {
			break
		}
		turn = s.turn.Load()
	}
	if s.run.core == nil && ctx.Err() != nil {
		s.turn.Add(^(oneBelow - 1))
		return nil, context.Cause(ctx)
	}
	r := s.run
	r.undo()
	depth := s.depth + 1
	switch {
	case int(depth) == len(r.chain):
		return nil, nil
	case turn != 0 || r.observer != nil || r.taken == len(r.spare):
		return r.step(s, turn == 0), nil
	}
	behind = &r.spare[r.taken] // as step would take it, but for the call
	r.taken++
	behind.run, behind.outer, behind.depth = r, s, depth
	return behind, nil
}

// spent says why the last of the calls of next is over.
func (s *step) spent() error {
	if !s.once() {
		return nextSpent(s.run.point.maxNext)
	}
	if s.outer != nil && !underWay(s.outer.turn.Load()) {
		return ErrNextLate
	}
	return ErrNextTwice
}

// once reports whether next can be called only once, as at most points.
func (s *step) once() bool { return s.run.point.maxNext == 1 }

// handOn closes the turn of t, whose handler said d or failed with err, and says
// what was wrong with its end. If all that the handler did was to hand on what
// next said, as most do, it ends the next of s as well, and is done.
func (s *step) handOn(t *step, d any, err error) (early error, done bool) {
	s.run.undo()
	if !t.once() || t.turn.Load()&^repeated != oneCall { // else nothing can come any more
		early = t.close()
	}
	if err != nil || early != nil || s.run.observer != nil || !t.handsOn(d) {
		return early, false
	}
	if calls(s.turn.Load()) == 1 { // the rule, for which leave is a call too many
		s.first = d
		s.turn.Add(^(oneBelow - 1))
	} else {
		s.leave(d, nil, 0)
	}
	return nil, true
}

// leave ends a next that said d. Where there is an observer it began at began.
func (s *step) leave(d any, err error, began time.Duration) {
	switch {
	case s.run.observer != nil || calls(s.turn.Load()) > 1:
		s.note(d, err, began)
	case err == nil:
		s.first = d
	}
	s.turn.Add(^(oneBelow - 1)) // after everything that next writes
}

// note is the part of leave where time counts, or others may be under way.
func (s *step) note(d any, err error, began time.Duration) {
	s.run.leaving.Lock()
	defer s.run.leaving.Unlock()
	if s.run.observer != nil {
		s.watch.inside += clock() - began
	}
	if err != nil {
		return
	}
	if s.run.later == nil {
		s.run.later = make(map[*step]any)
	}
	s.run.later[s] = d
}

// close ends the handler's turn: from now on its next is late. After an error
// what next writes must not be read.
func (s *step) close() error {
	if underWay(s.turn.Or(returned)) {
		return ErrNextRunning
	}
	return nil
}

// heard reports whether next gave an answer that can be read.
func (s *step) heard() bool { return !underWay(s.turn.Load()) && s.inner() != nil }

// inner returns the last answer of next, nil if there is none. It must not be
// called while a next is under way.
func (s *step) inner() any {
	if s.run.observer == nil && calls(s.turn.Load()) <= 1 {
		return s.first
	}
	s.run.leaving.Lock()
	defer s.run.leaving.Unlock()
	if d, ok := s.run.later[s]; ok {
		return d
	}
	return s.first
}
