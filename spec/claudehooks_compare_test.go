package spec_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto/document"
	"github.com/dsh-lua/dsh/runtime/session"
)

// claudeFired are the events that our loop fires.
var claudeFired = []string{
	"PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit", "SessionStart", "SessionEnd",
	"Stop", "StopFailure", "SubagentStart", "SubagentStop",
}

// claudeFires reports whether our loop fires an event. What a hook is called for
// that does not read is not recorded.
func claudeFires(event string) bool { return event == "" || slices.Contains(claudeFired, event) }

// claudeFlags are the flags that a case may have: the others choose a mode or a
// front end that we do not have.
var claudeFlags = []string{"--mcp-config", "--model", "--settings", "--setting-sources", "--session-id", "--plugin-dir"}

// inapplicable says why a case cannot be asked; "" if it can.
func (c claudeCase) inapplicable() string {
	switch {
	case c.Prompt == nil || strings.HasPrefix(*c.Prompt, "/"):
		return "prompts are typed at a front end, or are slash commands"
	case c.Trusted != nil:
		return "trust in a folder"
	case c.Observed.Exit >= 128 || strings.HasPrefix(c.Observed.Result.Terminal, "aborted"):
		return "the client itself is ended"
	case c.Observed.Screens != "":
		return "prompts and answers are typed at a front end"
	case strings.Contains(textOr(c.Config), "$RIG/") || c.speaksOf(".claude/settings"):
		return "a program of the recording's machine, or settings that change meanwhile"
	case slices.ContainsFunc(c.otherHandlers(), func(kind string) bool { return kind != "http" }):
		return "handlers of the types prompt and agent"
	case c.Env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"] == "0":
		return "a turn without an end"
	}
	if event := c.foreignEvent(); event != "" {
		return "the event " + event
	}
	for _, turns := range c.allTurns() {
		for _, t := range turns {
			if len(t.Usage) > 0 || t.Stop == "max_tokens" {
				return "compaction when the window is full, answers that are cut off"
			}
			for _, b := range t.Blocks {
				if _, known := claudeBodies[b.Name]; b.Type == "tool_use" && !known && b.Name != "NoSuchTool" {
					return "the client's tool " + b.Name
				}
			}
		}
	}
	for i, arg := range c.Args {
		mode := i > 0 && c.Args[i-1] == "--permission-mode" && (arg == "default" || arg == "bypassPermissions")
		if strings.HasPrefix(arg, "--") && arg != "--permission-mode" && !slices.Contains(claudeFlags, arg) || i > 0 && c.Args[i-1] == "--permission-mode" && !mode {
			return "the flag " + arg
		}
	}
	for _, call := range c.Observed.HookCalls {
		if call.Event == "SessionStart" && call.Subject != "startup" {
			return "several runs of the client"
		}
	}
	return ""
}

// foreignEvent names an event that our loop does not fire and whose hooks do
// something, or which is all that the case is about.
func (c claudeCase) foreignEvent() string {
	ours := slices.ContainsFunc(c.Observed.HookCalls, func(call claudeHookCall) bool { return claudeFires(call.Event) })
	for _, call := range c.Observed.HookCalls {
		if !claudeFires(call.Event) && (!ours || len(c.HookReplies[call.ID]) > 2) {
			return call.Event
		}
	}
	return ""
}

// speaksOf reports whether a command or a file of the case holds text.
func (c claudeCase) speaksOf(text string) bool {
	for _, turns := range c.allTurns() {
		for _, t := range turns {
			for _, b := range t.Blocks {
				if strings.Contains(string(b.Input), text) {
					return true
				}
			}
		}
	}
	for _, content := range c.ProjectFiles {
		if strings.Contains(string(content), text) {
			return true
		}
	}
	return false
}

func (c claudeCase) allTurns() [][]claudeTurn {
	all := [][]claudeTurn{c.ModelTurns}
	for _, s := range c.SubagentTurns {
		all = append(all, s.Turns)
	}
	return all
}

// otherHandlers lists the types of handlers in the settings.
func (c claudeCase) otherHandlers() (kinds []string) {
	root, err := document.ParseJSON([]byte(textOr(c.Config)))
	if err != nil || root.Get("hooks") == nil {
		return nil
	}
	root.Get("hooks").Any(func(n *document.Node) bool {
		if kind := n.Get("type"); n.Kind == document.Object && kind != nil && kind.Kind == document.String && slices.Contains([]string{"http", "prompt", "agent"}, kind.Text) {
			kinds = append(kinds, kind.Text)
		}
		return false
	})
	return kinds
}

