package spec_test

import (
	"encoding/json"
	"errors"
	"math"
	"regexp"
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

// hooksIsNoObject: the original then looks for events beside the key.
func hooksIsNoObject(input json.RawMessage) bool {
	var in configInput
	var object, hooks map[string]json.RawMessage
	_ = json.Unmarshal(input, &in)
	return json.Unmarshal(in.Raw, &object) == nil && object["hooks"] != nil &&
		(json.Unmarshal(object["hooks"], &hooks) != nil || hooks == nil)
}

// A configGroup is a group of handlers as it is written.
type configGroup map[string]any

func (g configGroup) handlers() (list []map[string]any) {
	items, _ := g["hooks"].([]any)
	for _, item := range items {
		if h, is := item.(map[string]any); is {
			list = append(list, h)
		}
	}
	return list
}

// runs reports whether one of the handlers is a command that the original runs.
func (g configGroup) runs() bool {
	return slices.ContainsFunc(g.handlers(), func(h map[string]any) bool {
		return isText(h["command"]) && (h["type"] == "command" || !isText(h["type"]))
	})
}

// brokenPattern tells of a matcher that is no regular expression.
func (g configGroup) brokenPattern() bool {
	m, _ := g["matcher"].(string)
	_, err := regexp.Compile(m)
	return err != nil && m != "*"
}

// groups are the groups of a configuration, by event.
func (in configInput) groups() map[string][]configGroup {
	var file struct{ Hooks map[string][]any }
	_ = json.Unmarshal(in.wrapped(), &file)
	out := map[string][]configGroup{}
	for event, items := range file.Hooks {
		for _, item := range items {
			if g, is := item.(map[string]any); is {
				out[event] = append(out[event], g)
			}
		}
	}
	return out
}

// eachGroup reports whether f holds for one of the groups.
func eachGroup(f func(event string, g configGroup) bool) func(json.RawMessage) bool {
	return onInput(func(in configInput) bool {
		for event, groups := range in.groups() {
			if slices.ContainsFunc(groups, func(g configGroup) bool { return f(event, g) }) {
				return true
			}
		}
		return false
	})
}

// eachHandler reports whether f holds for one of the handlers that the original
// runs: commands of the events that it knows.
func eachHandler(f func(map[string]any) bool) func(json.RawMessage) bool {
	return eachGroup(func(event string, g configGroup) bool {
		return slices.Contains(originalEvents, event) && slices.ContainsFunc(g.handlers(), func(h map[string]any) bool {
			return isText(h["command"]) && (h["type"] == "command" || !isText(h["type"])) && f(h)
		})
	})
}

func isText(v any) bool { _, is := v.(string); return is }

// needed lists what handlers need besides their type; types that are not here are
// unknown to the client.
type needed map[string][]string

// refused tells of a file that one handler spoils, with a command beside it that
// the original kept.
func (n needed) refused(input json.RawMessage) bool {
	bad := eachGroup(func(_ string, g configGroup) bool {
		return slices.ContainsFunc(g.handlers(), func(h map[string]any) bool {
			kind, is := h["type"].(string)
			fields, known := n[kind]
			return is && kind != "command" && (!known || slices.ContainsFunc(fields, func(f string) bool { return !isText(h[f]) }))
		})
	})
	return bad(input) && eachHandler(func(map[string]any) bool { return true })(input)
}

// matcherIsNo reports whether a matcher is not of a type that the client takes.
func matcherIsNo(fits func(any) bool) func(json.RawMessage) bool {
	return eachGroup(func(_ string, g configGroup) bool { m, there := g["matcher"]; return there && !fits(m) && g.runs() })
}

// timeoutIsNo reports whether a time-out is no number that fits.
func timeoutIsNo(fits func(float64) bool) func(json.RawMessage) bool {
	return eachHandler(func(h map[string]any) bool {
		t, there := h["timeout"]
		n, is := t.(float64)
		return there && (!is || !fits(n))
	})
}

// brokenPatterns reports whether the original refuses a file for a matcher.
func brokenPatterns(events []string) func(json.RawMessage) bool {
	return eachGroup(func(event string, g configGroup) bool {
		return slices.Contains(events, event) && event != "UserPromptSubmit" && event != "Stop" && g.brokenPattern() && g.runs()
	})
}

// codexOriginalEvents are the events of the original's loader for Codex.
var codexOriginalEvents = originalEvents[:5]

// configRules lists what both clients' loaders do otherwise.
var configRules = []clientRule{
	{"hooks-is-read", hooksIsNoObject},
	{"type-is-needed", eachHandler(func(h map[string]any) bool { return !isText(h["type"]) })},
	{"fields-are-typed", eachHandler(func(h map[string]any) bool {
		a, there := h["async"]
		_, is := a.(bool)
		return there && !is
	})},
}

var claudeConfigRules = []clientRule{
	{"matcher-is-a-text", matcherIsNo(isText)},
	{"timeout-is-a-number", timeoutIsNo(func(n float64) bool { return n > 0 })},
	{"bad-pattern-is-no-error", brokenPatterns(originalEvents)},
	{"handlers-of-every-type", needed{"prompt": {"prompt"}, "agent": {"prompt"}, "http": {"url"}, "mcp_tool": {"server", "tool"}}.refused},
	{"variables-are-the-shells", onInput(func(in configInput) bool {
		return in.Vars.PluginRoot != nil && strings.Contains(*in.Vars.PluginRoot, "${") || in.Vars.ProjectDir != nil && *in.Vars.ProjectDir == ""
	})},
}

var codexConfigRules = []clientRule{
	{"matcher-is-a-text", matcherIsNo(func(m any) bool { return m == nil || isText(m) })},
	{"timeout-is-a-number", timeoutIsNo(func(n float64) bool { return n > 0 && n == math.Trunc(n) })},
	{"bad-pattern-is-no-error", brokenPatterns(codexOriginalEvents)},
	{"handlers-of-every-type", needed{"prompt": nil, "agent": nil, "mcp_tool": {"server", "tool"}}.refused},
	{"async-runs", eachHandler(func(h map[string]any) bool { return h["async"] == true })},
	{"empty-command", eachHandler(func(h map[string]any) bool { return strings.TrimSpace(h["command"].(string)) == "" })},
	{"unknown-top-level-key", onInput(func(in configInput) bool {
		var object map[string]json.RawMessage
		_ = json.Unmarshal(in.Raw, &object)
		return object["hooks"] != nil && object["permissions"] != nil
	})},
	{"unknown-fields", eachHandler(func(h map[string]any) bool { return h["timeoutSec"] != nil && h["timeout"] == nil })},
	{"more-events", eachGroup(func(event string, g configGroup) bool {
		return slices.Contains(originalEvents[5:], event) && g.runs() && !g.brokenPattern()
	})},
}
