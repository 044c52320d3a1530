package hookconfig

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	claudebridge "github.com/dsh-lua/dsh/bridges/claudecode"
	codexbridge "github.com/dsh-lua/dsh/bridges/codex"
	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/hookproto/document"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Trial is one event to be tried on the hooks of a set.
type Trial struct {
	Event string
	// Payload is what hooks read; see [Sample].
	Payload []byte
	// Environ is the environment that hooks start from.
	Environ []string
	Scrub   bool
	// Strict denies what a failing hook was to guard.
	Strict bool
	Home   string // of the user
}

// A Report is what came of a trial.
type Report struct {
	Event   string
	Subject string // what matchers were held against
	Runs    []Run  // in configured order
	Skipped []Skip
	Outcome hookproto.Outcome
	Means   claudebridge.Meaning
	Took    time.Duration // of all, which run at the same time
}

// A Run is one hook that ran.
type Run struct {
	Handler hookproto.Handler
	Result  hookproto.Result
	Output  hookproto.Output
	Rank    int    // among those that completed, from 0
	Late    bool   // nobody waits for it, and it decides nothing
	Void    string // what it printed, such as "not JSON", if that is no answer and reaches nobody
}

// A Skip is a hook of the event that did not run.
type Skip struct {
	Handler hookproto.Handler
	Why     string
}

// Fire runs the hooks of a set that the trial concerns, at the same time, and
// waits for all of them, also for those that the client would not wait for.
// Nothing but what the hooks themselves do happens.
func Fire(ctx context.Context, s Set, t Trial) (Report, error) {
	if !known(s.Dialect, t.Event) {
		return Report{}, fmt.Errorf("%s has no event %q%s", client(s.Dialect), t.Event, nearestEvent(s.Dialect, t.Event))
	}
	payload, err := document.ParseJSON(bytes.TrimSpace(t.Payload))
	if err != nil {
		return Report{}, fmt.Errorf("the payload: %w", err)
	}
	if payload.Kind != document.Object {
		return Report{}, fmt.Errorf("the payload: %s, expected an object", payload.Kind)
	}
	if name := field(payload, "hook_event_name"); name != t.Event {
		return Report{}, fmt.Errorf("the payload is of the event %q, not of %s", name, t.Event)
	}
	r := Report{Event: t.Event, Subject: field(payload, subjectField(s.Dialect, t.Event))}
	began := time.Now()
	tried, err := s.bridge(claudebridge.BridgeOptions{
		Scrub: t.Scrub, Strict: t.Strict, Environ: t.Environ, Home: t.Home, Effort: field(payload.Get("effort"), "level"),
	}).Try(ctx, s.trial(t, r.Subject, payload))
	r.Took = time.Since(began)
	r.Outcome, r.Means = tried.Outcome, tried.Means
	for _, ran := range tried.Ran {
		r.Runs = append(r.Runs, Run{Handler: ran.Handler, Result: ran.Result, Output: ran.Output, Rank: ran.Rank, Late: ran.Late, Void: ran.Void})
	}
	r.skips(s)
	return r, err
}

// Problems lists those of the configuration, and what never runs on dsh's own points.
func (s Set) Problems() []hookproto.Problem { return s.bridge(claudebridge.BridgeOptions{}).Problems() }

// bridge runs the hooks of the set as a session would.
func (s Set) bridge(o claudebridge.BridgeOptions) *claudebridge.Bridge {
	o.Config = s.Config
	if s.Dialect == Codex {
		return codexbridge.NewBridge(o)
	}
	return claudebridge.NewBridge(o)
}

func (s Set) trial(t Trial, subject string, payload *document.Node) claudebridge.Trial {
	out := claudebridge.Trial{
		Event: t.Event, Payload: t.Payload, Subject: subject, Tool: field(payload, "tool_name"),
		Session: session.Ref{ID: field(payload, "session_id"), Cwd: cmp.Or(field(payload, "cwd"), s.Root), Project: s.Root},
	}
	if input := payload.Get("tool_input"); input != nil {
		out.Input, _ = value.Parse(input.JSON()) // which is JSON
	}
	return out
}