// traits are what a deviation can name.
func (c claudeCase) traits() map[string]string {
	out := map[string]string{}
	replies, _ := json.Marshal(c.HookReplies)
	for word, trait := range claudeTraits {
		if strings.Contains(string(replies), word) {
			out[trait] = "yes"
		}
	}
	if strings.Contains(textOr(c.Config), `"PermissionRequest"`) {
		out["permission"] = "hook"
	}
	if len(c.HTTPReplies) > 0 && c.Observed.Decision != "run" {
		out["http"] = "decides"
	}
	if out["behavior"] != "" && strings.Contains(string(replies), `"updatedInput"`) {
		out["behavior"] = "input"
	}
	if c.editsNothing() {
		out["edit"] = "no file"
	}
	return out
}

// editsNothing reports whether a call edits a file that is not there, which the
// client finds out before it asks hooks.
func (c claudeCase) editsNothing() bool {
	for _, t := range c.ModelTurns {
		for _, b := range t.Blocks {
			var in struct {
				Path string `json:"file_path"`
			}
			if b.Name != "Edit" || json.Unmarshal(b.Input, &in) != nil {
				continue
			}
			if _, there := c.ProjectFiles[path.Base(in.Path)]; !there && !c.writes(in.Path) {
				return true
			}
		}
	}
	return false
}

func (c claudeCase) writes(file string) bool {
	for _, t := range c.ModelTurns {
		for _, b := range t.Blocks {
			if b.Name == "Write" && strings.Contains(string(b.Input), path.Base(file)) {
				return true
			}
		}
	}
	return false
}

// claudeTraits are words of replies that make a trait.
var claudeTraits = map[string]string{
	`"defer"`: "defer", `"ask"`: "ask", `"updatedPermissions"`: "permissions", `"initialUserMessage"`: "initial", `"behavior"`: "behavior",
}

// beforeEnd counts the hook calls but for those of the session's end.
func (c claudeCase) beforeEnd() int {
	return len(slices.DeleteFunc(c.wantedCalls(), func(s string) bool { return strings.HasPrefix(s, "SessionEnd") }))
}

// compare holds what happened against what was recorded.
func (c claudeCase) compare(w *hookWorld, d *differences) error {
	calls, err := w.calls()
	if err != nil {
		return err
	}
	d.compare("hook calls", c.wantedCalls(), c.gotCalls(calls))
	main := w.mainRequests()
	if len(c.SubagentTurns) == 0 {
		d.compare("requests", c.Observed.Requests.Main, len(main))
	}
	d.compare("results failed", c.wantedResults(), gotResults(main))
	left, err := w.left()
	if err != nil {
		return err
	}
	d.compare("files", nonNil(slices.DeleteFunc(slices.Clone(c.Observed.Files), c.given)), nonNil(slices.DeleteFunc(left, c.given)))
	want, got := c.wantedTexts(), c.gotTexts(main)
	for text := range want {
		if c.elided(want[text], got[text]) {
			delete(want, text)
			delete(got, text)
		}
	}
	if c.races() {
		d.compare("texts of a race", places(want), places(got))
	} else {
		d.compare("texts", want, got)
	}
	return nil
}

// elided reports whether a text may stand in what the recording left out.
func (c claudeCase) elided(want, got []string) bool {
	if len(want) > 0 {
		return false
	}
	for _, i := range c.Observed.Injected {
		if strings.Contains(i.Text, "…<elided") && slices.Contains(got, fmt.Sprintf("context %d", i.Request)) {
			return true
		}
	}
	for _, r := range c.Observed.Results {
		if strings.Contains(r.Text, "…<") && slices.Contains(got, "result") {
			return true
		}
	}
	return false
}

// races reports whether hooks of one event answer at once, so that either can be
// the first.
func (c claudeCase) races() bool {
	replies, _ := json.Marshal(c.HookReplies)
	return len(c.HookReplies) > 1 && !strings.Contains(string(replies), "delay_ms") && len(c.Event) == 1
}

// places counts where texts are, whatever they say.
func places(texts map[string][]string) map[string]int {
	out := map[string]int{}
	for _, list := range texts {
		for _, place := range list {
			out[place]++
		}
	}
	return out
}

func (c claudeCase) given(name string) bool {
	return strings.HasPrefix(name, ".claude/") || strings.Contains(textOr(c.Config), "$PROJECT/"+name)
}

// describe is one hook call in short.
func describe(id, event, subject string, active *bool) string {
	if active != nil {
		subject += fmt.Sprintf(" active=%t", *active)
	}
	return strings.TrimSpace(event + " " + id + " " + subject)
}

func (c claudeCase) wantedCalls() []string {
	out := []string{}
	for _, call := range c.Observed.HookCalls {
		if claudeFires(call.Event) && (len(c.SubagentTurns) == 0 || call.Event != "Stop" && call.Event != "UserPromptSubmit") {
			out = append(out, describe(call.ID, call.Event, call.Subject, call.Active))
		}
	}
	slices.Sort(out)
	return out
}

