package point

import "time"

// An Observer is told of every handler that ran: the one door for explanations,
// decision logs, metrics and coverage. It is called on the goroutine of the
// run, after the handler returned, and must be quick; it cannot change anything.
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
	Answer    any           // what the handler gave to its caller; nil on error or at a notification
	Own       bool          // Answer is the handler's, not what next said
	Err       error
}

// ObserverFunc makes a function an [Observer].
type ObserverFunc func(Handled)

// Handled implements [Observer].
func (f ObserverFunc) Handled(h Handled) { f(h) }

// watch measures one handler for an observer.
type watch struct {
	observer Observer
	start    time.Time
	inside   time.Duration // spent in next; overlapping calls count each
}

func (w *watch) begin(o Observer) {
	if w.observer = o; o != nil {
		w.start = time.Now()
	}
}

func (w *watch) end(s *step, answer any, own bool, err error) {
	if w.observer == nil {
		return
	}
	e := s.entry
	rule := e.at.Rule
	if rule == "" {
		rule = e.owner.name
	}
	w.observer.Handled(Handled{
		Point: s.run.point.name, Extension: e.owner.name, Rule: rule, At: s.note.at, Steps: s.note.steps,
		Took: max(0, time.Since(w.start)-w.inside), Answer: answer, Own: own, Err: err,
	})
}

// A note is what an untyped handler tells about its own answer.
type note struct {
	at    string
	steps int64
}
