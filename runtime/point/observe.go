package point

import (
	"reflect"
	"time"
)

// An Observer is told of every handler that ran: the one door for explanations,
// decision logs, metrics and coverage. It is called on the goroutine of the
// run, after the handler returned, and must be quick; it cannot change anything,
// but a panic of it fails the run.
type Observer interface {
	Handled(h Handled)
}

// Handled is one handler's part in one run.
type Handled struct {
	Point     string
	Extension string
	Rule      string        // the rule's name; the extension's if it has none
	At        string        // "file:line" that built the answer, where known
	Steps     int64         // VM instructions of a script; 0 for Go
	Took      time.Duration // without the time inside next
	Said      any           // what the handler itself answered, before it was joined; nil if it had no opinion
	Answer    any           // what its caller got; nil on error or at a notification
	Own       bool          // Answer is the handler's, not what next said
	Err       error
}

// ObserverFunc makes a function an [Observer].
type ObserverFunc func(Handled)

// Handled implements [Observer].
func (f ObserverFunc) Handled(h Handled) { f(h) }

// watch is what an observer will be told of a step, beyond its answer, and errors
// tell of one.
type watch struct {
	given  any    // what an untyped handler answered itself, before it was joined
	at     string // where an untyped handler built its answer, where known
	steps  int64
	start  time.Duration
	inside time.Duration // spent in next; overlapping calls count each
}

// remember keeps what an untyped handler tells about its own answer.
func (s *step) remember(a Answer) {
	if a.At == "" && s.run.observer == nil {
		return
	}
	if s.watch == nil {
		s.watch = new(watch)
	}
	s.watch.at, s.watch.steps = a.At, a.Steps
	if a.Decision != nil && a.At != "" {
		s.run.origin.Store(&s.watch.at)
	}
}

// report tells the observer what came of s. An observer that panics fails the
// run: what it was to record is lost. The time inside next is not known of a
// handler that did not wait for it.
func (s *step) report(answer any, err error, waited bool) (failed error) {
	if s.run.observer == nil {
		return nil
	}
	defer recovered(&failed)
	w := s.watch
	took := clock() - w.start
	if waited {
		took = max(0, took-w.inside)
	}
	rule := s.entry().at.Rule
	if rule == "" {
		rule = s.entry().owner.name
	}
	s.run.observer.Handled(Handled{
		Point: s.run.point.name, Extension: s.entry().owner.name, Rule: rule, At: w.at, Steps: w.steps,
		Took: took, Said: s.said(answer), Answer: answer, Own: s.own(answer), Err: err,
	})
	return nil
}

// said returns what the handler itself answered.
func (s *step) said(answer any) any {
	if s.watch.given != nil {
		return s.watch.given
	}
	if s.own(answer) {
		return answer
	}
	return nil
}

// own reports whether d is the handler's answer rather than that of next.
func (s *step) own(d any) bool {
	if d == nil {
		return false
	}
	if !s.heard() || !reflect.DeepEqual(d, s.inner()) {
		return true
	}
	return s.watch.given != nil && reflect.DeepEqual(d, s.watch.given)
}
