package hookconfig

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/hookproto/document"
)

// A sign is something by which a file can be recognised.
type sign struct {
	dialect string
	what    string
	holds   func(path string, root *document.Node) bool
}

// signs are tried in order, the surest first: where a file lies, then what only
// one client knows.
func signs() []sign {
	return []sign{
		{Codex, "it is TOML", byName(func(p string) bool { return strings.EqualFold(filepath.Ext(p), ".toml") })},
		{Codex, "it lies in .codex", byName(inFolder(".codex"))},
		{ClaudeCode, "it lies in .claude", byName(inFolder(".claude"))},
		{ClaudeCode, "it lies in .claude-plugin", byName(inFolder(".claude-plugin"))},
		{ClaudeCode, "it is called settings", byName(func(p string) bool { return strings.HasPrefix(filepath.Base(p), "settings.") })},
		{ClaudeCode, "it has other settings of Claude Code", hasAny("permissions", "env", "disableAllHooks", "enabledPlugins", "statusLine", "apiKeyHelper", "outputStyle")},
		{ClaudeCode, "it has events that only Claude Code has", hasEvent(func(e string) bool { return isClaude(e) && !isCodex(e) })},
		{Codex, "it has events that only Codex has", hasEvent(func(e string) bool { return isCodex(e) && !isClaude(e) })},
		{ClaudeCode, "a hook has fields that only Claude Code knows", hasField("if", "args", "asyncRewake", "shell", "once", "url", "headers")},
		{Codex, "a hook has fields that only Codex knows", hasField("commandWindows", "command_windows", "additionalContextLimit")},
		{Codex, "a matcher names tools of Codex", hasMatcher("apply_patch", "exec_command", "spawn_agent", "update_plan", "view_image")},
		{ClaudeCode, "a matcher names tools of Claude Code", hasMatcher("Read", "Glob", "Grep", "Task", "WebFetch", "WebSearch", "NotebookEdit", "MultiEdit", "TodoWrite")},
		{ClaudeCode, "a command uses variables of Claude Code", hasCommand("CLAUDE_PROJECT_DIR", "CLAUDE_ENV_FILE")},
		{Codex, "a command uses variables of Codex", hasCommand("CODEX_", "${PLUGIN_ROOT}")},
	}
}

// undecided is what files are that nothing tells of.
const undecided = "nothing in it tells; Claude Code is assumed"

// Detect tells whose hooks a file holds, and by what.
func Detect(path string, data []byte) (dialect, why string) {
	root, err := document.ParseJSON(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if err != nil {
		root = nil // its name may tell
	}
	for _, s := range signs() {
		if s.holds(path, root) {
			return s.dialect, s.what
		}
	}
	return ClaudeCode, undecided
}

func isClaude(event string) bool { _, is := claudecode.Lookup(event); return is }

func isCodex(event string) bool { _, is := codex.Lookup(event); return is }

func byName(holds func(path string) bool) func(string, *document.Node) bool {
	return func(path string, _ *document.Node) bool { return holds(path) }
}

func inFolder(name string) func(path string) bool {
	return func(path string) bool {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		return slices.Contains(strings.Split(filepath.ToSlash(filepath.Dir(path)), "/"), name)
	}
}

func hasAny(names ...string) func(string, *document.Node) bool {
	return func(_ string, root *document.Node) bool {
		return slices.ContainsFunc(names, func(n string) bool { return root.Get(n) != nil })
	}
}

func hasEvent(holds func(event string) bool) func(string, *document.Node) bool {
	return func(_ string, root *document.Node) bool {
		hooks := root.Get("hooks")
		return hooks != nil && slices.ContainsFunc(hooks.Members, func(m document.Member) bool { return holds(m.Name) })
	}
}

// anyGroup reports whether holds is true of a group of the file.
func anyGroup(root *document.Node, holds func(*document.Node) bool) bool {
	hooks := root.Get("hooks")
	return hooks != nil && slices.ContainsFunc(hooks.Members, func(m document.Member) bool { return slices.ContainsFunc(m.Value.Items, holds) })
}

// anyHandler reports whether holds is true of a handler of the file.
func anyHandler(root *document.Node, holds func(*document.Node) bool) bool {
	return anyGroup(root, func(g *document.Node) bool {
		hooks := g.Get("hooks")
		return hooks != nil && slices.ContainsFunc(hooks.Items, holds)
	})
}

func hasField(names ...string) func(string, *document.Node) bool {
	return func(_ string, root *document.Node) bool {
		return anyHandler(root, func(h *document.Node) bool {
			return slices.ContainsFunc(names, func(n string) bool { return h.Get(n) != nil })
		})
	}
}

func hasMatcher(tools ...string) func(string, *document.Node) bool {
	return func(_ string, root *document.Node) bool {
		return anyGroup(root, func(g *document.Node) bool {
			m := g.Get("matcher")
			return m != nil && slices.ContainsFunc(names(m.Text), func(n string) bool { return slices.Contains(tools, n) })
		})
	}
}

// names are the words of a matcher.
func names(matcher string) []string {
	return strings.FieldsFunc(matcher, func(r rune) bool { return strings.ContainsRune("|,^$() ", r) })
}

func hasCommand(words ...string) func(string, *document.Node) bool {
	return func(_ string, root *document.Node) bool {
		return anyHandler(root, func(h *document.Node) bool {
			c := h.Get("command")
			return c != nil && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(c.Text, w) })
		})
	}
}