// skips tells of the hooks of the event that did not run.
func (r *Report) skips(s Set) {
	for _, h := range s.Config.Handlers {
		switch {
		case h.Event != r.Event, slices.ContainsFunc(r.Runs, func(run Run) bool { return run.Handler.ID == h.ID }):
		case h.NotRun != "":
			r.skip(h, h.NotRun)
		default:
			r.skip(h, r.misfit(s, h))
		}
	}
}

func (r *Report) skip(h hookproto.Handler, why string) {
	r.Skipped = append(r.Skipped, Skip{h, why})
}

// misfit says why a hook is not among those that fit.
func (r *Report) misfit(s Set, h hookproto.Handler) string {
	fits, err := s.Protocol().Matches(h, r.Subject)
	switch {
	case err != nil:
		return err.Error()
	case !fits:
		return fmt.Sprintf("its matcher %q does not fit %q", *h.Matcher, r.Subject)
	case h.HasIf && h.If != "":
		return fmt.Sprintf("its rule %q does not fit the call", h.If)
	case h.Kind != hookproto.CommandHandler:
		return "no server of tools is there to run it"
	}
	return "it is the same as another hook, which runs"
}

func known(dialect, event string) bool {
	if dialect == Codex {
		return isCodex(event)
	}
	return isClaude(event)
}

func subjectField(dialect, event string) string {
	if dialect == Codex {
		e, _ := codex.Lookup(event)
		return e.Subject
	}
	e, _ := claudecode.Lookup(event)
	return e.Subject
}

func field(n *document.Node, name string) string {
	if v := n.Get(name); v != nil && v.Kind == document.String {
		return v.Text
	}
	return ""
}

func nearestEvent(dialect, event string) string {
	for _, name := range EventNames(dialect) {
		if strings.EqualFold(name, event) {
			return "; did you mean " + name + "?"
		}
	}
	return "; it has " + strings.Join(EventNames(dialect), ", ")
}

// EventNames lists the events of a client.
func EventNames(dialect string) (names []string) {
	if dialect == Codex {
		return codex.Names()
	}
	for _, e := range claudecode.Events() {
		names = append(names, e.Name)
	}
	return names
}

// Sample returns a payload as the client would give it to a hook of the event,
// in the project at root; of a call of the tool, if one is named.
func Sample(dialect, event, tool, root, home string) ([]byte, error) {
	text, err := samples.ReadFile("samples/" + dialect + ".json")
	if err != nil {
		return nil, err
	}
	var all map[string][]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	if len(all[event]) == 0 {
		return nil, fmt.Errorf("%s has no event %q%s", client(dialect), event, nearestEvent(dialect, event))
	}
	for _, payload := range all[event] {
		if tool == "" || toolOf(payload) == tool {
			return fill(payload, dialect, root, home), nil
		}
	}
	return renamed(all[event][0], tool, dialect, root, home)
}

func toolOf(payload []byte) string {
	n, err := document.ParseJSON(payload)
	if err != nil {
		return ""
	}
	return field(n, "tool_name")
}

// renamed is the payload of a tool of which there is no sample.
func renamed(payload []byte, tool, dialect, root, home string) ([]byte, error) {
	before := toolOf(payload)
	if before == "" {
		return nil, fmt.Errorf("the event is about no tool")
	}
	from, to := append([]byte(`"tool_name":`), document.Quote(before)...), append([]byte(`"tool_name":`), document.Quote(tool)...)
	return fill(bytes.Replace(payload, from, to, 1), dialect, root, home), nil
}

func fill(payload []byte, dialect, root, home string) []byte {
	quoted := func(path string) string { return strings.Trim(string(document.Quote(path)), `"`) }
	text := strings.NewReplacer(
		"$PROJECT", quoted(root), "$HOME", quoted(home), "$CODEX_HOME", quoted(filepath.Join(home, ".codex")), "$TMP", quoted(os.TempDir()),
	).Replace(string(payload))
	if dialect == ClaudeCode {
		text += "\n"
	}
	return []byte(text)
}
