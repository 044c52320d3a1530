package hookconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/dsh-lua/dsh/clients/codex"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
)

// hints says what to write instead, by the kind of a loader's problem.
func hints() map[string]string {
	return map[string]string{
		"duplicate-key":         "put both values under one key",
		"duplicate-handler":     "remove one of the two, or give them different commands",
		"invalid-timeout":       "a time-out counts in seconds",
		"matcher-case":          "write the name as the client does",
		"matcher-never-matches": "a matcher is a list of names, as in Edit|Write, or one regular expression, as in mcp__notes__.*",
		"regex":                 "test the expression against the names of tools",
		"relative-path":         `begin with "$CLAUDE_PROJECT_DIR"/ where the client sets it, else with an absolute path`,
		"env-not-provided":      "read what the variable should say from standard input: it is JSON",
		"unsupported-type":      `"type": "command" is what every client runs`,
		"unread-file":           "Claude Code reads .claude/settings.json, Codex reads .codex/hooks.json",
		"disabled":              "remove the switch to have the hooks back",
		"untrusted":             "open the hooks in the client and approve them",
		"two-files":             "keep the hooks of one layer in one file",
	}
}

// rules is the table of mistakes that are found in a single handler. Those about
// the form of a file are the loaders'.
func rules() []rule {
	return []rule{
		{id: "shell-syntax", scope: anyEvent, hint: "try it with sh -n -c", find: inLine(syntaxError)},
		{id: "bash-only", scope: anyEvent, only: ClaudeCode, hint: "keep to what every sh has, or start with bash -c", find: inLine(bashOnly)},
		{id: "fail-open-tail", scope: guards, hint: "let a failure deny: || exit 2", find: inLine(failOpen)},
		{id: "exit-status", scope: guards, hint: "exit 2 blocks, with the reason on standard error", find: inLine(otherStatus)},
		{id: "fail-open-errexit", scope: guards, hint: "trap 'exit 2' ERR, or || exit 2 behind what can fail", find: inLine(errexit)},
		{id: "reason-on-stdout", scope: anyEvent, hint: "echo ... >&2 before exit 2", find: inLine(reasonLost)},
		{id: "cannot-block", scope: powless, hint: "block at an event that can: PreToolUse, UserPromptSubmit, Stop", find: inLine(blocksInVain)},
		{id: "stop-loop", scope: stops, hint: "let the turn end if stop_hook_active is true in the payload", find: inLine(stopsForEver)},
		{id: "async-guard", scope: guards, hint: `remove "async"`, find: asyncGuard},
		{id: "background-guard", scope: guards, hint: "remove the & at the end", find: inLine(background)},
		{id: "unquoted-variable", scope: anyEvent, hint: `put it in double quotes: "$NAME"`, find: inLine(unquoted)},
		{id: "single-quoted-variable", scope: anyEvent, hint: "put it in double quotes", find: inLine(singleQuoted)},
		{id: "env-not-provided", scope: anyEvent, hint: hints()["env-not-provided"], find: notProvided},
		{id: "env-of-the-client", scope: anyEvent, level: Note, hint: hints()["env-not-provided"], find: notSet},
		{id: "stream-path", scope: anyEvent, only: ClaudeCode, hint: "cat alone reads standard input, and >&2 writes to standard error", find: inLine(opensStream)},
		{id: "login-shell", scope: anyEvent, hint: "start the shell without -l and -i", find: inLine(loginShell)},
		{id: "program-not-found", scope: anyEvent, hint: "install it, or give its path", find: notFound},
		{id: "not-executable", scope: anyEvent, hint: "chmod +x, or name its interpreter first", find: notExecutable},
		{id: "relative-path", scope: anyEvent, only: Codex, hint: hints()["relative-path"], find: relative},
		{id: "invalid-timeout", scope: anyEvent, only: Codex, hint: hints()["invalid-timeout"], find: milliseconds},
		{id: "matcher-case", scope: anyEvent, only: Codex, hint: hints()["matcher-case"], find: matcherCase},
	}
}

// inLine makes a rule of one about command lines that can be read.
func inLine(find func(subject) []string) func(subject) []string {
	return func(x subject) []string {
		if x.line == nil {
			return nil
		}
		return find(x)
	}
}

