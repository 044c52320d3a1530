package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/hookproto/document"
	"github.com/dsh-lua/dsh/hookproto/process"
)

// A Trial is one event to be tried on the hooks of a set.
type Trial struct {
	Event string
	// Payload is what hooks read; see [Sample].
	Payload []byte
	// Environ is the environment that hooks start from.
	Environ []string
	Scrub   bool
	Home    string // of the user
}

// A Report is what came of a trial.
type Report struct {
	Event   string
	Subject string // what matchers were held against
	Runs    []Run  // in configured order
	Skipped []Skip
	Outcome hookproto.Outcome
	Means   Meaning
	Took    time.Duration // of all, which run at the same time
}

// A Run is one hook that ran.
type Run struct {
	Handler hookproto.Handler
	Result  hookproto.Result
	Output  hookproto.Output
	Rank    int // among those that completed, from 0
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
	jobs, handlers := r.choose(s, t, payload)
	began := time.Now()
	var done []hookproto.Completed
	o := options(s.Dialect)
	o.Scrub = t.Scrub
	for i, ran := range o.RunAll(ctx, jobs, nil) {
		c := hookproto.Completed{Handler: handlers[i], Configured: i, Rank: ran.Rank, Result: ran.Result}
		c.Output = s.Protocol().Parse(t.Event, ran.Result)
		done = append(done, c)
		r.Runs = append(r.Runs, Run{Handler: c.Handler, Result: c.Result, Output: c.Output, Rank: c.Rank})
	}
	r.Took = time.Since(began)
	awaited := slices.DeleteFunc(done, func(c hookproto.Completed) bool { return c.Handler.Async })
	r.Outcome = s.Protocol().Fold(t.Event, awaited)
	r.Means = mean(t.Event, r.Outcome)
	return r, nil
}

// choose selects the hooks of the event and says how they run.
func (r *Report) choose(s Set, t Trial, payload *document.Node) (jobs []process.Job, handlers []hookproto.Handler) {
	fits := matching(s, t, r.Subject, payload)
	for _, h := range s.Config.Handlers {
		switch {
		case h.Event != t.Event:
		case h.NotRun != "":
			r.skip(h, h.NotRun)
		case !slices.ContainsFunc(fits, func(f hookproto.Handler) bool { return f.At == h.At }):
			r.skip(h, r.misfit(s, h))
		case h.Kind != hookproto.CommandHandler:
			r.skip(h, "no server of tools is there to run it")
		}
	}
	for _, h := range fits {
		if h.NotRun != "" || h.Kind != hookproto.CommandHandler {
			continue
		}
		handlers = append(handlers, h)
		jobs = append(jobs, process.Job{Command: command(s, t, h, field(payload, "cwd"))})
	}
	return jobs, handlers
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
	}
	return "it is the same as another hook, which runs"
}

func matching(s Set, t Trial, subject string, payload *document.Node) []hookproto.Handler {
	if s.Dialect == Codex {
		fits, _ := codex.Select(s.Config.Handlers, t.Event, subject) // misfit tells the errors
		return fits
	}
	f := claudecode.Firing{Event: t.Event, Subject: subject, Cwd: field(payload, "cwd"), Home: t.Home}
	if input := payload.Get("tool_input"); input != nil {
		f.Input = input.JSON()
	}
	fits, _ := claudecode.Select(s.Config.Handlers, f)
	return fits
}

func command(s Set, t Trial, h hookproto.Handler, cwd string) process.Command {
	env := slices.Clone(t.Environ)
	if s.Dialect == ClaudeCode {
		h = claudecode.Expand(h, s.Root)
		env = append(env, "CLAUDECODE=1", "CLAUDE_PROJECT_DIR="+s.Root)
	}
	c := process.Command{Line: h.Command, Args: h.Args, Shell: h.Shell, Dir: s.Root, Env: append(env, h.Env...), Stdin: t.Payload, Timeout: h.Timeout}
	if info, err := os.Stat(cwd); err == nil && info.IsDir() {
		c.Dir = cwd
	}
	return c
}

func options(dialect string) process.Options {
	if dialect == Codex {
		return codex.Process()
	}
	return claudecode.Process()
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