// subjects are the members of payloads that hooks are matched by.
var claudeSubjects = []string{"tool_name", "source", "reason", "agent_type"}

func (c claudeCase) gotCalls(calls []hookRun) []string {
	unread := map[string]string{} // what runs that read nothing were, by the recording
	for _, call := range c.Observed.HookCalls {
		unread[call.ID] = describe(call.ID, call.Event, call.Subject, call.Active)
	}
	out := []string{}
	for _, run := range calls {
		if run.Event == "" {
			out = append(out, unread[run.ID])
			continue
		}
		if len(c.SubagentTurns) > 0 && (run.Event == "Stop" || run.Event == "UserPromptSubmit") {
			continue
		}
		subject := ""
		for _, key := range claudeSubjects {
			if v, ok := run.Payload.Get(key).Str(); ok && (key != "agent_type" || strings.HasPrefix(run.Event, "Subagent")) {
				subject = v
				break
			}
		}
		var active *bool
		if v, ok := run.Payload.Get("stop_hook_active").Bool(); ok {
			active = &v
		}
		out = append(out, describe(run.ID, run.Event, subject, active))
	}
	slices.Sort(out)
	return out
}

// mainRequests are those of the main agent.
func (w *hookWorld) mainRequests() (out []hookRequest) {
	id := w.log.Header().ID
	for _, r := range w.requests {
		if r.Session == id {
			out = append(out, r)
		}
	}
	return out
}

func (c claudeCase) wantedResults() []bool {
	out := []bool{}
	for _, r := range c.Observed.Results {
		if r.Channel == "" {
			out = append(out, r.Failed)
		}
	}
	return out
}

func gotResults(requests []hookRequest) []bool {
	out := []bool{}
	for _, r := range requests {
		for _, m := range r.New {
			for _, p := range m.Content {
				if result, is := p.(session.ToolResult); is {
					out = append(out, result.Failed)
				}
			}
		}
	}
	return out
}

// said lists the texts that hooks give, which reach the model or do not.
func (c claudeCase) said() []string {
	found := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for key, x := range v {
				if s, is := x.(string); is && slices.Contains([]string{"additionalContext", "reason", "permissionDecisionReason", "stdout", "stderr", "message", "stopReason", "systemMessage"}, key) {
					found[strings.TrimSpace(s)] = true
					var inner any
					if json.Unmarshal([]byte(s), &inner) == nil {
						walk(inner)
					}
					continue
				}
				walk(x)
			}
		}
	}
	for _, reply := range c.HookReplies {
		var v any
		_ = json.Unmarshal(reply, &v)
		walk(v)
	}
	delete(found, "")
	return slices.Sorted(maps.Keys(found))
}

// holds reports whether words hold a text, which is not part of a longer word.
func holds(words, text string) bool {
	for at := 0; ; {
		i := strings.Index(words[at:], text)
		if i < 0 {
			return false
		}
		at += i
		if !letterAt(words, at-1) && !letterAt(words, at+len(text)) {
			return true
		}
		at++
	}
}

func letterAt(s string, i int) bool {
	return i >= 0 && i < len(s) && strings.ContainsAny(s[i:i+1], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
}

// wantedTexts says of each text of a hook with which requests it reached the
// model, as a context or in a result.
func (c claudeCase) wantedTexts() map[string][]string {
	out := map[string][]string{}
	for _, text := range c.said() {
		for _, i := range c.Observed.Injected {
			if i.Channel == "" && holds(i.Text, text) {
				out[text] = append(out[text], fmt.Sprintf("context %d", i.Request))
			}
		}
		for _, r := range c.Observed.Results {
			if r.Channel == "" && holds(r.Text, text) {
				out[text] = append(out[text], "result")
			}
		}
		out[text] = slices.Compact(out[text])
	}
	return out
}

func (c claudeCase) gotTexts(requests []hookRequest) map[string][]string {
	out := map[string][]string{}
	for _, text := range c.said() {
		for i, r := range requests {
			for _, m := range r.New {
				if _, is := m.Source.(session.Extension); is && holds(m.Text(), text) {
					out[text] = append(out[text], fmt.Sprintf("context %d", i))
				}
			}
		}
		for _, r := range requests {
			for _, m := range r.New {
				for _, p := range m.Content {
					if result, is := p.(session.ToolResult); is && holds(textOfParts(result.Content), text) {
						out[text] = append(out[text], "result")
					}
				}
			}
		}
		out[text] = slices.Compact(out[text])
	}
	return out
}
