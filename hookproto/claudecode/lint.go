package claudecode

import (
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
)

// tools are the names that the client's own tools have in payloads.
var tools = []string{
	"Agent", "AskUserQuestion", "Bash", "BashOutput", "Edit", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "Glob", "Grep", "KillShell",
	"ListMcpResourcesTool", "LSP", "MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "Read", "ReadMcpResourceTool", "Skill", "SlashCommand",
	"Task", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write",
}

// lintMatcher tells of a matcher that cannot be honoured, or hardly means what
// it says.
func (r *reader) lintMatcher(e Event, matcher string, at spot) {
	if err := CheckMatcher(matcher); err != nil {
		r.tell(hookproto.LikelyMistaken, "regex", at, "event %s: %s", e.Name, err)
		r.tell(hookproto.LikelyMistaken, "matcher-never-matches", at, "the hooks never run")
		return
	}
	if e.Subject != "tool_name" || matcher == "" || matcher == "*" {
		return
	}
	if !isList(matcher) {
		r.lintExpression(matcher, at)
		return
	}
	for _, item := range listed(matcher) {
		r.lintName(item, at)
	}
	if len(listed(matcher)) == 0 {
		r.tell(hookproto.LikelyMistaken, "matcher-never-matches", at, "an empty list of names matches nothing")
	}
}

func (r *reader) lintName(item string, at spot) {
	i := slices.IndexFunc(tools, func(tool string) bool { return strings.EqualFold(tool, item) })
	switch {
	case i >= 0 && tools[i] != item:
		r.tell(hookproto.LikelyMistaken, "matcher-case", at, "%q matches nothing, names are case-sensitive; did you mean %s?", item, tools[i])
	case strings.Contains(item, " "):
		r.tell(hookproto.LikelyMistaken, "matcher-never-matches", at, "%q is taken for one name, and no tool has a blank in its name", item)
	case strings.HasPrefix(item, "mcp__") && strings.Count(item, "__") == 1:
		r.tell(hookproto.LikelyMistaken, "matcher-never-matches", at, "%q is the name of a server and matches none of its tools; write %s__.*", item, item)
	}
}

// lintExpression tells of expressions that look like something else.
func (r *reader) lintExpression(matcher string, at spot) {
	pattern, err := compile(matcher)
	if err != nil { // told already
		return
	}
	for _, tool := range tools {
		fits, err := fitsAny(pattern, matcher, append([]string{tool}, aliases[tool]...))
		if err != nil {
			r.tell(hookproto.LikelyMistaken, "regex", at, "%s", err)
		}
		if fits || err != nil {
			return
		}
	}
	name, rest, called := strings.Cut(matcher, "(")
	switch {
	case called && strings.HasSuffix(rest, ")") && slices.Contains(tools, name):
		r.tell(hookproto.LikelyMistaken, "matcher-never-matches", at, "this is a permission rule, and as a matcher it fits no tool; write it as \"if\", with the matcher %s", name)
	case strings.Contains(matcher, " "):
		r.tell(hookproto.LikelyMistaken, "matcher-never-matches", at, "a matcher is a list of names or a regular expression for one; this fits no tool")
	}
}

// foreign lists events of other agents, with what they are here.
var foreign = map[string]string{
	"BeforeTool": "PreToolUse; BeforeTool is an event of gemini", "AfterTool": "PostToolUse; AfterTool is an event of gemini",
	"BeforeAgent": "UserPromptSubmit; BeforeAgent is an event of gemini", "AfterAgent": "Stop; AfterAgent is an event of gemini",
	"PreToolCall": "PreToolUse", "PostToolCall": "PostToolUse", "beforeShellExecution": "PreToolUse", "afterFileEdit": "PostToolUse",
	"Interrupt": "Stop; Interrupt is an event of codex",
}

// suggest names the event that a name most likely means.
func suggest(wrong string) string {
	if right := foreign[wrong]; right != "" {
		return "; did you mean " + right + "?"
	}
	var names []string
	for _, e := range events() {
		names = append(names, e.Name)
	}
	return near(wrong, names)
}

// near names the known name that differs by case, separators or one letter.
func near(wrong string, known []string) string {
	fold := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
	}
	w := fold(wrong)
	for _, k := range known {
		f := fold(k)
		if f == w || len(w) > 4 && (strings.HasPrefix(w, f) || strings.HasPrefix(f, w)) {
			return "; did you mean " + k + "?"
		}
	}
	return ""
}