// says is a list of one, if it is true.
func says(is bool, format string, args ...any) []string {
	if !is {
		return nil
	}
	return []string{fmt.Sprintf(format, args...)}
}

func syntaxError(x subject) []string {
	return says(x.line.err != nil, "the shell cannot read the command: %v", x.line.err)
}

func bashOnly(x subject) []string {
	return says(x.line.bash != "" && x.handler.Shell != "powershell", "%s is a construction of bash, and the command runs in /bin/sh", x.line.bash)
}

// harmless tells of commands after which a hook is a hook without an opinion.
func harmless(c call) bool {
	return c.name() == "exit" && (len(c.words) == 1 || c.word(1) == "0") || c.name() == "true" || c.name() == ":"
}

func text(c call) string {
	var words []string
	for _, w := range c.words {
		words = append(words, w.text)
	}
	return strings.Join(words, " ")
}

func failOpen(x subject) (all []string) {
	for _, c := range x.line.either {
		if harmless(c) {
			all = append(all, fmt.Sprintf("whatever fails before || %s is waved through: the guard passes what it cannot judge", text(c)))
		}
	}
	return all
}

func exits(l *line, status string) bool {
	return slices.ContainsFunc(l.calls, func(c call) bool { return c.name() == "exit" && c.word(1) == status })
}

// isNumber tells a status from what only a run could tell.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

func otherStatus(x subject) (all []string) {
	for _, c := range x.line.calls {
		if status := c.word(1); c.name() == "exit" && isNumber(status) && status != "0" && status != "2" {
			all = append(all, fmt.Sprintf("exit %s blocks nothing: the client takes it for a failure of the hook and goes on", status))
		}
	}
	return all
}

func errexit(x subject) []string {
	set := slices.ContainsFunc(x.line.calls, func(c call) bool {
		return c.name() == "set" && strings.HasPrefix(c.word(1), "-") && strings.Contains(c.word(1), "e")
	})
	return says(set && !slices.ContainsFunc(x.line.calls, func(c call) bool { return c.name() == "trap" }),
		"with set -e the hook ends with the status of what failed, which blocks nothing unless it is 2")
}

// printers are the commands by which a line says something.
var printers = []string{"echo", "printf", "cat"}

func reasonLost(x subject) (all []string) {
	for i, c := range x.line.calls {
		if i == 0 || c.name() != "exit" || c.word(1) != "2" {
			continue
		}
		before := x.line.calls[i-1]
		if slices.Contains(printers, before.name()) && !before.redirected && !before.piped {
			all = append(all, "exit 2 gives standard error as the reason, and "+before.name()+" writes to standard output: nobody sees it")
		}
	}
	return all
}

