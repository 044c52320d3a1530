package codex

import "github.com/dsh-lua/dsh/hookproto"

// Dialect is Codex's protocol. It has no state.
type Dialect struct{}

var _ hookproto.Dialect = Dialect{}

// Name returns "codex".
func (Dialect) Name() string { return "codex" }

// Matches reports whether the handler's matcher fits the subject of its event,
// or an alias of it. Errors are of type *PatternError.
func (Dialect) Matches(h hookproto.Handler, subject string) (bool, error) { return matches(h, subject) }

// Parse tells what a handler's result means. Everything that the client would
// pass over is [hookproto.StatusFailed] with the reason.
func (Dialect) Parse(event string, r hookproto.Result) hookproto.Output { return parse(event, r) }

// Fold takes the handlers of one event together.
func (Dialect) Fold(event string, done []hookproto.Completed) hookproto.Outcome {
	return fold(event, done)
}
