package spec_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf16"

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
	claudeList = regexp.MustCompile(`^[A-Za-z0-9_\- ,|]+$`)
	codexList  = regexp.MustCompile(`^[A-Za-z0-9_|]+$`)
)

// matcherRules lists what the clients' matchers do otherwise.
var matcherRules = []clientRule{
	{"list-of-names", onInput(func(in matcherInput) bool {
		return in.Mode == "claude-code" && claudeList.MatchString(*in.Matcher)
	})},
	{"list-of-names", onInput(func(in matcherInput) bool { return in.Mode == "codex" && codexList.MatchString(*in.Matcher) })},
	{"rust-patterns", onInput(func(in matcherInput) bool { return in.Mode == "codex" })},
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

// codecRules lists what Claude Code reads otherwise in an output.
var codecRules = []clientRule{
	{"no-exit-status", onInput(func(in codecInput) bool { return in.ExitCode == nil })},
	{"schema", onInput(func(in codecInput) bool { return in.object() != nil && illTyped(in.object()) })},
	{"event-must-match", onInput(func(in codecInput) bool {
		inner, there := in.object()["hookSpecificOutput"].(map[string]any)
		return there && (inner["hookEventName"] != in.event() || in.ExpectedEventName == "")
	})},
	{"json-at-any-status", onInput(func(in codecInput) bool { return *in.ExitCode != 0 && in.object() != nil })},
	{"stronger-of-two", onInput(func(in codecInput) bool {
		inner, _ := in.object()["hookSpecificOutput"].(map[string]any)
		return in.object()["decision"] != nil && inner != nil
	})},
	{"defer", onInput(func(in codecInput) bool {
		inner, _ := in.object()["hookSpecificOutput"].(map[string]any)
		return inner["permissionDecision"] == "defer"
	})},
	{"effects-by-event", onInput(func(in codecInput) bool { return in.object() != nil && in.event() != "PreToolUse" })},
	{"input-as-written", onInput(func(in codecInput) bool { return strings.Contains(in.Stdout, "updatedInput") })},
}

// mergeRules lists what Claude Code takes together otherwise.
var mergeRules = []clientRule{
	{"one-tells-why", onInput(func(in mergeInput) bool {
		count := map[hookproto.Verdict]int{}
		for _, o := range in.Outputs {
			count[originalVerdicts[o.Decision]]++
		}
		return count[hookproto.Deny] > 1 || count[hookproto.Deny] == 0 && count[hookproto.Ask] > 1
	})},
}

// runnerRules lists what the clients do otherwise with a result.
var runnerRules = []clientRule{
	{"no-exit-in-time", onInput(func(in runnerInput) bool { return in.ProcessResult.TimedOut || in.ProcessResult.Aborted })},
	{"event-must-match", onInput(func(in runnerInput) bool { return in.Options.ExpectedEventName != "" })},
}

// summaryRules lists what is counted otherwise: characters, not UTF-16 units.
var summaryRules = []clientRule{
	{"characters", onInput(func(in struct{ Stderr string }) bool {
		return len(utf16.Encode([]rune(in.Stderr))) > len([]rune(in.Stderr))
	})},
}
