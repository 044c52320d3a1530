//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/session"
)

// oneHook is a file of Claude Code with one hook.
func oneHook(event, matcher, command string) string {
	return `{"hooks": {"` + event + `": [{"matcher": "` + matcher + `", "hooks": [{"type": "command", "command": "` + command + `"}]}]}}`
}

const listFiles = `{"tools": [{"tool": "bash", "arguments": {"command": "ls; touch ran"}}]}
{"text": "done"}
`

func withHooks(t *testing.T, files map[string]string) workspace {
	t.Helper()
	files["answers.jsonl"] = listFiles
	return newWorkspace(t, files)
}

func (w workspace) hooked(t *testing.T, args ...string) ended {
	t.Helper()
	return w.run(t, "", append([]string{"--model", "answers.jsonl", "--session", "log", "--yes"}, append(args, "go")...)...)
}

// A hook of a file that is named denies a call, and it is told what was loaded.
func TestRunWithHooks(t *testing.T) {
	w := withHooks(t, map[string]string{"settings.json": oneHook("PreToolUse", "Bash", "cat > payload.json; echo not here >&2; exit 2")})
	got := w.hooked(t, "--hooks", "settings.json")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.err, "hooks of Claude Code: 1 hook from 1 file")
	require.Contains(t, got.err, "settings.json (named): 1 hook; taken for Claude Code's: it is called settings")
	require.Contains(t, got.err, "deny: not here")
	require.False(t, w.has("ran"))
	require.Contains(t, w.results(t)[0], "not here")
	payload, err := os.ReadFile(filepath.Join(w.dir, "payload.json"))
	require.NoError(t, err)
	require.Contains(t, string(payload), `"tool_name":"Bash","tool_input":{"command":"ls; touch ran"}`)
}

// A file of Codex is one of Codex, without being told.
func TestRunWithHooksOfCodex(t *testing.T) {
	w := withHooks(t, map[string]string{".codex/hooks.json": oneHook("PreToolUse", "Bash", "echo not here >&2; exit 2")})
	got := w.hooked(t, "--hooks", ".codex/hooks.json")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.err, "hooks of Codex: 1 hook from 1 file")
	require.False(t, w.has("ran"))
}

// With auto the hooks are those of the session's own project; without --hooks
// there are none.
func TestRunFindsHooks(t *testing.T) {
	w := withHooks(t, map[string]string{
		".git/HEAD": "", ".claude/settings.json": oneHook("PreToolUse", "Bash", "exit 2"), "sub/answers.jsonl": listFiles,
		"other/.git/HEAD": "", "other/answers.jsonl": listFiles,
	})
	w.write(t, "home/.claude/settings.json", oneHook("SessionStart", "", "touch $CLAUDE_PROJECT_DIR/started"))

	got := w.run(t, "", "--model", "answers.jsonl", "--forget", "--yes", "go")
	require.Zero(t, got.status, got.err)
	require.True(t, w.has("ran"))
	require.False(t, w.has("started"))
	require.NoError(t, os.Remove(filepath.Join(w.dir, "ran")))

	got = w.hooked(t, "--hooks", "auto", "--project", "sub")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.err, "hooks of Claude Code: 2 hooks from 2 files")
	require.False(t, w.has("sub/ran"))
	require.True(t, w.has("started"))

	got = w.run(t, "", "--model", "answers.jsonl", "--forget", "--yes", "--hooks", "auto", "--project", "other", "go")
	require.Zero(t, got.status, got.err)
	require.True(t, w.has("other/ran"))
	require.True(t, w.has("other/started"))

	// A session goes on with the hooks of its own project, from wherever.
	got = w.run(t, "", "--model", "answers.jsonl", "--session", "log", "--resume", "--yes", "--hooks", "auto", "go")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.err, filepath.Join(w.dir, ".claude", "settings.json"))
}

