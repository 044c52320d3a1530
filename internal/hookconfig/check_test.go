package hookconfig_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/internal/hookconfig"
)

// at is a file with one hook of an event, with further fields of the hook.
func at(event, matcher, command, more string) string {
	quoted, _ := json.Marshal(command)
	m, _ := json.Marshal(matcher)
	return fmt.Sprintf(`{"hooks":{%q:[{"matcher":%s,"hooks":[{"type":"command","command":%s%s}]}]}}`, event, m, quoted, more)
}

// A hookRow is a file with one hook.
type hookRow struct{ event, matcher, command, more string }

func guard(command string) hookRow { return hookRow{"PreToolUse", "Bash", command, ""} }

// A ruleCase is what one rule finds, and what looks like it.
type ruleCase struct {
	rule    string
	dialect string // "" is both
	bad     []hookRow
	good    []hookRow
}

// aboutBlocking are the cases of rules about what a hook decides.
func aboutBlocking() []ruleCase {
	return []ruleCase{
		{"shell-syntax", "", []hookRow{guard("if true; then exit 2"), guard("echo 'a")}, []hookRow{guard("if true; then exit 2; fi")}},
		{"bash-only", hookconfig.ClaudeCode, []hookRow{guard("[[ $x ]] && exit 2"), guard("cat <<< x"), guard("a=(1)"), guard("cat <(true)"), guard("true &> /dev/null")}, []hookRow{guard("[ -n \"$PWD\" ]")}},
		{"bash-only", hookconfig.Codex, nil, []hookRow{guard("[[ x ]] && exit 2")}},
		{
			"fail-open-tail", "",
			[]hookRow{guard("grep -q x && { echo no >&2; exit 2; } || exit 0"), guard("c=$(grep x) || exit 0; exit 2"), guard("test x || true"), guard("test x || :"), guard("test x || exit")},
			[]hookRow{guard("grep -q x || exit 2"), {"PostToolUse", "Bash", "gofmt -w x || true", ""}, guard("true && exit 0")},
		},
		{"exit-status", "", []hookRow{guard("grep x || exit 1"), guard("echo no >&2; exit 3")}, []hookRow{guard("exit 2"), guard("exit 0"), guard("exit \"$PWD\""), {"Stop", "", "exit 1", ""}}},
		{"fail-open-errexit", "", []hookRow{guard("set -e; f=$(grep x); exit 2"), guard("set -euo pipefail; exit 2")}, []hookRow{guard("set -u"), guard("trap 'exit 2' ERR; set -e"), guard("set -- -e")}},
		{"reason-on-stdout", "", []hookRow{guard("echo no; exit 2"), guard("printf no && exit 2")}, []hookRow{guard("echo no >&2; exit 2"), guard("{ echo no; exit 2; } >&2"), guard("echo no | tee /dev/stderr; exit 2"), guard("echo no > /dev/stderr; exit 2")}},
		{"cannot-block", "", []hookRow{{"SessionStart", "", "echo no >&2; exit 2", ""}, {"SessionEnd", "", `echo '{"decision":"block"}'`, ""}}, []hookRow{guard("exit 2"), {"SessionStart", "", "echo hello", ""}}},
		{"stop-loop", "", []hookRow{{"Stop", "", "echo more >&2; exit 2", ""}, {"SubagentStop", "", `echo '{"decision":"block","reason":"x"}'`, ""}}, []hookRow{{"Stop", "", "grep -q '\"stop_hook_active\":true' || { echo more >&2; exit 2; }", ""}, guard("exit 2")}},
		{"async-guard", "", []hookRow{{"PreToolUse", "Bash", "exit 2", `,"async":true`}}, []hookRow{{"PostToolUse", "Bash", "true", `,"async":true`}}},
		{"background-guard", "", []hookRow{guard("grep x &")}, []hookRow{guard("grep x & wait"), {"PostToolUse", "", "grep x &", ""}}},
		{"unquoted-variable", "", []hookRow{guard("cat $PWD/x"), guard("cat ${PWD}")}, []hookRow{guard(`cat "$PWD/x"`), guard("exit $?"), guard("x=$PWD; echo $#")}},
		{
			"stream-path", hookconfig.ClaudeCode,
			[]hookRow{
				guard("echo no > /dev/stderr; exit 2"), guard("input=$(cat /dev/stdin)"), guard("jq . < /dev/stdin"), guard("true | tee /dev/stderr"),
				guard("cat /dev/fd/0 | jq ."), guard("{ echo x >> /dev/stdout; }"), guard("f() { cat /proc/self/fd/0; }; f"), guard("cat x > /dev/stdin"),
			},
			[]hookRow{
				guard("echo no >&2; exit 2"), guard("cat | cat /dev/stdin"), guard("x=$(echo y > /dev/stdout)"), guard("echo x > /dev/stdout | cat"),
				guard("{ echo no > /dev/stderr; } 2> /dev/null"), guard("cat /dev/stdin < /etc/passwd"), guard("cat \"$PWD/dev/stdin\""), guard("echo x > /dev/null"),
			},
		},
		{"stream-path", hookconfig.Codex, nil, []hookRow{guard("echo no > /dev/stderr; exit 2")}},
		{"single-quoted-variable", "", []hookRow{guard("sh '$CLAUDE_PROJECT_DIR/x.sh'")}, []hookRow{guard("grep '$x'"), guard(`sh "$CLAUDE_PROJECT_DIR/x.sh"`)}},
	}
}