// blocking tells of a line that means to block.
func blocking(l *line, command string) bool {
	return exits(l, "2") || strings.Contains(strings.ReplaceAll(command, `\`, ""), `"decision":"block"`) || strings.Contains(command, `"permissionDecision"`)
}

func blocksInVain(x subject) []string {
	return says(blocking(x.line, x.handler.Command), "%s holds nothing up: a hook cannot block it", x.handler.Event)
}

func stopsForEver(x subject) []string {
	return says(blocking(x.line, x.handler.Command) && !strings.Contains(x.handler.Command, "stop_hook_active"),
		"it blocks without a look at stop_hook_active, and so may keep the agent at work for ever")
}

func asyncGuard(x subject) []string {
	return says(x.handler.Async || x.handler.AsyncRewake, "nobody waits for an async hook, so it cannot block")
}

func background(x subject) []string {
	return says(x.line.away, "a command in the background cannot block: its status is lost")
}

func unquoted(x subject) (all []string) {
	for _, name := range unique(x.line.unquoted) {
		all = append(all, fmt.Sprintf("$%s is not quoted: a blank in it makes several words of one", name))
	}
	return all
}

func singleQuoted(x subject) (all []string) {
	for _, text := range x.line.single {
		for _, name := range places {
			if strings.Contains(text, "$"+name) || strings.Contains(text, "${"+name) {
				all = append(all, fmt.Sprintf("$%s stands in single quotes, where the shell does not replace it", name))
			}
		}
	}
	return unique(all)
}

func opensStream(x subject) (all []string) {
	for _, path := range unique(x.line.opened) {
		all = append(all, path+" cannot be opened: the streams of a hook are sockets, which Linux does not open by their paths")
	}
	return all
}

func unique(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// places are the variables that stand for folders.
var places = []string{"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "PLUGIN_ROOT", "PLUGIN_DATA"}

// variable returns what Claude Code sets by the name.
func variable(name string) (v claudecode.Variable, is bool) {
	all := claudecode.Variables()
	i := slices.IndexFunc(all, func(v claudecode.Variable) bool { return v.Name == name })
	if i < 0 {
		return v, false
	}
	return all[i], true
}

// foreseen is how variables begin, and which are called, that somebody expects of
// a client.
var (
	foreseenPrefixes = []string{"CLAUDE_", "CODEX_", "GEMINI_", "CURSOR_", "HOOK_", "TOOL_", "PLUGIN_"}
	foreseenNames    = []string{"FILE_PATH", "FILE_PATHS", "SESSION_ID", "PROMPT"}
)

func foreseen(name string) bool {
	return slices.Contains(foreseenNames, name) ||
		slices.ContainsFunc(foreseenPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

func notProvided(x subject) (all []string) {
	names := x.exec()
	if x.line != nil {
		names = x.line.vars
	}
	for _, name := range unique(names) {
		expected := foreseen(name)
		_, elsewhere := variable(name)
		switch {
		case x.has(name), x.line != nil && x.line.given[name] && !expected && !elsewhere:
		case expected, elsewhere:
			all = append(all, fmt.Sprintf("%s does not set $%s for a hook of %s", client(x.set.Dialect), name, x.handler.Event))
		case x.system.Getenv(name) == "" && x.line != nil && !slices.Contains(shellVariables, name):
			all = append(all, fmt.Sprintf("nobody sets $%s here", name))
		}
	}
	return all
}

// shellVariables are set by every shell.
var shellVariables = []string{"PWD", "OLDPWD", "IFS", "OPTARG", "OPTIND", "PPID", "PATH", "HOME", "RANDOM", "LINENO", "UID", "EUID", "HOSTNAME", "SECONDS", "BASH_SOURCE"}

// has reports whether the client sets a variable for the hook.
func (x subject) has(name string) bool {
	if slices.ContainsFunc(x.handler.Env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") }) {
		return true
	}
	v, is := variable(name)
	return is && x.set.Dialect == ClaudeCode && v.For(x.handler.Event)
}

// notSet tells of variables that the client sets and dsh does not: they speak of
// the client itself.
func notSet(x subject) (all []string) {
	names := x.exec()
	if x.line != nil {
		names = x.line.vars
	}
	for _, name := range unique(names) {
		v, is := variable(name)
		if given := x.line != nil && x.line.given[name]; is && !given && !v.Set() && x.set.Dialect == ClaudeCode {
			all = append(all, fmt.Sprintf("$%s speaks of Claude Code itself; dsh run does not set it", name))
		}
	}
	return all
}

// exec lists the variables in the words of a hook without a shell, which are
// replaced by the client or not at all.
func (x subject) exec() (names []string) {
	for _, w := range x.words {
		for _, rest := range strings.Split(w.text, "${")[1:] {
			if name, _, closed := strings.Cut(rest, "}"); closed && syntax.ValidName(name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func client(dialect string) string {
	if dialect == Codex {
		return "Codex"
	}
	return "Claude Code"
}

// login tells of the flags by which a shell reads a profile.
func login(flag string) bool {
	return flag == "--login" || strings.HasPrefix(flag, "-") && !strings.HasPrefix(flag, "--") && strings.ContainsAny(flag, "li")
}

func loginShell(x subject) (all []string) {
	for _, c := range x.line.calls {
		if slices.Contains([]string{"sh", "bash", "zsh"}, filepath.Base(c.name())) && login(c.word(1)) {
			all = append(all, "a login or interactive shell runs the user's profile, and what that prints spoils the output of the hook")
		}
	}
	return all
}

// interpreters are programs whose first argument is the program that matters.
var interpreters = []string{"node", "bun", "deno", "python", "python3", "bash", "sh", "zsh", "ruby", "perl", "php", "pwsh"}

// builtins are commands that need no program, each between blanks.
const builtins = " . : [ alias bg break builtin caller cd command continue declare dirs echo enable eval exec exit export false fg getopts hash jobs kill let local printf popd pushd pwd read readonly return set shift shopt source test time times trap true type typeset ulimit umask unalias unset wait "

// A program is something that the hook starts.
type program struct {
	name   string
	direct bool // it is executed, and not read by an interpreter
}

// programs lists what the hook starts, as far as it can be known.
func (x subject) programs() (all []program) {
	calls := []call{{words: x.words}}
	own := map[string]bool{}
	if x.line != nil {
		calls, own = x.line.calls, x.line.own
	}
	for _, c := range calls {
		name := x.replace(c.name())
		if name == "" || own[name] || x.line != nil && strings.Contains(builtins, " "+name+" ") {
			continue
		}
		all = append(all, program{name: name, direct: true})
		if script := x.replace(c.word(1)); slices.Contains(interpreters, filepath.Base(name)) && filepath.IsAbs(script) {
			all = append(all, program{name: script})
		}
	}
	return all
}

// replace puts in what the client sets; "" if there is more to know.
func (x subject) replace(text string) string {
	known := []string{"${HOME}", x.system.Home}
	if x.set.Dialect == ClaudeCode && x.set.Root != "" {
		known = append(known, "${CLAUDE_PROJECT_DIR}", x.set.Root)
	}
	for _, pair := range x.handler.Env {
		name, value, _ := strings.Cut(pair, "=")
		known = append(known, "${"+name+"}", value)
	}
	text = strings.NewReplacer(known...).Replace(text)
	if rest, is := strings.CutPrefix(text, "~/"); is && x.line != nil {
		text = filepath.Join(x.system.Home, rest)
	}
	if strings.ContainsAny(text, "$*?") {
		return ""
	}
	return text
}

func notFound(x subject) (all []string) {
	for _, p := range x.programs() {
		switch {
		case filepath.IsAbs(p.name):
			if _, err := os.Stat(p.name); err != nil {
				all = append(all, p.name+" is not there")
			}
		case !strings.Contains(p.name, "/") && !x.onPath(p.name):
			all = append(all, p.name+" is not on the PATH")
		}
	}
	return unique(all)
}

func (x subject) onPath(name string) bool {
	return slices.ContainsFunc(filepath.SplitList(x.system.Getenv("PATH")), func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && !info.IsDir()
	})
}

func notExecutable(x subject) (all []string) {
	for _, p := range x.programs() {
		if !p.direct || !filepath.IsAbs(p.name) {
			continue
		}
		if info, err := os.Stat(p.name); err == nil && (info.IsDir() || info.Mode().Perm()&0o111 == 0) {
			all = append(all, p.name+" cannot be executed")
		}
	}
	return unique(all)
}

func relative(x subject) (all []string) {
	for _, p := range x.programs() {
		if p.direct && !filepath.IsAbs(p.name) && strings.Contains(p.name, "/") && !strings.Contains(p.name, ":") {
			all = append(all, p.name+" is looked for in the folder where the agent was started")
		}
	}
	return unique(all)
}

// tooLong is from when on a time-out in seconds looks like one in thousandths.
const tooLong = 1000

func milliseconds(x subject) []string {
	seconds := x.handler.Timeout.Seconds()
	return says(seconds >= tooLong, "a time-out of %s", x.handler.Timeout)
}

// matcherCase tells of names that differ from a tool's by their case alone, or
// that are tools of the other client.
func matcherCase(x subject) (all []string) {
	if x.handler.Matcher == nil || !strings.HasSuffix(x.handler.Event, "ToolUse") && x.handler.Event != "PermissionRequest" {
		return nil
	}
	known := append(codex.Tools(), "Edit", "Write", "Agent")
	for _, name := range names(*x.handler.Matcher) {
		fits := func(tool string) bool { return strings.EqualFold(tool, name) }
		if i := slices.IndexFunc(known, fits); i >= 0 && !slices.Contains(known, name) {
			all = append(all, fmt.Sprintf("%q matches nothing, names are case-sensitive; did you mean %s?", name, known[i]))
		}
	}
	return all
}