func TestRunWithoutHooksToFind(t *testing.T) {
	got := withHooks(t, map[string]string{}).hooked(t, "--hooks", "auto")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.err, "no hooks: neither Claude Code nor Codex")
}

// What is skipped is told with its place; what cannot be read ends the program
// before anything runs.
func TestRunTellsOfHooks(t *testing.T) {
	w := withHooks(t, map[string]string{
		"settings.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "x"}]}], "Foo": [],
			"Notification": [{"hooks": [{"type": "command", "command": "true"}]}]}}`,
		"broken/settings.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}, {"type": "oops"}]}]}}`,
	})
	got := w.hooked(t, "--hooks", "settings.json")
	require.Zero(t, got.status, got.err)
	for _, want := range []string{"settings.json:1: hooks.PreToolUse[0].hooks[0]: http hooks are not run here", "Foo: Claude Code has no such event", "hooks of Notification never run"} {
		require.Contains(t, got.err, want)
	}
	require.NoError(t, os.Remove(filepath.Join(w.dir, "log")))

	got = w.hooked(t, "--hooks", "none.json")
	require.Equal(t, 1, got.status)
	require.Contains(t, got.err, "the hooks cannot be read: ")
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "log")))

	got = w.hooked(t, "--strict-hooks")
	require.Equal(t, 2, got.status)

	// The client runs none of a file with a mistake in a guard.
	require.NoError(t, os.Remove(filepath.Join(w.dir, "ran")))
	got = w.hooked(t, "--hooks", "broken/settings.json")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.err, "(file-dropped)")
	require.True(t, w.has("ran"))
	require.NoError(t, os.Remove(filepath.Join(w.dir, "log")))

	got = w.hooked(t, "--hooks", "broken/settings.json", "--strict-hooks")
	require.Equal(t, 1, got.status)
	require.Contains(t, got.err, "what it guards would go unguarded")
	require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "log")))

	require.NoError(t, os.Remove(filepath.Join(w.dir, "ran")))
	for _, more := range [][]string{{"--lenient-hooks"}, {"--lenient-hooks", "--strict-hooks"}} {
		got = w.hooked(t, append([]string{"--hooks", "broken/settings.json"}, more...)...)
		require.Zero(t, got.status, got.err)
		require.False(t, w.has("ran"))
		require.NoError(t, os.RemoveAll(filepath.Join(w.dir, "log")))
	}
}

// A guard that fails is passed over as at the client, or denies.
func TestRunWithStrictHooks(t *testing.T) {
	w := withHooks(t, map[string]string{"settings.json": oneHook("PreToolUse", "Bash", "exit 127")})
	got := w.hooked(t, "--hooks", "settings.json")
	require.Zero(t, got.status, got.err)
	require.True(t, w.has("ran"))
	require.Contains(t, got.err, "127")
	require.NoError(t, os.Remove(filepath.Join(w.dir, "ran")))
	require.NoError(t, os.Remove(filepath.Join(w.dir, "log")))

	got = w.hooked(t, "--hooks", "settings.json", "--strict-hooks")
	require.Zero(t, got.status, got.err)
	require.False(t, w.has("ran"))
}

// Hooks see the environment as at the client, or without credentials.
func TestRunScrubsHooks(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "s3cret kept"}, {[]string{"--scrub"}, " "}, {[]string{"--scrub", "--env", "KEPT_TOKEN"}, " kept"},
	} {
		w := withHooks(t, map[string]string{"settings.json": oneHook("SessionStart", "", "echo \\\"$MY_TOKEN $KEPT_TOKEN\\\" > seen")})
		w.env = append(w.env, "MY_TOKEN=s3cret", "KEPT_TOKEN=kept")
		got := w.hooked(t, append([]string{"--hooks", "settings.json"}, test.args...)...)
		require.Zero(t, got.status, got.err)
		seen, err := os.ReadFile(filepath.Join(w.dir, "seen"))
		require.NoError(t, err)
		require.Equal(t, test.want+"\n", string(seen))
	}
}

