package hooks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Firing is one event that happens. What the event does not have is zero.
type Firing struct {
	Event string
	// Subject is what matchers are held against.
	Subject string
	// Session is the session at work, which may be a subagent's.
	Session session.Ref
	// Main is the session of the main agent.
	Main session.Ref
	// Agent is the subagent that the event comes from or is about.
	Agent *session.AgentRef
	Live  session.Live

	CallID string
	Call   *Shown
	Done   *tool.Done
	Batch  []Batched

	Prompt       string
	ChildLog     string // the path of a subagent's log, at its start
	Source       string // of a session's start
	Reason       string // of its end
	Trigger      string // of a compaction
	Instructions string // for it
	Summary      string // that it made
	Message      string // a notice
	Kind         string // of the notice
	LastMessage  string
	StopActive   bool
	Failure      *agent.ModelFailure
	Request      *agent.Request

	// Effort and Home are those of the options.
	Effort, Home string
	// EnvFile is a file in which hooks of the event leave variables for commands.
	EnvFile string
}

// A Batched is one call of an answer, with what the model is shown of its result.
type Batched struct {
	ID    string
	Shown Shown
	Done  tool.Done
}

// Input returns the input of the call as JSON; nil if there is no call.
func (f *Firing) Input() json.RawMessage {
	if f.Call == nil {
		return nil
	}
	return f.Call.Input.AppendJSON(nil)
}

// Project returns the root of the project.
func (f *Firing) Project() string {
	if f.Session.Project != "" {
		return f.Session.Project
	}
	return f.Session.Cwd
}

// TurnNumber returns the number of the turn under way; 0 if there is none.
func (f *Firing) TurnNumber() int {
	n, err := strconv.Atoi(f.Session.Turn)
	if err != nil {
		return 0
	}
	return n
}

// folder returns where hooks run: the session's directory or, if that is gone,
// the project's, the user's or the system's root.
func (b *Bridge) folder(f *Firing) string {
	for _, dir := range []string{f.Session.Cwd, f.Session.Project, b.home()} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && filepath.IsAbs(dir) {
			return dir
		}
	}
	return "/"
}

func (b *Bridge) home() string {
	if b.options.Home != "" {
		return b.options.Home
	}
	for _, pair := range b.environ() {
		if home, is := strings.CutPrefix(pair, "HOME="); is {
			return home
		}
	}
	return ""
}

func (b *Bridge) environ() []string {
	if b.options.Environ != nil {
		return b.options.Environ
	}
	return os.Environ()
}

// overlay returns base with the pairs of more in place of those of the same
// name.
func overlay(base []string, more ...string) []string {
	names := map[string]bool{}
	for _, pair := range more {
		name, _, _ := strings.Cut(pair, "=")
		names[name] = true
	}
	out := make([]string, 0, len(base)+len(more))
	for _, pair := range base {
		if name, _, _ := strings.Cut(pair, "="); !names[name] {
			out = append(out, pair)
		}
	}
	return append(out, more...)
}

// fill replaces ${path.to.member} in the texts of input by members of payload.
func fill(input, payload value.Value) value.Value {
	switch input.Kind() {
	case value.String:
		return value.OfString(fillText(input.String(), payload))
	case value.List:
		var items []value.Value
		for _, item := range input.Items() {
			items = append(items, fill(item, payload))
		}
		return value.OfList(items...)
	case value.Object:
		for key, item := range input.Members() {
			input = input.With(key, fill(item, payload))
		}
	case value.Absent, value.Null, value.Bool, value.Number:
	}
	return input
}

func fillText(text string, payload value.Value) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		path, after, closed := strings.Cut(rest, "}")
		out.WriteString(before)
		if !found || !closed {
			if found {
				out.WriteString("${" + rest)
			}
			return out.String()
		}
		v := payload
		for name := range strings.SplitSeq(path, ".") {
			v = v.Get(name)
		}
		if !v.IsAbsent() {
			out.WriteString(v.String())
		}
		text = after
	}
}
