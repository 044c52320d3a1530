package spec_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/bridges/claudecode"
	"github.com/dsh-lua/dsh/bridges/codex"
	protocol "github.com/dsh-lua/dsh/hookproto/claudecode"
	codexproto "github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A bridgeCase is one recorded scenario of the original's hook bridges: real
// hooks, a loop and a scripted model.
type bridgeCase struct {
	ID, Title, Dialect string
	Hooks              json.RawMessage
	RawConfig          string
	Config             struct {
		Stderr     int `json:"stderrSummaryMaxChars"`
		PluginRoot string
		ProjectDir string
	}
	Scripts  map[string]string
	Capture  []string
	Script   []bridgeReply `json:"model_script"`
	Prompts  *[]json.RawMessage
	Tools    *[]bridgeTool
	Approval *struct{ Outcome string }
	Direct   *struct{ Args json.RawMessage }
	Subagent []struct{ Start, End bool }
	WaitFor  string

	Listeners []bridgeListener
	Then      struct {
		Ran      int
		Requests int `json:"modelRequests"`
		Log      [][]any
		Captures map[string]*string
		Direct   *struct {
			IsError  bool
			Contexts []struct{ Text string }
		}
		Pending [][]string `json:"pendingInbox"`
	}
}

type bridgeReply struct {
	Tool, Text string
	Args       json.RawMessage
}

type bridgeTool struct {
	Name   string
	Blocks []struct{ Type, Text string }
	Throws string
}

type bridgeListener struct {
	At               string
	Rewrite, Context string
	Reject           bool
	Decision         struct {
		Kind, Reason string
		Contexts     []struct{ Text string }
		Feedback     []struct{ Text string }
		Value        json.RawMessage
	}
}

// bridges makes the bridge of each dialect from a configuration file.
var bridges = map[string]func(w *hookWorld, c bridgeCase, file string, data []byte) point.Extension{
	"claude-code": func(w *hookWorld, c bridgeCase, file string, data []byte) point.Extension {
		f := protocol.File{Path: file, Data: data, Layer: protocol.Project}
		if c.Config.PluginRoot != "" {
			f.Layer, f.Env = protocol.Plugin, []string{"CLAUDE_PLUGIN_ROOT=" + w.scratch(c.Config.PluginRoot)}
		}
		return claudecode.NewBridge(claudecode.BridgeOptions{
			Config: protocol.Load([]protocol.File{f}, protocol.Options{}), Environ: bridgeEnviron(w), Home: w.home,
			Stderr: c.Config.Stderr, Warn: w.warn, Folder: w.dir + "/spilled",
		})
	},
	"codex": func(w *hookWorld, c bridgeCase, file string, data []byte) point.Extension {
		o := codexproto.Options{TrustAll: true}
		f := codexproto.File{Path: file, Data: data, Source: codexproto.User, Format: codexproto.JSON}
		return codex.NewBridge(codex.BridgeOptions{
			Config: codexproto.Load([]codexproto.File{f}, o).Runnable(o), Environ: bridgeEnviron(w), Home: w.home,
			Stderr: c.Config.Stderr, Warn: w.warn, Folder: w.dir + "/spilled",
		})
	},
}

func bridgeEnviron(w *hookWorld) []string { return append(w.environ(), "TESTX_PLAIN=v") }

func loadBridge(dir string) ([]testCase, error) {
	var file struct{ Scenarios []bridgeCase }
	err := readRecording(&file, dir, "behaviour", "cases-bridge.json")
	var cases []testCase
	for _, c := range file.Scenarios {
		cases = append(cases, testCase{id: c.ID, traits: c.traits(), applicable: bridges[c.Dialect] != nil, run: c.run})
	}
	return cases, err
}

// scratch replaces the folder of a scenario.
func (w *hookWorld) scratch(text string) string {
	return strings.NewReplacer("@D@", w.hooks, "$DIR", w.hooks, "$WS", w.project).Replace(text)
}