// aboutStarting are the cases of rules about what a hook starts, and when.
func aboutStarting() []ruleCase {
	return []ruleCase{
		{
			"env-not-provided", hookconfig.ClaudeCode,
			[]hookRow{guard(`echo "$TOOL_INPUT"`), guard(`echo "$CLAUDE_FILE_PATHS"`), guard(`echo "$CLAUDE_ENV_FILE"`), guard(`echo "$NOBODY_SETS_IT"`), guard(`echo "${CODEX_HOME:-x}"`)},
			[]hookRow{guard(`echo "$CLAUDE_PROJECT_DIR" "$HOME"`), {"SessionStart", "", `echo x >> "$CLAUDE_ENV_FILE"`, ""}, guard(`x=$(cat); echo "$x"`), guard(`echo "${DEBUG:-no}"`), guard(`read -r line; echo "$line"`), guard(`for f in a b; do echo "$f"; done`)},
		},
		{"env-not-provided", hookconfig.Codex, []hookRow{guard(`sh "$CLAUDE_PROJECT_DIR/x"`), guard(`sh "${CLAUDE_PROJECT_DIR:-.}/x"`)}, []hookRow{guard(`cat "$HOME/x"`)}},
		{"env-not-provided", hookconfig.ClaudeCode, []hookRow{{"PreToolUse", "Bash", "sh", `,"args":["${TOOL_NAME}"]`}}, []hookRow{{"PreToolUse", "Bash", "sh", `,"args":["${CLAUDE_PROJECT_DIR}/x","$x"]`}}},
		{"login-shell", "", []hookRow{guard("bash -lc 'x'"), guard("bash -i x"), guard("zsh --login")}, []hookRow{guard("bash -c x"), guard("bash x -l")}},
		{
			"program-not-found", "",
			[]hookRow{guard("no-such-program x"), guard("cat | no-such-program"), guard("/no/such/program"), guard("sh /no/such/script.sh")},
			[]hookRow{guard("cat x | sh -c true"), guard("f() { true; }; f"), guard("\"$PROGRAM\" x"), guard("cd x && export A=1"), guard("./relative")},
		},
		{"program-not-found", hookconfig.ClaudeCode, []hookRow{{"PreToolUse", "Bash", "sh", `,"args":["${CLAUDE_PROJECT_DIR}/none.sh"]`}, guard(`sh "$CLAUDE_PROJECT_DIR"/none.sh`)}, []hookRow{{"PreToolUse", "Bash", "sh", `,"args":["${CLAUDE_PROJECT_DIR}/there.sh"]`}, guard(`sh "$CLAUDE_PROJECT_DIR"/there.sh`)}},
		{"not-executable", hookconfig.ClaudeCode, []hookRow{guard(`"$CLAUDE_PROJECT_DIR"/there.sh`)}, []hookRow{guard(`sh "$CLAUDE_PROJECT_DIR"/there.sh`), guard("/bin/sh x")}},
		{"relative-path", "", []hookRow{guard("./guard.sh"), guard("scripts/guard.sh")}, []hookRow{guard("/bin/sh"), guard("sh")}},
		{"invalid-timeout", "", []hookRow{{"PreToolUse", "Bash", "true", `,"timeout":5000`}}, []hookRow{{"PreToolUse", "Bash", "true", `,"timeout":30`}, guard("true")}},
		{"matcher-case", "", []hookRow{{"PreToolUse", "bash", "true", ""}}, []hookRow{guard("true"), {"PreToolUse", "Edit|Write", "true", ""}}},
		{"matcher-never-matches", hookconfig.ClaudeCode, []hookRow{{"PreToolUse", "mcp__notes", "true", ""}, {"PreToolUse", "Bash(git *)", "true", ""}}, []hookRow{guard("true")}},
	}
}

// TestRules sees every rule find what it is for, and pass what looks like it.
func TestRules(t *testing.T) {
	for _, test := range append(aboutBlocking(), aboutStarting()...) {
		for _, dialect := range hookconfig.Dialects() {
			if test.dialect != "" && test.dialect != dialect {
				continue
			}
			found := func(r hookRow) []string {
				root := folder(t, map[string]string{"h.json": at(r.event, r.matcher, r.command, r.more), "there.sh": ""})
				sys := machine("/home/none", map[string]string{"SET": "x"})
				sets, err := hookconfig.Load(hookconfig.Source{Files: []string{filepath.Join(root, "h.json")}, Root: root, Dialect: dialect, System: sys})
				require.NoError(t, err)
				return ids(hookconfig.Check(sets[0], sys))
			}
			t.Run(dialect+"/"+test.rule, func(t *testing.T) {
				for _, r := range test.bad {
					require.Contains(t, found(r), test.rule, "%v", r)
				}
				for _, r := range test.good {
					require.NotContains(t, found(r), test.rule, "%v", r)
				}
			})
		}
	}
}

