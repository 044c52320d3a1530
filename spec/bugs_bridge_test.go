package spec_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/bridges/claudecode"
	protocol "github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A reported situation is one of spec/corpus/bugs.jsonl: hooks, and what the
// model does.
type reported struct {
	event, matcher string
	hooks          []string // fields of handlers, as JSON without braces
	files          map[string]string
	// tool and input are the one call of the model; without it the model only
	// answers.
	tool, input string
	children    map[string][]model.Reply
	strict      bool
	env         []string // in place of that of the tests
	guard       bool     // a guard forbids all calls
	policy      bool     // a policy denies all calls
	yes         bool     // the human allows what they are asked about
	cwd         string   // of the session, below the project
	plugin      string   // the folder of the plugin that the hooks belong to
}

// A seen is what became of a reported situation.
type seen struct {
	end      session.End
	result   session.ToolResult // of the call
	text     string             // that the model was shown of it
	ran      bool               // the tool did
	asked    bool               // the human was asked
	contexts []string
	told     string // to the human and in warnings
	project  string
	requests int
	records  []string // the types of the records of hooks in the log
	files    []string // in the project
	contents map[string]string
	bodies   []string // the calls that ran
	shown    string   // all that any model was shown
}

// read returns a file of the project.
func (s seen) read(name string) string { return s.contents[name] }

// modelSees is what the model was shown of the call and of hooks.
func (s seen) modelSees() string { return s.text + "\n" + strings.Join(s.contexts, "\n") }

// runReported runs tests that are named by an id, in parallel.
func runReported(t *testing.T, tests map[string]func(*testing.T)) {
	t.Helper()
	for id, test := range tests {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// command is a handler with a command line.
func command(line string) string {
	text, _ := json.Marshal(line)
	return `"type":"command","command":` + string(text)
}

// prints is a handler that prints text and ends with a status.
func prints(stdout, stderr, status string) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	return command("cat > /dev/null; printf %s " + quote(stdout) + "; printf %s " + quote(stderr) + " >&2; exit " + status)
}

func (r reported) config() string {
	var list []string
	for _, h := range r.hooks {
		list = append(list, "{"+h+"}")
	}
	matcher, _ := json.Marshal(r.matcher)
	return `{"hooks":{"` + r.event + `":[{"matcher":` + string(matcher) + `,"hooks":[` + strings.Join(list, ",") + `]}]}}`
}

// guarded stands beside a bridge and refuses all calls, as a guard or a policy.
type guarded struct {
	bridge        point.Extension
	guard, policy bool
}

func (guarded) Name() string { return "guarded" }

func (g guarded) Install(in *point.Installer) error {
	if g.policy {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
			return tool.Deny{Reason: "not by policy"}, nil
		})
	}
	if g.guard {
		tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) {
			return tool.Forbid{Reason: "guarded"}, nil
		})
	}
	return g.bridge.Install(in)
}

func (r reported) bridge(w *hookWorld) (point.Extension, []point.Grant, error) {
	file := protocol.File{Path: filepath.Join(w.project, ".claude", "settings.json"), Data: []byte(w.expand(r.config())), Layer: protocol.Project}
	if r.plugin != "" {
		file.Layer, file.Env = protocol.Plugin, []string{"CLAUDE_PLUGIN_ROOT=" + filepath.Join(w.dir, r.plugin)}
	}
	o := claudecode.BridgeOptions{
		Config: protocol.Load([]protocol.File{file}, protocol.Options{}), Strict: r.strict, Preapprove: true, Environ: w.environ(), Home: w.home, Warn: w.warn,
	}
	if r.env != nil {
		o.Environ = r.env
	}
	return guarded{claudecode.NewBridge(o), r.guard, r.policy}, []point.Grant{tool.Preapprove}, nil
}

// play plays the situation.
func (r reported) play(t *testing.T) (s seen) {
	t.Helper()
	situation := hookSession{
		files: map[string]string{}, children: r.children, client: "claude-code", source: "startup", model: "m", tools: claudeTools, bridge: r.bridge, below: r.cwd,
	}
	for name, text := range r.files {
		situation.files[name] = text
	}
	if r.yes {
		situation.grants = func(tool.Call) bool { return true }
	}
	if r.tool != "" {
		input, err := value.ParseString(r.input)
		require.NoError(t, err)
		situation.answers = []model.Reply{{Calls: []session.ToolCall{{ID: "1", Tool: r.tool, Arguments: input}}}}
	}
	require.NoError(t, playHooks(situation, func(w *hookWorld) error {
		end, err := w.prompt("go")
		require.NoError(t, err)
		s = w.seen(t, end)
		return nil
	}))
	return s
}

func (w *hookWorld) seen(t *testing.T, end session.End) seen {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	s := seen{
		end: end, ran: len(w.ran) > 0, asked: len(w.asked) > 0, project: w.project, requests: len(w.requests),
		told: strings.Join(append(append([]string(nil), w.told...), w.warned...), "\n"),
	}
	left, err := w.left()
	require.NoError(t, err)
	s.files, s.bodies, s.contents = left, slices.Clone(w.ran), map[string]string{}
	for _, name := range left {
		text, err := os.ReadFile(filepath.Join(w.project, filepath.FromSlash(name)))
		require.NoError(t, err)
		s.contents[name] = string(text)
	}
	for e, err := range w.log.Entries() {
		require.NoError(t, err)
		if e.Type == session.EventHookInvoked || e.Type == session.EventHookResult {
			s.records = append(s.records, string(e.Type))
		}
	}
	for _, r := range w.requests {
		for _, m := range r.New {
			s.shown += m.Text() + "\n"
			for _, result := range resultsOf([]session.Message{m}) {
				s.shown += textOfParts(result.Content) + "\n"
			}
		}
	}
	for _, m := range w.log.History() {
		if _, extension := m.Source.(session.Extension); extension {
			s.contexts = append(s.contexts, m.Text())
		}
		if r, is := resultsOf([]session.Message{m})["1"]; is {
			s.result, s.text = r, textOfParts(r.Content)
		}
	}
	return s
}
