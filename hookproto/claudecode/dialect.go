package claudecode

import "github.com/dsh-lua/dsh/hookproto"

// Dialect is Claude Code's protocol. It has no state.
type Dialect struct{}

var _ hookproto.Dialect = Dialect{}

// Name returns "claude-code".
func (Dialect) Name() string { return name }

const name = "claude-code"

// Matches reports whether the handler's matcher fits the subject of its event,
// or an alias of it. Errors are of type *PatternError.
func (Dialect) Matches(h hookproto.Handler, subject string) (bool, error) { return matches(h, subject) }

// Parse tells what a handler's result means. Everything that the client would
// pass over is [hookproto.StatusFailed] with the reason. The reason of an exit
// status 2 is standard error as it is; that of JSON is its own.
func (Dialect) Parse(event string, r hookproto.Result) hookproto.Output { return parse(event, r) }

// Fold takes the handlers of one event together.
func (Dialect) Fold(event string, done []hookproto.Completed) hookproto.Outcome {
	return fold(event, done)
}
