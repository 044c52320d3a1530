package scripttest

import (
	"context"
	"sync"

	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/point"
)

// A witness sees what is asked of the policies during a session, and what they
// answer. It is the outermost handler of every point and has no opinion; between
// sessions it does nothing.
type witness struct {
	mu       sync.Mutex
	watching bool
	outcomes []*outcome
	open     []*outcome // of runs under way, the innermost last
	told     []string
}

// witnessName is how reports would call it; nobody sees them.
const witnessName = "dsh test"

// Name implements [point.Extension].
func (w *witness) Name() string { return witnessName }

// Install implements [point.Extension].
func (w *witness) Install(in *point.Installer) error {
	for _, p := range catalog.Points() {
		p.HandleValue(in, w.handler(p), point.Attach{Raw: p.Joined()})
	}
	return nil
}

func (w *witness) handler(p point.Point) point.ValueHandler {
	return func(ctx context.Context, asked point.Asked) (point.Answer, error) {
		o := w.enter(p, asked)
		if o == nil || asked.Next == nil {
			return point.Answer{}, nil
		}
		inner, err := asked.Next(ctx)
		w.leave(o, inner, err)
		return point.Answer{Decision: inner.Decision}, err
	}
}

// enter begins the outcome of one run.
func (w *witness) enter(p point.Point, asked point.Asked) *outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.watching {
		return nil
	}
	o := &outcome{point: p, call: callOf(asked)}
	w.outcomes = append(w.outcomes, o)
	if asked.Next != nil {
		w.open = append(w.open, o)
	}
	return o
}

// callOf is the ID of the call that a payload is about.
func callOf(asked point.Asked) string {
	if call := asked.Payload.Get("call"); !call.IsAbsent() {
		return call.Get("id").String()
	}
	return asked.Payload.Get("id").String()
}

func (w *witness) leave(o *outcome, inner point.Inner, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o.answer, o.fault = inner.Value, err
	w.open = w.open[:len(w.open)-1]
}

// Handled implements [point.Observer]: it gives what a handler did to the last
// outcome of its point.
func (w *witness) Handled(h point.Handled) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h.Extension == witnessName || !w.watching {
		return
	}
	for i := len(w.outcomes) - 1; i >= 0; i-- {
		o := w.outcomes[i]
		if o.point.Name() != h.Point {
			continue
		}
		o.handled = append(o.handled, h)
		if o.point.Kind() != point.WaterfallKind {
			o.conclude(h)
		}
		return
	}
}

// conclude takes over what a handler of a guard or a notification said, as nobody
// hears of the end of such a run.
func (o *outcome) conclude(h point.Handled) {
	if h.Err != nil {
		o.fault = &point.HandlerError{Point: h.Point, Extension: h.Extension, Rule: h.Rule, Err: h.Err}
	}
	if o.point.Decision() != nil && h.Answer != nil {
		o.answer, _ = o.point.Decision().Encode(h.Answer)
	}
}

func (w *witness) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watching, w.outcomes, w.open, w.told = true, nil, nil, nil
}

func (w *witness) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watching = false
}

// take returns the outcomes since it was last called.
func (w *witness) take() []*outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.outcomes
	w.outcomes = nil
	return list
}

func (w *witness) tell(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, text)
}

func (w *witness) takeTold() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.told
	w.told = nil
	return list
}
