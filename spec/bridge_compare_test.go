package spec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// reduced is the log of a world in the notation of the recordings: what hooks
// did, what the conversation became, and how turns ended.
func (w *hookWorld) reduced() (out []string) {
	for e, err := range w.log.Entries() {
		if err != nil {
			return append(out, err.Error())
		}
		d := e.Data
		switch e.Type { //nolint:exhaustive // the rest is how the loop works
		case session.EventUser:
			m, _ := e.Message()
			switch m.Source.(type) {
			case session.User:
				out = append(out, note("user", m.Text()))
			case session.Extension:
				for _, p := range m.Content {
					out = append(out, note("extension", textOfParts([]session.Part{p})))
				}
			case session.Call, session.Model, session.Runtime:
			}
		case session.EventHookInvoked:
			matcher := "null"
			if s, ok := d.Get("matcher").Str(); ok {
				matcher = s
			}
			out = append(out, note("invoked", d.Get("point").String(), matcher, d.Get("dialect").String()))
		case session.EventHookResult:
			out = append(out, answered(d.Get("point").String(), d.Get("decision").String(), d.Get("exitCode"), d.Get("stderrSummary").String()))
		case session.EventResult:
			m, _ := e.Message()
			for _, p := range m.Content {
				if r, is := p.(session.ToolResult); is {
					out = append(out, note("returned", fmt.Sprint(r.Failed), partsText(r.Content), d.Get("error").Get("code").String()))
				}
			}
		case session.EventTurnEnd:
			out = append(out, note("end", string(e.End().Kind)))
		}
	}
	return out
}

// settled puts what is a matter of chance, or of our points, in one order: all
// hooks of an event begin at once, before the first of them has ended, and what
// they say arrives in any order.
func settled(log []string) string {
	for i := range log {
		for _, event := range []string{"Stop", "UserPromptSubmit"} { // they have nothing to match
			if strings.HasPrefix(log[i], note("invoked", event)) {
				log[i] = note("invoked", event)
			}
		}
	}
	kind := func(s string) string { k, _, _ := strings.Cut(s, " · "); return k }
	hook := func(s string) bool { return kind(s) == "invoked" || kind(s) == "answered" }
	for i := 0; i < len(log); {
		j := i + 1
		for j < len(log) && (hook(log[i]) && hook(log[j]) || kind(log[i]) == "extension" && kind(log[j]) == "extension") {
			j++
		}
		part := log[i:j]
		slices.SortStableFunc(part, func(a, b string) int {
			if kind(a) == "extension" {
				return strings.Compare(a, b)
			}
			return -strings.Compare(kind(a), kind(b))
		})
		i = j
	}
	return own.Replace(promptTags.ReplaceAllString(strings.Join(log, "\n"), ""))
}

// promptTags is what Codex puts around the reason to go on.
var promptTags = regexp.MustCompile(`</?hook_prompt[^>]*>`)

func note(parts ...string) string { return strings.Join(parts, " · ") }

// answered is the record of a hook's result. What a shell itself says depends on
// the shell.
func answered(event, decision string, exit value.Value, stderr string) string {
	status := "none"
	if !exit.IsAbsent() && exit.Kind() != value.Null {
		status = exit.String()
	}
	if status == "127" || stderr == "null" {
		stderr = ""
	}
	return note("answered", event, decision, status, stderr)
}

func partsText(parts []session.Part) string {
	var texts []string
	for _, p := range parts {
		switch p := p.(type) {
		case session.Text:
			texts = append(texts, p.Text)
		case session.Reasoning:
			texts = append(texts, p.Text)
		case session.Image, session.ToolCall, session.ToolResult:
		}
	}
	return strings.Join(texts, "|")
}

// wantedLog is the recorded log in the same notation.
func (c bridgeCase) wantedLog() (out []string) {
	text := func(x any) string {
		if x == nil {
			return "null"
		}
		return value.MustFrom(x).String()
	}
	for _, e := range c.Then.Log {
		switch e[0] {
		case "user/message":
			switch text(e[1]) {
			case "user":
				out = append(out, note("user", strings.ReplaceAll(text(e[2]), "|", "")))
			case "plugin:policy", "plugin:hooks-" + c.Dialect:
				for part := range strings.SplitSeq(text(e[2]), "|") {
					out = append(out, note("extension", part))
				}
			}
		case "hook/invoked":
			out = append(out, note("invoked", text(e[1]), text(e[2]), text(e[3])))
		case "hook/result":
			exit := value.Value{}
			if e[3] != nil {
				exit = value.MustFrom(e[3])
			}
			out = append(out, answered(text(e[1]), text(e[2]), exit, text(e[4])))
		case "tool/result":
			code := text(e[3])
			out = append(out, note("returned", text(e[1]), text(e[2]), code))
		case "turn/end":
			out = append(out, note("end", text(e[1])))
		}
	}
	return out
}

// own are reasons that neither side takes from a hook.
var own = strings.NewReplacer(
	"blocked by PreToolUse hook", "NO REASON", "blocked by PostToolUse hook", "NO REASON", "The hook gave no reason.", "NO REASON", "a hook denied the call", "NO REASON",
	"continue: blocked by Stop hook", "NO REASON", " · null", " · ", "rejected by user; q", "", `tool "echo": `, `tool "echo"`,
)

func (c bridgeCase) compare(w *hookWorld, log []string, d *differences) {
	d.compare("ran", c.Then.Ran, len(w.ran))
	d.compare("requests", c.Then.Requests, len(w.mainRequests()))
	d.compare("log", settled(c.wantedLog()), settled(log))
	for _, name := range c.Capture {
		if payloads[name] {
			continue // its bytes are the client's business
		}
		want, got := c.Then.Captures[name], "missing"
		if data, err := os.ReadFile(filepath.Join(w.hooks, name)); err == nil {
			got = string(data)
		}
		if want == nil {
			d.compare(name, "missing", got)
			continue
		}
		d.compare(name, w.scratch(*want), got)
	}
}

// payloads are the captures that hold what a hook was given to read.
var payloads = map[string]bool{"p": true}
