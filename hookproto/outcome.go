package hookproto

import (
	"encoding/json"
	"time"
)

// A Result is what running one handler gave, before it means anything.
type Result struct {
	Exit     int           // -1: the process did not exit by itself, or did not start
	Signal   string        // "SIGKILL", if a signal ended it
	Stdout   []byte        // at most the runner's cap
	Stderr   []byte        // at most the runner's cap
	Cut      bool          // output beyond a cap was lost
	TimedOut bool          // the handler's time-out ended it
	Canceled bool          // the caller's context ended it
	Err      error         // it could not be started
	Took     time.Duration // from the start to the end of the wait
}

// A Status is how the client would show one hook run.
type Status string

// A failed run is one that the client passes over: it decides nothing.
const (
	StatusCompleted Status = "completed"
	StatusBlocked   Status = "blocked"
	StatusStopped   Status = "stopped"
	StatusFailed    Status = "failed"
)

// A Decision is what a hook says about the thing it was asked about. Block is
// the denial of events that have no call to deny.
type Decision string

// The decisions, as both clients name them.
const (
	NoDecision Decision = ""
	Allow      Decision = "allow"
	Ask        Decision = "ask"
	Defer      Decision = "defer"
	Deny       Decision = "deny"
	Block      Decision = "block"
)

// An Output is what the result of one handler means under its dialect.
type Output struct {
	Status   Status
	Failure  string // why a failed run was passed over
	Decision Decision
	Word     string // the decision as the hook wrote it, if that differs
	Reason   string // for the model; the dialect's default applied

	Contexts []string // texts for the model
	// Plain tells that Contexts is standard output that is not JSON.
	Plain bool

	UpdatedInput  json.RawMessage // nil: none
	UpdatedOutput json.RawMessage // nil: none
	// MCPOutput tells that UpdatedOutput is meant for MCP tools alone.
	MCPOutput bool

	Halt          bool // continue: false
	HaltReason    string
	SystemMessage string // for the human
	Suppress      bool
	Interrupt     bool // a permission's denial also ends the turn
	// Fields holds what else the dialect knows for the event (sessionTitle,
	// initialUserMessage, …), as written.
	Fields map[string]json.RawMessage
}

// Completed is one handler of an event that has run.
type Completed struct {
	Handler    Handler
	Configured int // place among the matched handlers, from 0
	Rank       int // place among those that completed, from 0
	Result     Result
	Output     Output
}

// A Text is something that one handler said.
type Text struct {
	By   int // index into the folded handlers, in configured order
	Text string
	// Plain tells that the text is standard output that is not JSON.
	Plain bool
}

// An Outcome is what all handlers of one event amount to. Indexes point into
// the handlers in configured order.
type Outcome struct {
	Decision Decision
	Reason   string
	By       int // the handler that decided; -1: none

	Blocks   []Text // reasons of all handlers that block, in the dialect's order
	Contexts []Text // in the dialect's order

	UpdatedInput  json.RawMessage
	InputBy       int // -1: none
	UpdatedOutput json.RawMessage
	OutputBy      int // -1: none

	Halt       bool
	HaltReason string
	HaltBy     int // -1: none
	Interrupt  bool

	SystemMessages []Text // for the human
	Failures       []Text // runs that were passed over, with the reason
}

// A Dialect is the protocol of one client: its tables, and its rules over them.
type Dialect interface {
	// Name is "claude-code" or "codex".
	Name() string
	// Matches reports whether a handler's matcher fits the subject of its event.
	// A pattern that cannot be honoured fits nothing, and the error says so.
	Matches(h Handler, subject string) (bool, error)
	// Parse tells what the result of a handler means. It is total.
	Parse(event string, r Result) Output
	// Fold is the dialect's precedence over the handlers of one event.
	Fold(event string, done []Completed) Outcome
}