// A hook spares the question where somebody named its file and gave the grant.
func TestRunGrantsHooks(t *testing.T) {
	const yes = `echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}'`
	w := withHooks(t, map[string]string{".git/HEAD": "", ".claude/settings.json": oneHook("PreToolUse", "Bash", yes)})
	for _, test := range []struct {
		args []string
		ran  bool
	}{
		{[]string{"--hooks", ".claude/settings.json"}, false},
		{[]string{"--hooks", "auto", "--grant", "preapprove"}, false},
		{[]string{"--hooks", ".claude/settings.json", "--grant", "preapprove"}, true},
	} {
		got := w.run(t, "", append(append([]string{"--model", "answers.jsonl", "--forget", "--no"}, test.args...), "go")...)
		require.Zero(t, got.status, got.err)
		require.Equal(t, test.ran, w.has("ran"), "%v: %s", test.args, got.err)
	}
}

// What a hook exports at the start is there in the commands of the model.
func TestRunExportsOfHooks(t *testing.T) {
	w := withHooks(t, map[string]string{"settings.json": oneHook("SessionStart", "", "echo 'export FROM_HOOK=hello' >> \\\"$CLAUDE_ENV_FILE\\\"")})
	w.write(t, "answers.jsonl", strings.Replace(listFiles, "ls; touch ran", "echo $FROM_HOOK", 1))
	got := w.hooked(t, "--hooks", "settings.json")
	require.Zero(t, got.status, got.err)
	require.Equal(t, []string{"hello"}, w.results(t))
}

// What hooks did is in the session's log, in pairs.
func TestRunRecordsHooks(t *testing.T) {
	w := withHooks(t, map[string]string{"settings.json": oneHook("PreToolUse", "Bash", "true")})
	require.Zero(t, w.hooked(t, "--hooks", "settings.json").status)
	var records []session.EventType
	for _, e := range w.entries(t, "log") {
		if e.Type == session.EventHookInvoked || e.Type == session.EventHookResult {
			records = append(records, e.Type)
		}
	}
	require.Equal(t, []session.EventType{session.EventHookInvoked, session.EventHookResult}, records)
}

// Mistakes that were reported of other programs, by the ids of
// spec/corpus/bugs.jsonl.
func TestReportedMistakes(t *testing.T) {
	t.Run("bug-070", func(t *testing.T) { // nothing is left of a command that is out of time
		naps := unique("1.70")
		w := newWorkspace(t, map[string]string{"answers.jsonl": `{"tools": [{"tool": "bash", "arguments": {"command": "(while true; do echo c; sleep ` + naps + `; done) & cat; sleep 600", "timeout_ms": 1000}}]}
{"text": "done"}
`})
		got := w.run(t, "", "--model", "answers.jsonl", "--session", "log", "--yes", "go")
		require.Zero(t, got.status, got.err)
		require.Contains(t, w.results(t)[0], "longer than 1000 ms")
		require.Empty(t, alive(t, "sleep\x00"+naps))
	})
	t.Run("bug-099", func(t *testing.T) { // a question that nobody can answer is a denial at once, for subagents too
		ask := `echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"ask\"}}'`
		w := withHooks(t, map[string]string{"settings.json": oneHook("PreToolUse", "Bash", ask)})
		w.write(t, "answers.jsonl", `{"tools": [{"tool": "agent", "arguments": {"prompt": "x"}, "answers": [{"tools": [{"tool": "bash", "arguments": {"command": "touch ran"}}]}, {"text": "could not"}]}]}
{"text": "done"}
`)
		got := w.run(t, "", "--model", "answers.jsonl", "--session", "log", "--ask=policies", "--hooks", "settings.json", "go")
		require.Zero(t, got.status, got.err)
		require.False(t, w.has("ran"))
		require.Regexp(t, `\[agent 1\] < bash failed.*approv`, got.err)
	})
}
