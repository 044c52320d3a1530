package spec_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	protocol "github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A claudeCase is one recorded session of Claude Code with hooks.
type claudeCase struct {
	ID            string
	Event         oneOrMany[string]
	Config        json.RawMessage            // of the project's settings, or their text
	HomeFiles     map[string]json.RawMessage `json:"home_files"`
	ProjectFiles  map[string]json.RawMessage `json:"project_files"`
	RunFiles      map[string]json.RawMessage `json:"run_files"`
	Env           map[string]string
	Trusted       *bool
	Prompt        *string
	Args          []string
	ModelTurns    []claudeTurn `json:"model_turns"`
	SubagentTurns []struct {
		Match string
		Turns []claudeTurn
	} `json:"subagent_turns"`
	HookReplies map[string]json.RawMessage `json:"hook_replies"`
	HTTPReplies map[string]json.RawMessage `json:"http_replies"`
	Observed    claudeObserved
}

type claudeObserved struct {
	HookCalls []claudeHookCall   `json:"hook_calls"`
	Requests  struct{ Main int } `json:"model_requests"`
	Results   []struct {
		Failed        bool `json:"is_error"`
		Text, Channel string
	} `json:"tool_results"`
	Injected []struct {
		Request             int
		Role, Text, Channel string
	}
	Screens string `json:"screens_note"`
	Result  struct {
		Terminal string `json:"terminal_reason"`
	}
	Exit     int
	Files    []string
	Decision string
}

// A claudeHookCall is one call of a hook.
type claudeHookCall struct {
	ID, Event, Subject string
	Active             *bool    `json:"stop_hook_active"`
	Signalled          []string // the client ended it
}

// A claudeTurn is one answer of the model: a list of blocks, or an object with
// the blocks and how the request fails.
type claudeTurn struct {
	Blocks []claudeBlock
	Status int
	Usage  json.RawMessage
	Stop   string `json:"stop_reason"`
	Error  struct{ Type, Message string }
}

type claudeBlock struct {
	Type, Text, Name string
	Input            json.RawMessage
}

func (t *claudeTurn) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, &t.Blocks)
	}
	type plain claudeTurn
	return json.Unmarshal(text, (*plain)(t))
}

func loadClaudeHooks(dir string) ([]testCase, error) {
	var list []claudeCase
	err := readRecording(&list, dir, "dialects", "claude-code", "cases.json")
	var cases []testCase
	for _, c := range list {
		cases = append(cases, testCase{id: c.ID, traits: c.traits(), applicable: c.inapplicable() == "", beyond: c.inapplicable(), run: c.run})
	}
	return cases, err
}

// run plays the case and returns what differs.
func (c claudeCase) run() error {
	var d differences
	err := playHooks(c.session(), func(w *hookWorld) error {
		if _, err := w.prompt(w.expand(*c.Prompt)); err != nil {
			return err
		}
		w.awaitCalls(c.beforeEnd())
		if err := w.end("other"); err != nil {
			return err
		}
		return c.compare(w, &d)
	})
	if err != nil {
		return err
	}
	if len(d) > 0 {
		return errors.New(d.String())
	}
	return nil
}

