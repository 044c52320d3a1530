package spec_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
)

// inputOf reads the input of a case; what does not fit is left out.
func inputOf[T any](input json.RawMessage) (v T) {
	_ = json.Unmarshal(input, &v)
	return v
}

// onInput is a rule's predicate over the decoded input.
func onInput[T any](f func(T) bool) func(json.RawMessage) bool {
	return func(input json.RawMessage) bool { return f(inputOf[T](input)) }
}

var (
	originalList = regexp.MustCompile(`^[A-Za-z0-9_|]+$`)
	claudeList   = regexp.MustCompile(`^[A-Za-z0-9_\- ,|]+$`)
	codexList    = originalList
	// rustSyntax is what Rust and JavaScript read differently.
	rustSyntax = regexp.MustCompile(`[+*?]\+|\(\?[a-z]+\)|\(\?<?[=!]|\\[zQ]|\{$|\[\[:`)
	// longRepeat is a count beyond what Go's expressions can have.
	longRepeat = regexp.MustCompile(`\{\d{4,}`)
)

// matcherRules lists what the clients' matchers do otherwise. A list differs where
// its names give another answer than what the original made of it.
var matcherRules = []clientRule{
	{"list-of-names", onInput(func(in matcherInput) bool {
		if in.Matcher == nil || in.Mode != "claude-code" || !claudeList.MatchString(*in.Matcher) {
			return false
		}
		names := strings.FieldsFunc(*in.Matcher, func(r rune) bool { return r == '|' || r == ',' })
		listed := slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(name) == in.Query })
		if originalList.MatchString(*in.Matcher) {
			return listed != slices.Contains(strings.Split(*in.Matcher, "|"), in.Query)
		}
		return listed != regexp.MustCompile(*in.Matcher).MatchString(in.Query)
	})},
	{"list-of-names", onInput(func(in matcherInput) bool {
		return in.Matcher != nil && in.Mode == "codex" && codexList.MatchString(*in.Matcher) &&
			slices.Contains(strings.Split(*in.Matcher, "|"), in.Query) != regexp.MustCompile(*in.Matcher).MatchString(in.Query)
	})},
	{"rust-patterns", onInput(func(in matcherInput) bool {
		return in.Matcher != nil && in.Mode == "codex" && rustSyntax.MatchString(*in.Matcher)
	})},
	{"long-repeats", onInput(func(in matcherInput) bool {
		return in.Matcher != nil && in.Mode == "codex" && longRepeat.MatchString(*in.Matcher)
	})},
}

// object returns the object that a hook printed, nil if there is none.
func (in codecInput) object() map[string]any {
	text := hookproto.Trim(in.Stdout)
	var v map[string]any
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &v) == nil {
		return v
	}
	return nil
}

// outputTypes are the types of an output's fields, as a value of each.
var outputTypes = map[string]any{
	"continue": true, "suppressOutput": true, "stopReason": "", "reason": "", "systemMessage": "", "decision": "", "hookSpecificOutput": map[string]any{},
	"permissionDecision": "", "permissionDecisionReason": "", "additionalContext": "", "updatedInput": map[string]any{}, "hookEventName": "",
}

// wordsOf are the values of fields that have few.
var wordsOf = map[string]string{"decision": " approve block ", "permissionDecision": " allow deny ask defer "}

func illTyped(object map[string]any) bool {
	for name, v := range object {
		want, known := outputTypes[name]
		if !known {
			continue
		}
		switch want.(type) {
		case bool:
			if _, is := v.(bool); !is {
				return true
			}
		case string:
			text, is := v.(string)
			if !is || wordsOf[name] != "" && !strings.Contains(wordsOf[name], " "+text+" ") {
				return true
			}
		case map[string]any:
			inner, is := v.(map[string]any)
			if !is || name == "hookSpecificOutput" && illTyped(inner) {
				return true
			}
		}
	}
	return false
}

// inner is the part of an output that is about an event; nil if there is none.
func (in codecInput) inner() map[string]any {
	inner, _ := in.object()["hookSpecificOutput"].(map[string]any)
	return inner
}

// acts reports whether a field beside what is about an event has an effect.
func (in codecInput) acts() bool {
	o := in.object()
	text, _ := o["systemMessage"].(string)
	return o["decision"] == "block" || o["decision"] == "approve" || o["continue"] == false || text != ""
}

// innerActs is the same of what is about an event.
func (in codecInput) innerActs() bool {
	word, _ := in.inner()["permissionDecision"].(string)
	text, _ := in.inner()["additionalContext"].(string)
	_, rewrites := in.inner()["updatedInput"].(map[string]any)
	return word == "allow" || word == "ask" || word == "deny" || text != "" || rewrites
}

// codecRules lists what Claude Code reads otherwise in an output. Where a part is
// at fault, another must have an effect: the original kept that one.
var codecRules = []clientRule{
	{"schema", onInput(func(in codecInput) bool {
		named := in.ExpectedEventName == "" || in.inner()["hookEventName"] == in.ExpectedEventName
		return in.ExitCode != nil && *in.ExitCode == 0 && illTyped(in.object()) && (in.acts() || named && in.innerActs())
	})},
	{"event-must-match", onInput(func(in codecInput) bool {
		return in.inner() != nil && in.inner()["hookEventName"] != in.event() && (in.acts() || in.ExpectedEventName == "" && in.innerActs())
	})},
	{"json-at-any-status", onInput(func(in codecInput) bool {
		return in.ExitCode != nil && *in.ExitCode != 0 && (in.acts() || in.innerActs())
	})},
	{"stronger-of-two", onInput(func(in codecInput) bool {
		inner := in.inner()
		return in.object()["decision"] == "block" && inner["permissionDecision"] != "deny" &&
			(inner["permissionDecision"] != nil || inner["permissionDecisionReason"] != nil)
	})},
	{"defer", onInput(func(in codecInput) bool { return in.inner()["permissionDecision"] == "defer" })},
}

// mergeRules lists what Claude Code takes together otherwise: the original joined
// the reasons of what decides.
var mergeRules = []clientRule{
	{"one-tells-why", onInput(func(in mergeInput) bool {
		count := map[hookproto.Decision]int{}
		for _, o := range in.Outputs {
			if v := originalDecisions[o.Decision]; o.Reason != "" {
				count[v]++
			}
		}
		denied := slices.ContainsFunc(in.Outputs, func(o decoded) bool { return originalDecisions[o.Decision] == hookproto.Deny })
		return count[hookproto.Deny] > 1 || !denied && count[hookproto.Ask] > 1
	})},
}

// runnerRules lists what the clients do otherwise with a result.
var runnerRules = []clientRule{
	{"no-exit-in-time", onInput(func(in runnerInput) bool {
		// A hook that has a status and was ended all the same.
		p := in.ProcessResult
		return (p.TimedOut || p.Aborted) && len(p.ExitCode) > 0 && string(p.ExitCode) != "null" && p.Stdout+p.Stderr != ""
	})},
}
