package hookproto

import (
	"encoding/json"
	"fmt"
	"time"
)

// A HandlerKind is what a configured hook is made of.
type HandlerKind string

// The kinds of handlers that the clients know. Only commands, and MCP tools
// where the host has the server, can be run here.
const (
	CommandHandler HandlerKind = "command"
	MCPToolHandler HandlerKind = "mcp_tool"
	HTTPHandler    HandlerKind = "http"
	PromptHandler  HandlerKind = "prompt"
	AgentHandler   HandlerKind = "agent"
)

// A Place is where something stands in a configuration.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // counts from 1; 0 is the file as a whole
}

func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// A Handler is one hook of one event, as a configuration registers it. Fields
// that its kind or its client does not have are zero.
type Handler struct {
	// ID names the handler in records: "<dialect>:<event>:<n>", with n its place
	// among all handlers of the event, from 1, in configured order.
	ID      string
	Event   string
	Kind    HandlerKind
	Matcher *string // as written; nil if the group has none
	At      Place
	Order   int // place among all that the client lists, from 0, where it has one

	Command string
	Args    []string // not nil: Command is executed directly with these, without a shell
	Shell   string   // "" is the client's own

	Server string          // MCP tools: the server,
	Tool   string          // its tool,
	Input  json.RawMessage // and its arguments, with placeholders

	If            string // a permission rule that the call must fit
	HasIf         bool
	Timeout       time.Duration // the one that holds: default and clamp applied
	Async         bool
	AsyncRewake   bool
	Once          bool
	StatusMessage string
	// ContextLimit is how much text for the model goes there whole, in the
	// dialect's unit; negative is the dialect's default.
	ContextLimit int
	Env          []string // "NAME=value" beside what the dialect sets
	// NotRun says why the handler is registered but never run; "" if it is run.
	NotRun string
}

// A Severity says what became of the thing that a [Problem] is about.
type Severity string

// From a whole file that the client does not load, to a word of caution.
const (
	FileDropped    Severity = "file-dropped"
	EntrySkipped   Severity = "entry-skipped"
	HandlerNotRun  Severity = "not-run"  // registered by the client, but not run here
	FieldIgnored   Severity = "ignored"  // has no effect at the client
	LikelyMistaken Severity = "mistaken" // has an effect that hardly was meant
)

// A Problem is something in a configuration that its author should know about.
type Problem struct {
	At       Place    `json:"at"`
	Severity Severity `json:"severity"`
	// Kind is one word for the mistake, the same in both dialects: json, toml,
	// encoding, type, missing, regex, empty-command, unknown-event,
	// unsupported-type, unknown-key, invalid-timeout, duplicate-key, …
	Kind  string `json:"kind,omitempty"`
	Event string `json:"event,omitempty"`
	Path  string `json:"path,omitempty"` // within the file: hooks.PreToolUse[0].hooks[1].timeout
	Text  string `json:"text"`           // what is wrong, what was expected, the nearest valid name
}

func (p Problem) String() string {
	if p.Path == "" {
		return fmt.Sprintf("%s: %s (%s)", p.At, p.Text, p.Severity)
	}
	return fmt.Sprintf("%s: %s: %s (%s)", p.At, p.Path, p.Text, p.Severity)
}

// A Config is what the configuration files of one session register.
type Config struct {
	Handlers []Handler // in configured order, over all files
	Problems []Problem // in the order of the files
	Disabled bool      // the configuration switches its hooks off
}