// A guard as it should be is passed in silence, in either client.
func TestCheckIsSilent(t *testing.T) {
	const command = `input=$(cat); case $input in *'rm -rf'*) echo "no" >&2; exit 2;; esac`
	for _, dialect := range hookconfig.Dialects() {
		path := filepath.Join(folder(t, map[string]string{"h.json": at("PreToolUse", "Bash", command, "")}), "h.json")
		sets, err := hookconfig.Load(hookconfig.Source{Files: []string{path}, Dialect: dialect, System: machine("", nil)})
		require.NoError(t, err)
		found := hookconfig.Check(sets[0], machine("", nil))
		require.Empty(t, found)
		require.False(t, hookconfig.Problems(found))
	}
}

// What the loaders tell is found too, each at its level.
func TestLevels(t *testing.T) {
	for text, want := range map[string]hookconfig.Level{
		`{"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "x"}]}]}}`:                                 hookconfig.Note,
		`{"hooks": {"Stop": [{"_comment": "x", "hooks": [{"type": "command", "command": "true"}]}]}}`:      hookconfig.Note,
		`{"hooks": {"Stop": [{"matchers": "x", "hooks": [{"type": "command", "command": "true"}]}]}}`:      hookconfig.Warning,
		`{"hooks": {"Stop": [], "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`:           hookconfig.Warning,
		`{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}]}}`:                                          hookconfig.Error,
		`{"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"type": "command", "command": "true"}]}]}}`: hookconfig.Error,
		`{"hooks": `: hookconfig.Error,
	} {
		s := one(t, "settings.json", text)
		found := hookconfig.Check(s, machine("", nil))
		require.NotEmpty(t, found, text)
		worst := hookconfig.Note
		for _, f := range found {
			if f.Level == hookconfig.Error || f.Level == hookconfig.Warning && worst == hookconfig.Note {
				worst = f.Level
			}
		}
		require.Equal(t, want, worst, "%s: %v", text, found)
		require.Equal(t, want != hookconfig.Note, hookconfig.Problems(found))
	}
}

// What no session here does is noted with its place, though the client does it.
func TestNeverHere(t *testing.T) {
	const text = `{"hooks": {
		"Notification": [{"hooks": [{"type": "command", "command": "true", "statusMessage": "x"}]}],
		"FileChanged": [{"hooks": [{"type": "command", "command": "true"}]}],
		"Stop": [{"hooks": [{"type": "mcp_tool", "server": "notes", "tool": "save"}]}]
	}}`
	found := hookconfig.Check(one(t, "settings.json", text), machine("", nil))
	var told []string
	for _, f := range found {
		require.Equal(t, "settings.json", filepath.Base(f.At.File))
		told = append(told, fmt.Sprintf("%d %s %s %s", f.At.Line, f.Level, f.ID, f.Event))
	}
	require.Equal(t, []string{
		"2 note unsupported-event Notification", "2 note unshown Notification", "3 note unsupported-event FileChanged", "4 note unsupported-type Stop",
	}, told)
	require.Contains(t, found[0].Text, "agent/notify stands for it, which is never fired here")

	codex := at("PostModelRequest", "", "true", "")
	found = hookconfig.Check(one(t, ".codex/hooks.json", codex), machine("", nil))
	require.Len(t, found, 1)
	require.Equal(t, "unsupported-event", found[0].ID)
}

func TestFilesThatNobodyReads(t *testing.T) {
	stop := at("Stop", "", "true", "")
	root := folder(t, map[string]string{".claude/settings.json": stop, ".claude/hooks.json": stop, "hooks/hooks.json": stop})
	sets := discovered(t, folder(t, nil), root)
	require.Len(t, sets, 1)
	require.Equal(t, []string{"true"}, commands(sets[0]))
	var unread []string
	for _, f := range hookconfig.Check(sets[0], machine("", nil)) {
		if f.ID == "unread-file" {
			rel, err := filepath.Rel(root, f.At.File)
			require.NoError(t, err)
			unread = append(unread, filepath.ToSlash(rel))
		}
	}
	require.ElementsMatch(t, []string{".claude/hooks.json", "hooks/hooks.json"}, unread)
}

// A line that is too long to be read is no crash, and neither is one that nests.
func FuzzCheck(f *testing.F) {
	for _, line := range []string{"cat $x || exit 0", "[[ a ]] && { echo 'b'; exit 2; } >&2 &", "f() { g; }; f <<E\n$a\nE", "x=(1) ${y:-z} $((1+1)) `a`"} {
		f.Add(line)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, line string) {
		path := filepath.Join(dir, "settings.json")
		require.NoError(t, os.WriteFile(path, []byte(at("PreToolUse", "Bash", line, "")), 0o600))
		sets, err := hookconfig.Load(hookconfig.Source{Files: []string{path}, System: machine("", nil)})
		require.NoError(t, err)
		hookconfig.Check(sets[0], machine("", nil))
	})
}