func (c claudeCase) session() hookSession {
	s := hookSession{
		replies: c.replies(), files: c.files(), answers: claudeAnswers("c", c.ModelTurns), children: map[string][]model.Reply{},
		client: "claude-code", mode: c.flag("--permission-mode"), source: "startup", model: "m", tools: claudeTools,
		maxStops: map[string]int{"": 0, "3": 3, "0": -1}[c.Env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"]],
	}
	if c.Observed.Exit != 0 {
		s.answers = lasting(c.ModelTurns, s.answers)
	}
	for _, sub := range c.SubagentTurns {
		s.children[sub.Match] = claudeAnswers("s", sub.Turns)
	}
	s.bridge = c.bridge
	return s
}

// replies are what hooks answer. One whose answer ends others waits until they have
// begun, as they had when the client ended them.
func (c claudeCase) replies() map[string]json.RawMessage {
	out := maps.Clone(c.HookReplies)
	for _, ended := range c.Observed.HookCalls {
		for id, text := range out {
			var reply map[string]any
			if len(ended.Signalled) == 0 || id == ended.ID || json.Unmarshal(text, &reply) != nil {
				continue
			}
			reply["after"] = []string{ended.ID}
			out[id], _ = json.Marshal(reply)
		}
	}
	return out
}

// files are those of the case, with the settings of the project.
func (c claudeCase) files() map[string]string {
	out := map[string]string{"project/.claude/settings.json": textOr(c.Config)}
	for _, group := range []struct {
		dir   string
		files map[string]json.RawMessage
	}{{"home/", c.HomeFiles}, {"project/", c.ProjectFiles}, {"", c.RunFiles}} {
		for name, content := range group.files {
			out[group.dir+strings.TrimPrefix(name, "/")] = textOr(content)
		}
	}
	return out
}

// textOr is a text as it is, and any other value as JSON.
func textOr(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func (c claudeCase) flag(name string) string {
	if i := slices.Index(c.Args, name); i >= 0 && i+1 < len(c.Args) {
		return c.Args[i+1]
	}
	return ""
}

// claudeAnswers are the answers of a model.
func claudeAnswers(prefix string, turns []claudeTurn) []model.Reply {
	var out []model.Reply
	for i, t := range turns {
		r := model.Reply{}
		if t.Status >= 400 {
			r.Failure = &session.Failure{Message: t.Error.Message, Code: t.Error.Type, Status: t.Status}
			r.Finish = model.Failed
		}
		if t.Stop == "max_tokens" {
			r.Finish = model.MaxTokens
		}
		for j, b := range t.Blocks {
			switch b.Type {
			case "text":
				r.Text += b.Text
			case "tool_use":
				arguments, _ := value.Parse(b.Input)
				r.Calls = append(r.Calls, session.ToolCall{ID: fmt.Sprintf("%s%d.%d", prefix, i, j), Tool: b.Name, Arguments: arguments})
			}
		}
		out = append(out, r)
	}
	return out
}

// lasting are the answers of a model that goes on to fail after the last one that
// was recorded.
func lasting(turns []claudeTurn, out []model.Reply) []model.Reply {
	for len(turns) == recordedTurns && turns[recordedTurns-1].Status >= 400 && len(out) < 2*recordedTurns {
		out = append(out, out[recordedTurns-1])
	}
	return out
}

// recordedTurns is how many answers of a model are recorded at most.
const recordedTurns = 6

// layers reads the settings that hold for the session.
func (c claudeCase) layers(w *hookWorld) (list []protocol.File) {
	all := []struct {
		path  string
		layer protocol.Layer
	}{
		{filepath.Join(w.home, ".claude", "settings.json"), protocol.User},
		{filepath.Join(w.project, ".claude", "settings.json"), protocol.Project},
		{filepath.Join(w.project, ".claude", "settings.local.json"), protocol.Local},
	}
	only := c.flag("--setting-sources")
	for _, f := range all {
		if only != "" && !strings.Contains(only, string(f.layer)) {
			continue
		}
		if data, err := os.ReadFile(f.path); err == nil {
			list = append(list, protocol.File{Path: f.path, Data: data, Layer: f.layer})
		}
	}
	if text := c.flag("--settings"); text != "" {
		list = append(list, protocol.File{Path: "--settings", Data: []byte(w.expand(text)), Layer: protocol.Flag})
	}
	if dir := c.flag("--plugin-dir"); dir != "" {
		list = append(list, w.plugin(w.expand(dir))...)
	}
	return list
}

// plugin returns the files of a plugin that a command line names.
func (w *hookWorld) plugin(dir string) (list []protocol.File) {
	places := protocol.Places{Home: filepath.Join(w.home, ".claude"), PluginDirs: []string{dir}, Read: os.ReadFile}
	all, _, err := protocol.Discover(places)
	if err != nil {
		w.warn(err.Error())
	}
	return slices.DeleteFunc(all, func(f protocol.File) bool { return f.Layer != protocol.Plugin })
}

// callPatience bounds the wait for hooks that nobody waits for.
const callPatience = 3 * time.Second

// awaitCalls waits until n hooks have begun, as those that run beside a turn may
// not have when it ends. The last one is that of the session's end.
func (w *hookWorld) awaitCalls(n int) {
	await(func() bool {
		calls, err := w.calls()
		return err != nil || len(calls) >= n
	})
}

// await waits until something is so, or for long enough.
func await(so func() bool) {
	over := time.After(callPatience)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for !so() {
		select {
		case <-again.C:
		case <-over:
			return
		}
	}
}

// environ is the environment of the case's hooks.
func (c claudeCase) environ(w *hookWorld) []string {
	out := w.environ()
	for name, v := range c.Env {
		out = append(out, name+"="+v)
	}
	return out
}
