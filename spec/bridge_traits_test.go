package spec_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
)

// A bridgeHook is one handler of a scenario.
type bridgeHook struct {
	event, matcher, kind, command string
	timeout                       *float64
	async                         bool
}

func (c bridgeCase) hooks() (out []bridgeHook) {
	var events map[string][]struct {
		Matcher string
		Hooks   []struct {
			Type, Command string
			Timeout       *float64
			Async         bool
		}
	}
	_ = json.Unmarshal(c.Hooks, &events)
	for event, groups := range events {
		for _, g := range groups {
			for _, h := range g.Hooks {
				out = append(out, bridgeHook{event, g.Matcher, h.Type, h.Command, h.Timeout, h.Async})
			}
		}
	}
	return out
}

// printsText reports whether the hook prints a text that is no JSON object, and
// does not fail.
func (h bridgeHook) printsText() bool {
	text, prints := strings.CutPrefix(h.command, "echo ")
	text, _, _ = strings.Cut(text, ";")
	return prints && !strings.Contains(h.command, ">>") && !json.Valid([]byte(strings.Trim(text, "'"))) && !strings.Contains(h.command, "exit ") || strings.HasPrefix(h.command, "echo '[")
}

func (h bridgeHook) blocks() bool {
	return strings.Contains(h.command, "exit 2") || strings.Contains(h.command, `"decision":"block"`)
}

// undecided reports whether the hook blocks, and does not say why.
func (h bridgeHook) undecided() bool {
	events := []string{"PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"}
	return slices.Contains(events, h.event) && h.matcher == "" && h.says("exit 2") && !h.says(">&2")
}

// A bridgeTrait is one thing that a real client does otherwise.
type bridgeTrait struct {
	name string
	// parts lists what of the outcome it changes. All else is as recorded.
	parts string
	holds func(c bridgeCase, h bridgeHook) bool
}

// bridgeTraits say what of a scenario the real client of a dialect does
// otherwise; those of "" are common.
var bridgeTraits = map[string][]bridgeTrait{
	"": {
		{"environment", "e a", func(c bridgeCase, _ bridgeHook) bool { return slices.Contains(c.Capture, "e") }},
		{"calls-that-ran", "log", func(c bridgeCase, h bridgeHook) bool {
			return h.event == "PostToolUse" && (c.fails() || c.has("PreToolUse", bridgeHook.blocks))
		}},
		{"unknown-tool", "log a", func(c bridgeCase, h bridgeHook) bool {
			return h.event == "PreToolUse" && c.Tools != nil && len(*c.Tools) == 0
		}},
		{"context-before-a-call", "log", func(_ bridgeCase, h bridgeHook) bool {
			return h.event == "PreToolUse" && h.says("additionalContext")
		}},
		{"no-exit-in-time", "ran log", func(_ bridgeCase, h bridgeHook) bool { return strings.HasPrefix(h.command, "trap ") }},
		{"timeout-is-positive", "log", func(_ bridgeCase, h bridgeHook) bool { return h.timeout != nil && *h.timeout == 0 }},
		{"effects-by-event", "log", func(_ bridgeCase, h bridgeHook) bool {
			return (h.event == "UserPromptSubmit" || h.event == "PostToolUse") && h.says("permissionDecision")
		}},
		{"halt-before-block", "requests log", func(_ bridgeCase, h bridgeHook) bool { return h.event == "Stop" && h.says(`"continue":false`) }},
		{"bad-pattern-is-no-error", "requests log", func(_ bridgeCase, h bridgeHook) bool { return h.event == "PreToolUse" && h.matcher == "(" }},
		{"async-runs", "log bg", func(_ bridgeCase, h bridgeHook) bool { return h.async }},
		{"prompts-are-the-humans", "requests log prompts", func(c bridgeCase, h bridgeHook) bool {
			return h.event == "UserPromptSubmit" && (c.has("PostToolUse", nil) || c.has("Stop", nil) || c.has("SessionStart", nil))
		}},
	},
	"claude-code": {
		{"block-keeps-the-result", "log", func(_ bridgeCase, h bridgeHook) bool { return h.event == "PostToolUse" && h.blocks() }},
		{"text-is-context", "log", func(_ bridgeCase, h bridgeHook) bool {
			return (h.event == "UserPromptSubmit" || h.event == "SessionStart") && h.printsText()
		}},
		{"output-to-4-MiB", "log", func(_ bridgeCase, h bridgeHook) bool { return h.says("head -c 70000") }},
		{"shell", "log", func(_ bridgeCase, h bridgeHook) bool { return h.says("{1..") }},
	},
	"codex": {
		{"block-needs-a-reason", "requests log", func(_ bridgeCase, h bridgeHook) bool { return h.undecided() }},
		{"list-of-names", "ran log", func(c bridgeCase, h bridgeHook) bool {
			return c.Tools != nil && len(*c.Tools) > 0 && (*c.Tools)[0].Name != h.matcher && h.matcher != ""
		}},
		{"answers-of-the-client", "log", func(_ bridgeCase, h bridgeHook) bool {
			answers := h.says(`"ask"`) || h.says(`"allow"`) && !h.says("updatedInput") || h.says(`"continue":false`)
			return h.event == "PreToolUse" && answers
		}},
		{"list-is-no-answer", "log", func(_ bridgeCase, h bridgeHook) bool { return strings.HasPrefix(h.command, "echo '[") }},
		{"timeout-is-whole", "ran log", func(_ bridgeCase, h bridgeHook) bool { return h.timeout != nil && *h.timeout != math.Trunc(*h.timeout) }},
	},
}

func (h bridgeHook) says(text string) bool { return strings.Contains(h.command, text) }

func (c bridgeCase) has(event string, what func(bridgeHook) bool) bool {
	return slices.ContainsFunc(c.hooks(), func(h bridgeHook) bool { return h.event == event && (what == nil || what(h)) })
}

// fails reports whether the tool of the scenario is not there, or fails.
func (c bridgeCase) fails() bool {
	return c.Tools != nil && (len(*c.Tools) == 0 || (*c.Tools)[0].Throws != "")
}

// overruled are the traits of the scenario's hooks.
func (c bridgeCase) overruled() (all []bridgeTrait) {
	for _, h := range c.hooks() {
		for _, t := range slices.Concat(bridgeTraits[""], bridgeTraits[c.Dialect]) {
			if t.holds(c, h) {
				all = append(all, t)
			}
		}
	}
	return all
}

// traits are what a deviation can name.
func (c bridgeCase) traits() map[string]string {
	out := map[string]string{"dialect": c.Dialect}
	for _, t := range c.overruled() {
		out["client"] = t.name
	}
	return out
}

// explained reports whether what differs is among the parts that traits change.
func (c bridgeCase) explained(d differences) bool {
	changed := ""
	for _, t := range c.overruled() {
		changed += " " + t.parts
	}
	return !slices.ContainsFunc(d, func(text string) bool {
		part, _, _ := strings.Cut(text, ":")
		return !slices.Contains(strings.Fields(changed), part)
	})
}
