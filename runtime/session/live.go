package session

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Live is what an extension may do to a session while it handles a payload. The
// agent loop acts at once; a host that stands between a client and its hooks
// collects what was asked for in [Effects]. It is safe for concurrent use.
type Live interface {
	// Inject adds a message to the next request to the model.
	Inject(m Message) error
	// Steer asks for another step of this turn, in which the model sees m.
	Steer(m Message) error
	// Halt ends the turn. The reason is kept with it.
	Halt(reason string) error
	// Tell shows text to the human, never to the model.
	Tell(text string) error
}

// ErrUnsupported is returned for what a client has no way to do. It fails the
// run of the handler, so that nothing is lost in silence.
var ErrUnsupported = errors.New("this client cannot do that")

// An Effect names a method of [Live].
type Effect string

// The effects.
const (
	EffectInject Effect = "inject"
	EffectSteer  Effect = "steer"
	EffectHalt   Effect = "halt"
	EffectTell   Effect = "tell"
)

// An Origin is who asked for an effect.
type Origin struct {
	Extension string
	Rule      string // the name of the rule
	At        string // "file:line", where known
}

// Attributing is a [Live] that keeps who ended the turn.
type Attributing interface {
	Live
	// By returns the same handle for what o asks for.
	By(o Origin) Live
}

// A Recorder is a [Live] with a log, in which an extension can keep what it did.
type Recorder interface {
	Live
	// Record logs ev, which is no message. It fails if ev may not stand where the
	// session is.
	Record(ev Event) error
}

// Effects is a [Live] that collects.
type Effects struct {
	can []Effect

	mu       sync.Mutex
	injected []Message
	steered  []Message
	told     []string
	halted   bool
	reason   string
	halter   Origin
}

var _ Attributing = (*Effects)(nil)

// NewEffects returns a collector for a client that can carry the given effects;
// the others are [ErrUnsupported].
func NewEffects(can ...Effect) *Effects { return &Effects{can: slices.Clone(can)} }

func (e *Effects) collect(what Effect, add func()) error {
	if !slices.Contains(e.can, what) {
		return fmt.Errorf("%s: %w", what, ErrUnsupported)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	add()
	return nil
}

// Inject implements [Live].
func (e *Effects) Inject(m Message) error {
	return e.collect(EffectInject, func() { e.injected = append(e.injected, m) })
}

// Steer implements [Live].
func (e *Effects) Steer(m Message) error {
	return e.collect(EffectSteer, func() { e.steered = append(e.steered, m) })
}

// Halt implements [Live]. The first reason stays.
func (e *Effects) Halt(reason string) error { return e.halt(reason, Origin{}) }

func (e *Effects) halt(reason string, o Origin) error {
	return e.collect(EffectHalt, func() {
		if !e.halted {
			e.halted, e.reason, e.halter = true, reason, o
		}
	})
}

// By implements [Attributing].
func (e *Effects) By(o Origin) Live { return attributed{e, o} }

// attributed is Effects in the hands of one origin.
type attributed struct {
	*Effects
	origin Origin
}

// Halt implements [Live].
func (a attributed) Halt(reason string) error { return a.halt(reason, a.origin) }

// Tell implements [Live].
func (e *Effects) Tell(text string) error {
	return e.collect(EffectTell, func() { e.told = append(e.told, text) })
}

// Injected returns the messages to add to the next request, in order.
func (e *Effects) Injected() []Message { return snapshot(e, &e.injected) }

// Steered returns the messages that ask for another step, in order.
func (e *Effects) Steered() []Message { return snapshot(e, &e.steered) }

// Told returns the texts for the human, in order.
func (e *Effects) Told() []string { return snapshot(e, &e.told) }

// Halted returns the reason to end the turn, if one was asked for.
func (e *Effects) Halted() (reason string, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.reason, e.halted
}

// HaltedBy returns who asked to end the turn; it is zero if nobody did or that
// is not known.
func (e *Effects) HaltedBy() Origin {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.halter
}

func snapshot[T any](e *Effects, list *[]T) []T {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(*list)
}
