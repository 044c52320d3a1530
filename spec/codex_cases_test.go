package spec_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A codexCase is what the unmodified client did in one situation. Its kind is
// "config" for a configuration that is listed, "scenario" for a script, and else
// one hook at one event.
type codexCase struct {
	ID, Kind, Event, Subject string
	Config                   json.RawMessage
	Hook                     struct {
		Exit          int
		Stdout        json.RawMessage
		Stderr        json.RawMessage
		OnlyFirstCall bool `json:"only_first_call"`
		Replies       map[string]json.RawMessage
	}
	Script   codexScript
	Observed json.RawMessage
}

type codexScript struct {
	Turns    []json.RawMessage
	Subturns map[string][]json.RawMessage
	Ops      []codexOp
	Steps    []codexStep
	Approve  map[string]struct{ Decision string }
}

type codexOp struct {
	Op, Text, Method string
	Nowait           bool
	Params           json.RawMessage
}

// A codexStep is one run of the client's command.
type codexStep struct {
	Prompt    string
	Args, Raw []string
}

// A codexCall is one run of a hook, as it was recorded.
type codexCall struct {
	Label, Event, Subject string
	ToolInput             json.RawMessage `json:"tool_input"`
}

type codexObserved struct {
	HookRuns int `json:"hook_runs"`
	UI       []struct {
		Status  string
		Entries []string
	}
	ModelRequests []struct {
		Which string
		New   []string
	} `json:"model_requests"`
	ToolRan   *string `json:"tool_ran"`
	Approvals []string
	Turns     []string
	HookCalls []codexCall `json:"hook_calls"`
}

// codexSettings are the configuration of a scenario.
type codexSettings struct {
	HooksJSON       json.RawMessage `json:"hooks_json"`
	ConfigTOMLExtra string          `json:"config_toml_extra"`
	Features        string
	Approval        string
	Model, Mode     string
}

// loadCodexCases is the suite of what Codex did.
func loadCodexCases(dir string) ([]testCase, error) {
	var all []codexCase
	if err := readRecording(&all, dir, "dialects", "codex", "cases.json"); err != nil {
		return nil, err
	}
	var out []testCase
	for _, c := range all {
		if c.Kind == "config" {
			out = append(out, testCase{id: c.ID, applicable: true, traits: map[string]string{"kind": c.Kind}, run: c.runConfig})
			continue
		}
		p, err := c.play()
		if err != nil {
			out = append(out, unreadable(c.ID, err))
			continue
		}
		traits := p.traits()
		out = append(out, testCase{id: c.ID, applicable: traits["beyond"] == "", beyond: traits["beyond"], traits: traits, run: p.run})
	}
	return out, nil
}

// A codexPlay is a case, ready to be played.
type codexPlay struct {
	codexCase
	observed codexObserved
	settings codexSettings
	ops      []codexOp
	session  hookSession

	mu       sync.Mutex
	statuses []codexStatus
}

// A codexStatus is what became of one hook.
type codexStatus struct{ event, status string }

// The scripts of cases that are one hook at one event.
var (
	shellTurns = []string{`[{"call":"exec_command","args":{"cmd":"echo ran > ran.txt; echo TOOLOUT"}}]`}
	codexTurns = map[string][]string{
		"Stop": {`[{"message":"m1"}]`}, "SessionEnd": {`[{"message":"m1"}]`},
		"Interrupt":  {`[{"call":"exec_command","args":{"cmd":"sleep 20"}}]`},
		"PreCompact": {`[{"message":"m1"}]`, `[{"message":"SUMMARY"}]`}, "PostCompact": {`[{"message":"m1"}]`, `[{"message":"SUMMARY"}]`},
		"SubagentStart": subagentTurns, "SubagentStop": subagentTurns,
	}
	subagentTurns = []string{
		`[{"call":"spawn_agent","namespace":"multi_agent_v1","args":{"message":"CHILDTASK do it","agent_type":"default"}}]`,
		`[{"call":"wait_agent","namespace":"multi_agent_v1","args":{}}]`,
	}
	codexOps = map[string][]codexOp{
		"Interrupt":  {{Op: "turn", Nowait: true}, {Op: "interrupt"}, {Op: "turn", Text: "second"}},
		"PreCompact": compactOps, "PostCompact": compactOps,
	}
	compactOps = []codexOp{{Op: "turn"}, {Op: "compact"}, {Op: "turn", Text: "second"}}
)