func (c bridgeCase) run() error {
	var d differences
	s := hookSession{
		answers: c.answers(), model: "m", mode: "default", keepsNoLog: true, noApprover: c.Approval == nil,
		tools: c.tools, client: c.Dialect, source: "startup",
	}
	s.bridge = func(w *hookWorld) (point.Extension, []point.Grant, error) {
		return bridgeClient{c.extension(w), c.Listeners}, nil, nil
	}
	err := playHooks(s, func(w *hookWorld) error {
		if err := c.play(w, &d); err != nil {
			return err
		}
		log := w.reduced()
		if err := w.end(""); err != nil {
			return err
		}
		c.compare(w, log, &d)
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case len(d) == 0:
		return nil
	case !c.explained(d):
		return fmt.Errorf("%w%s", errUnexplained, d)
	}
	return errors.New(d.String())
}

// play does what the scenario asks for.
func (c bridgeCase) play(w *hookWorld, d *differences) error {
	switch {
	case c.Direct != nil:
		return c.direct(w, d)
	case len(c.Subagent) > 0:
		return c.subagents(w, d)
	}
	for _, text := range c.prompts() {
		if err := w.agent.Followup(context.Background(), agent.Said(text)); err != nil {
			return err
		}
	}
	_, err := w.idle()
	if slices.ContainsFunc(c.hooks(), func(h bridgeHook) bool { return h.async }) {
		await(func() bool { // for what runs beside the turn
			return !slices.ContainsFunc(c.Capture, func(name string) bool {
				_, err := os.Stat(filepath.Join(w.hooks, name))
				return err != nil
			})
		})
	}
	return err
}

// direct makes a call that no agent stands behind.
func (c bridgeCase) direct(w *hookWorld, d *differences) error {
	args, err := value.Parse(c.Direct.Args)
	if err != nil {
		return err
	}
	root := tool.Scope{Host: host.Host{Run: point.Run{Handlers: w.agent.Handlers()}}, Tools: w.agent.Tools()}
	result := (&tool.Runtime{Root: root, Warn: w.warn}).Execute(context.Background(), tool.Input{ID: "c1", Tool: "echo", Arguments: args})
	var contexts []session.Context
	_, failed := result.(tool.Failure)
	if s, ok := result.(tool.Success); ok {
		contexts = s.Contexts
	}
	d.compare("direct", c.Then.Direct.IsError, failed)
	d.compare("direct contexts", len(c.Then.Direct.Contexts), len(contexts))
	return nil
}

// subagents tells of a subagent as the original did: a session of its own that
// nobody gives work.
func (c bridgeCase) subagents(w *hookWorld, d *differences) error {
	h := w.agent.Host()
	h.Live = w.agent.Live()
	err := host.Tell(context.Background(), h, subagent.OnStart, subagent.Started{Session: w.agent.Session(), ID: "child", Type: "general-purpose"})
	pending := []string{}
	for _, m := range w.agent.Pending(session.NextStep) {
		pending = append(pending, m.Text())
	}
	want := []string{}
	for _, p := range c.Then.Pending {
		want = append(want, p[1])
	}
	d.compare("pending", want, pending)
	if c.Subagent[0].End {
		child := w.agent.Session()
		child.ID, child.Agent = "child", &session.AgentRef{ID: "child", Type: "general-purpose"}
		err = errors.Join(err, host.Tell(context.Background(), host.Host{Run: h.Run}, agent.OnTurnStopping, agent.Stopping{Session: child}))
	}
	return err
}

func (c bridgeCase) prompts() (out []string) {
	if c.Prompts == nil {
		return []string{"go"}
	}
	for _, raw := range *c.Prompts {
		var blocks []struct{ Text string }
		if json.Unmarshal(raw, &blocks) != nil {
			out = append(out, textOr(raw))
			continue
		}
		var texts []string
		for _, b := range blocks {
			texts = append(texts, b.Text)
		}
		out = append(out, strings.Join(texts, ""))
	}
	return out
}

func (c bridgeCase) answers() (out []model.Reply) {
	script := c.Script
	if script == nil {
		script = []bridgeReply{{Tool: "echo"}, {Text: "done"}}
	}
	for i, r := range script {
		reply := model.Reply{Text: r.Text}
		if r.Tool != "" {
			arguments, err := value.Parse(r.Args)
			if err != nil {
				arguments = value.OfObject()
			}
			reply.Calls = []session.ToolCall{{ID: fmt.Sprintf("c%d", i+1), Tool: r.Tool, Arguments: arguments}}
		}
		out = append(out, reply)
	}
	return out
}

func (c bridgeCase) tools(*hookWorld) (out []tool.Definition) {
	list := []bridgeTool{{Name: "echo"}}
	if c.Tools != nil {
		list = *c.Tools
	}
	for _, t := range list {
		content := []session.Part{session.Text{Text: "raw output"}}
		if t.Blocks != nil {
			content = nil
		}
		for _, b := range t.Blocks {
			if b.Type == "reasoning" {
				content = append(content, session.Reasoning{Text: b.Text})
			} else {
				content = append(content, session.Text{Text: b.Text})
			}
		}
		out = append(out, tool.Definition{
			Name: t.Name, Output: tool.Output{Schema: value.OfObject(), Render: func(_, v value.Value) ([]session.Part, error) {
				if text := v.At(0).Get("text"); !text.IsAbsent() {
					return []session.Part{session.Text{Text: text.String()}}, nil
				}
				return content, nil
			}},
			Execute: func(context.Context, *tool.Running) (any, error) {
				if t.Throws != "" {
					return nil, errors.New(t.Throws)
				}
				return "raw output", nil
			},
		})
	}
	return out
}

// extension makes the bridge of the scenario's configuration.
func (c bridgeCase) extension(w *hookWorld) point.Extension {
	for name, text := range c.Scripts {
		_ = w.write("hooks/"+name, w.scratch(text))
	}
	data := []byte(c.RawConfig)
	if c.RawConfig == "" && string(c.Hooks) != "null" {
		data = []byte(w.scratch(fmt.Sprintf(`{"hooks": %s}`, c.Hooks)))
	}
	return bridges[c.Dialect](w, c, filepath.Join(w.hooks, "hooks.json"), data)
}

// A bridgeClient is a bridge with the listeners of a scenario behind it.
type bridgeClient struct {
	bridge    point.Extension
	listeners []bridgeListener
}

func (b bridgeClient) Name() string { return b.bridge.Name() }

func (b bridgeClient) Install(in *point.Installer) error {
	if err := b.bridge.Install(in); err != nil {
		return err
	}
	for _, l := range b.listeners {
		l.attach(in)
	}
	return nil
}

func (l bridgeListener) attach(in *point.Installer) {
	switch l.At {
	case "pre":
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) {
			return tool.Deny{Reason: l.Decision.Reason}, nil
		})
	case "post":
		tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			return l.post(), nil
		})
	case "pre-step":
		agent.PreStep.Handle(in, func(_ context.Context, s agent.Step, _ point.Next[agent.StepDecision]) (agent.StepDecision, error) {
			if l.Reject {
				return agent.Reject{Reason: "rejected"}, nil
			}
			m := s.Messages[0].Clone()
			m.Content = []session.Part{session.Text{Text: l.Rewrite}}
			return agent.Enter{Messages: []session.Message{m, session.FromExtension("policy", l.Context)}}, nil
		})
	}
}

func (l bridgeListener) post() tool.PostDecision {
	if l.Decision.Kind == "block" {
		return tool.Block{Feedback: []session.Part{session.Text{Text: l.Decision.Feedback[0].Text}}}
	}
	a := tool.Accept{}
	for _, c := range l.Decision.Contexts {
		a.Contexts = append(a.Contexts, session.Context{Text: c.Text, Extension: "policy"})
	}
	if l.Decision.Value != nil {
		a.Value, _ = value.Parse(l.Decision.Value)
	}
	return a
}
