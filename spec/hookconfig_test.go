package spec_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/codex"
)

// configInput is a configuration as the original read it.
type configInput struct {
	Raw  json.RawMessage
	Vars struct{ PluginRoot, ProjectDir *string }
}

// originalEvents are the events of the original's loaders.
var originalEvents = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop"}

// wrapped is the file of a case. The original also took the events without the
// key around them; the clients do not, so those cases are asked with it.
func (in configInput) wrapped() (text json.RawMessage) {
	var object map[string]json.RawMessage
	if json.Unmarshal(in.Raw, &object) != nil || object["hooks"] != nil {
		return in.Raw
	}
	return json.RawMessage(`{"hooks":` + string(in.Raw) + `}`)
}

func loadClaude(in configInput) (list []hookproto.Handler) {
	file := claudecode.File{Path: "settings.json", Data: in.wrapped(), Layer: claudecode.User}
	if in.Vars.PluginRoot != nil {
		file.Layer, file.Env = claudecode.Plugin, []string{"CLAUDE_PLUGIN_ROOT=" + *in.Vars.PluginRoot}
	}
	project := ""
	if in.Vars.ProjectDir != nil {
		project = *in.Vars.ProjectDir
	}
	for _, h := range claudecode.Load([]claudecode.File{file}, claudecode.Options{}).Handlers {
		h = claudecode.Expand(h, project)
		if e, _ := claudecode.Lookup(h.Event); h.Timeout == 600*time.Second || e.Timeout == h.Timeout {
			h.Timeout = 0 // the one that none gives
		}
		list = append(list, h)
	}
	return list
}

func loadCodex(in configInput) (list []hookproto.Handler) {
	c := codex.Load([]codex.File{{Path: "hooks.json", Data: in.wrapped(), Source: codex.User, Format: codex.JSON}}, codex.Options{TrustAll: true})
	for _, h := range c.Runnable(codex.Options{TrustAll: true}).Handlers {
		if h.Timeout == 600*time.Second {
			h.Timeout = 0
		}
		list = append(list, h)
	}
	return list
}

// A registered handler, as far as the original knows it.
type registered struct {
	Event, Matcher, Command string
	Timeout                 float64
}

func runConfigCase(load func(configInput) []hookproto.Handler) func(protocolCase) error {
	return func(c protocolCase) error {
		var in configInput
		var want struct {
			Config map[string][]struct {
				Matcher *string
				Hooks   []struct {
					Command    string
					TimeoutSec float64
				}
			}
			Error *struct{ Message string }
		}
		if err := errors.Join(json.Unmarshal(c.Input, &in), json.Unmarshal(c.Expected, &want)); err != nil {
			return err
		}
		if want.Error != nil {
			return errors.New("want the file refused: " + want.Error.Message)
		}
		expected := []registered{}
		for _, event := range originalEvents {
			for _, group := range want.Config[event] {
				for _, h := range group.Hooks {
					expected = append(expected, registered{event, matcherText(event, group.Matcher), h.Command, h.TimeoutSec})
				}
			}
		}
		got := []registered{}
		all := load(in)
		for _, event := range originalEvents {
			for _, h := range all {
				if h.Event == event && h.NotRun == "" {
					got = append(got, registered{event, matcherText(event, h.Matcher), h.Command, h.Timeout.Seconds()})
				}
			}
		}
		return differ("registered", expected, got)
	}
}

// matcherText writes a matcher so that none and an empty one differ. Events that
// have nothing to match have none.
func matcherText(event string, m *string) string {
	if m == nil || event == "UserPromptSubmit" || event == "Stop" {
		return "none"
	}
	return "=" + *m
}

// A rough look at configurations, for the rules.

func rawText(input json.RawMessage) string {
	var in configInput
	_ = json.Unmarshal(input, &in)
	return compactJSON(in.Raw)
}

func rawHas(parts ...string) func(json.RawMessage) bool {
	return func(input json.RawMessage) bool {
		text := rawText(input)
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
	}
}

// hooksIsNoObject: the original then looks for events beside the key.
func hooksIsNoObject(input json.RawMessage) bool {
	var in configInput
	var object, hooks map[string]json.RawMessage
	_ = json.Unmarshal(input, &in)
	return json.Unmarshal(in.Raw, &object) == nil && object["hooks"] != nil &&
		(json.Unmarshal(object["hooks"], &hooks) != nil || hooks == nil)
}

// eachHandler reports whether f holds for one of the handlers.
func eachHandler(f func(map[string]any) bool) func(json.RawMessage) bool {
	return func(input json.RawMessage) bool {
		return eachGroup(func(group map[string]any) bool {
			list, _ := group["hooks"].([]any)
			return slices.ContainsFunc(list, func(h any) bool {
				object, is := h.(map[string]any)
				return is && f(object)
			})
		})(input)
	}
}

// eachGroup reports whether f holds for one of the groups.
func eachGroup(f func(map[string]any) bool) func(json.RawMessage) bool {
	return func(input json.RawMessage) bool {
		var in configInput
		var file struct{ Hooks map[string][]map[string]any }
		_ = json.Unmarshal(input, &in)
		_ = json.Unmarshal(in.wrapped(), &file)
		for _, groups := range file.Hooks {
			if slices.ContainsFunc(groups, f) {
				return true
			}
		}
		return false
	}
}

func isText(v any) bool { _, is := v.(string); return is }

// configRules lists what the clients' loaders do otherwise.
var configRules = []clientRule{
	{"hooks-is-read", hooksIsNoObject},
	{"type-is-needed", eachHandler(func(h map[string]any) bool { return !isText(h["type"]) })},
	{"matcher-is-a-text", eachGroup(func(g map[string]any) bool { m, there := g["matcher"]; return there && !isText(m) })},
	{"timeout-is-a-number", eachHandler(func(h map[string]any) bool {
		t, there := h["timeout"]
		n, is := t.(float64)
		return there && (!is || n <= 0 || n != float64(int(n)))
	})},
	{"bad-pattern-is-no-error", rawHas(`"matcher":"("`, `"matcher":"["`, `"matcher":"*x"`)},
	{"handlers-of-every-type", eachHandler(func(h map[string]any) bool {
		return h["type"] != "command"
	})},
	{"fields-are-typed", eachHandler(func(h map[string]any) bool {
		a, there := h["async"]
		_, is := a.(bool)
		return there && !is
	})},
	{"async-runs", eachHandler(func(h map[string]any) bool { return h["async"] == true })},
	{"empty-command", eachHandler(func(h map[string]any) bool { c, _ := h["command"].(string); return strings.TrimSpace(c) == "" })},
	{"unknown-top-level-key", rawHas(`"permissions"`)},
	{"unknown-fields", rawHas(`"timeoutSec"`)},
	{"variables-are-the-shells", rawHas("${CLAUDE_")},
	{"more-events", rawHas(`"SubagentStart"`, `"SubagentStop"`)},
}