// play makes of a case what our loop can do.
func (c codexCase) play() (*codexPlay, error) {
	p := &codexPlay{codexCase: c}
	if err := json.Unmarshal(c.Observed, &p.observed); err != nil {
		return nil, err
	}
	if c.Kind == "" {
		p.single()
	} else if err := p.scenario(); err != nil {
		return nil, err
	}
	s := &p.session
	s.client, s.model, s.mode, s.maxStops = "codex", p.settings.Model, "default", -1
	never := p.settings.Approval == "never"
	if never {
		s.mode = "bypassPermissions"
	}
	s.tools = func(w *hookWorld) []tool.Definition { return codexTools(w, never) }
	s.asks, s.bridge = codexAsks(p.settings.Approval), p.bridge
	s.grants = func(call tool.Call) bool {
		if strings.HasPrefix(call.Tool, "mcp__") {
			return true // the recorded user agreed to those
		}
		for _, a := range c.Script.Approve {
			return a.Decision == "accept"
		}
		return false
	}
	s.files = map[string]string{"codex/config.toml": "[features]\n" + p.settings.Features + "\n" + p.settings.ConfigTOMLExtra}
	if hooks := p.settings.HooksJSON; len(hooks) > 0 && string(hooks) != "null" {
		s.files["codex/hooks.json"] = codexFile(hooks)
	}
	var err error
	if s.answers, err = codexAnswers(p.Script.Turns, "call"); err != nil {
		return nil, err
	}
	s.children = map[string][]model.Reply{}
	for task, turns := range p.Script.Subturns {
		if s.children[task], err = codexAnswers(turns, task); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// codexFile is a file of a case: a text, or JSON.
func codexFile(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// single prepares a case of one hook at one event.
func (p *codexPlay) single() {
	p.settings = codexSettings{HooksJSON: p.Config, Approval: "never", Model: "gpt-5.5", Mode: "app-server"}
	if p.Event == "PermissionRequest" {
		p.settings.Approval = "untrusted"
	}
	turns := codexTurns[p.Event]
	if turns == nil {
		turns = shellTurns
	}
	for _, t := range turns {
		p.Script.Turns = append(p.Script.Turns, json.RawMessage(t))
	}
	p.Script.Subturns = map[string][]json.RawMessage{"CHILDTASK": {json.RawMessage(`[{"message":"child1"}]`), json.RawMessage(`[{"message":"child2"}]`)}}
	p.ops = codexOps[p.Event]
	if p.ops == nil {
		p.ops = []codexOp{{Op: "turn"}}
	}
	reply := map[string]any{"exit": p.Hook.Exit, "stdout": p.Hook.Stdout, "stderr": p.Hook.Stderr}
	one, _ := json.Marshal(reply)
	if p.Hook.OnlyFirstCall {
		one = []byte("[" + string(one) + ", {}]")
	}
	p.session.replies = map[string]json.RawMessage{"hook": one}
}

func (p *codexPlay) scenario() error {
	if err := json.Unmarshal(p.Config, &p.settings); err != nil {
		return err
	}
	if p.settings.Approval == "" {
		p.settings.Approval = "never" // the client's command has nobody to ask
	}
	p.session.replies = p.Hook.Replies
	for _, op := range p.Script.Ops {
		switch op.Op {
		case "trust":
		case "start":
			var params struct{ SessionStartSource string }
			_ = json.Unmarshal(op.Params, &params)
			p.session.source = params.SessionStartSource
		default:
			p.ops = append(p.ops, op)
		}
	}
	for _, s := range p.Script.Steps {
		p.ops = append(p.ops, codexOp{Op: "turn", Text: s.Prompt})
		p.session.keepsNoLog = slices.Contains(s.Args, "--ephemeral")
	}
	if p.ops == nil {
		p.ops = []codexOp{{Op: "turn"}}
	}
	return nil
}

// codexAnswers reads the answers of a model.
func codexAnswers(turns []json.RawMessage, prefix string) ([]model.Reply, error) {
	var out []model.Reply
	for n, turn := range turns {
		var failed struct {
			Status int
			Items  []json.RawMessage
		}
		var list []json.RawMessage
		if json.Unmarshal(turn, &list) != nil {
			if err := json.Unmarshal(turn, &failed); err != nil {
				return nil, err
			}
			list = failed.Items
		}
		var r model.Reply
		if failed.Status >= 400 {
			r.Finish, r.Failure = model.Failed, &session.Failure{Message: "scripted", Status: failed.Status}
		}
		for i, raw := range list {
			if err := codexItem(raw, fmt.Sprintf("%s_%d_%d", prefix, n+1, i), &r); err != nil {
				return nil, err
			}
		}
		out = append(out, r)
	}
	return out, nil
}

func codexItem(raw json.RawMessage, id string, r *model.Reply) error {
	var item struct {
		Message, Call, Namespace, Custom, Input string
		LocalShell                              json.RawMessage `json:"local_shell"`
		Args                                    json.RawMessage
	}
	if err := json.Unmarshal(raw, &item); err != nil {
		return err
	}
	call := session.ToolCall{ID: id}
	switch {
	case item.Message != "":
		r.Text += item.Message
		return nil
	case item.Custom != "":
		call.Tool, call.Arguments = item.Custom, value.OfObject(value.Member{Key: "command", Value: value.OfString(item.Input)})
	case item.LocalShell != nil:
		call.Tool, call.Arguments = "local_shell", value.OfObject()
	default:
		call.Tool = codexToolName(item.Namespace, item.Call)
		var text string
		if json.Unmarshal(item.Args, &text) == nil {
			call.Arguments = model.Arguments(text)
		} else {
			v, err := value.Parse(item.Args)
			if err != nil {
				return err
			}
			call.Arguments = v
		}
	}
	r.Calls = append(r.Calls, call)
	return nil
}

// codexToolName is how our tools are called for a tool of a namespace.
func codexToolName(namespace, name string) string {
	switch {
	case strings.HasPrefix(namespace, "mcp__"):
		return namespace + "__" + name
	case name == "spawn_agent":
		return name
	case namespace == "" && strings.HasPrefix(name, "mcp__"):
		return "no_namespace_" + name
	}
	return namespace + name
}

var codexElided = regexp.MustCompile(`^<X repeated (\d+)>…`)
