package hookconfig_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/internal/hookconfig"
)

// These tests hold mistakes that were reported of other programs, by the ids of
// spec/corpus/bugs.jsonl.
func TestReportedMistakesOfLoaders(t *testing.T) {
	t.Run("bug-030", func(t *testing.T) { // an entry fails alone
		s := one(t, "settings.json", `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"clock"}]},{"hooks":"oops"}]}}`)
		require.Equal(t, []string{"clock"}, commands(s))
		require.Equal(t, "hooks.UserPromptSubmit[1].hooks", s.Config.Problems[0].Path)
	})
	t.Run("bug-031", func(t *testing.T) { // an event that never fires is told and leaves the others alone
		s := one(t, "settings.json", `{"env":{"A":"1"},"hooks":{"StopFailed":[{"hooks":[{"type":"command","command":"x"}]}],"Stop":[{"hooks":[{"type":"command","command":"y"}]}]}}`)
		require.Equal(t, []string{"y"}, commands(s))
		require.Equal(t, "StopFailed", finding(t, hookconfig.Check(s, machine("", nil)), "unknown-event").Event)
		// The client has since got this one, and its hooks run.
		s = one(t, "settings.json", `{"hooks":{"StopFailure":[{"hooks":[{"type":"command","command":"x"}]}]}}`)
		require.Equal(t, []string{"x"}, commands(s))
	})
	t.Run("bug-033", func(t *testing.T) { // the event of another client is told as such
		s := one(t, "settings.json", `{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"x"}]}]}}`)
		text := finding(t, hookconfig.Check(s, machine("", nil)), "unknown-event").String()
		for _, want := range []string{"BeforeTool", "gemini", "PreToolUse"} {
			require.Contains(t, text, want)
		}
	})
	t.Run("bug-039", func(t *testing.T) { // file, time and number of hooks are told at the start
		s := one(t, "settings.json", `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}}`)
		text := strings.Join(s.Summary(s.Config.Problems), "\n")
		require.Regexp(t, `1 hook from 1 file, read in \d+`, text)
		require.Regexp(t, `settings\.json \(named\): 1 hook`, text)
	})
}

func TestReportedMistakesOfFiles(t *testing.T) {
	t.Run("bug-043", func(t *testing.T) { // a file is read once, however it is written
		dir := folder(t, map[string]string{"p/hooks/hooks.json": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`})
		sets := named(t, filepath.Join(dir, "p", "hooks", "hooks.json"), dir+"/p/./hooks/hooks.json")
		require.Len(t, sets, 1)
		require.Len(t, sets[0].Files, 1)
		require.Equal(t, []string{"x"}, commands(sets[0]))
		require.Equal(t, "duplicate-file", sets[0].Config.Problems[0].Kind)
	})
	t.Run("bug-044", func(t *testing.T) { // the same command of two plugins is two hooks
		const text = `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"bash ${CLAUDE_PLUGIN_ROOT}/hook.sh"}]}]}}`
		dir := folder(t, map[string]string{"a/hooks/hooks.json": text, "b/hooks/hooks.json": text})
		sets := named(t, filepath.Join(dir, "a", "hooks", "hooks.json"), filepath.Join(dir, "b", "hooks", "hooks.json"))
		require.Len(t, sets, 1)
		run, errs := claudecode.Select(sets[0].Registered(), claudecode.Firing{Event: "UserPromptSubmit"})
		require.Empty(t, errs)
		require.Len(t, run, 2)
		require.Equal(t, "bash "+dir+"/b/hook.sh", claudecode.Expand(run[1], "").Command)
	})
	t.Run("bug-100", func(t *testing.T) { // both files of a layer count, and that is told
		home := folder(t, map[string]string{
			".codex/hooks.json":  `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"a"}]}]}}`,
			".codex/config.toml": "[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype = \"command\"\ncommand = \"b\"\n",
		})
		sets := named(t, filepath.Join(home, ".codex", "hooks.json"), filepath.Join(home, ".codex", "config.toml"))
		require.Len(t, sets, 1)
		require.Equal(t, []string{"a", "b"}, commands(sets[0]))
		require.Contains(t, finding(t, hookconfig.Check(sets[0], machine("", nil)), "two-files").Text, "both")
	})
	t.Run("bug-116", func(t *testing.T) { // a type that nobody knows is told
		s := one(t, "settings.json", `{"hooks":{"PostToolUse":[{"matcher":"Write","hooks":[{"type":"Command","command":"git add ."}]}]}}`)
		require.Empty(t, commands(s))
		f := finding(t, hookconfig.Check(s, machine("", nil)), "unsupported-type")
		require.Equal(t, hookconfig.Error, f.Level)
		require.Equal(t, "hooks.PostToolUse[0].hooks[0].type", f.Path)
		require.Contains(t, f.Text, `"Command", expected command`)
	})
	t.Run("bug-118", func(t *testing.T) { // a switch that takes all hooks away is told
		s := one(t, "settings.json", `{"disableAllHooks":true,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`)
		require.Empty(t, commands(s))
		require.Contains(t, strings.Join(s.Summary(s.Config.Problems), "\n"), "disableAllHooks")
	})
	t.Run("bug-175", func(t *testing.T) { // nothing of the workspace counts that no client reads or nobody named
		dir := folder(t, map[string]string{
			"hooks.json":         `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`,
			".claude/hooks.json": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`,
		})
		require.Empty(t, discovered(t, folder(t, nil), dir))
		require.Empty(t, named(t))
	})
}

func TestReportedMistakesOfMatchers(t *testing.T) {
	type probe struct {
		matcher, subject string
		want             bool
	}
	for id, test := range map[string]struct {
		dialect string
		probes  []probe
	}{
		"bug-049": {hookconfig.ClaudeCode, []probe{
			{"Writ", "Write", false},
			{"rit", "Write", false},
			{"rit.", "Write", true},
			{"W(rit)e", "Write", true},
			{"mcp__.*", "mcp__some_server__x", true},
			{"mcp__[^_]+__[^_]+", "mcp__some_server__x", false},
		}},
		"bug-050": {hookconfig.Codex, []probe{{"^Bash$", "Bash", true}, {"^Bash$", "BashOutput", false}}},
		"bug-051": {hookconfig.Codex, []probe{{"*", "Bash", true}}},
		"bug-052": {hookconfig.ClaudeCode, []probe{
			{"mcp__linear__create_issue", "mcp__linear__create_issue", true},
			{"mcp__linear__create_issue", "mcp__plugin_linear_linear__create_issue", false},
		}},
	} {
		t.Run(id, func(t *testing.T) {
			for _, p := range test.probes {
				got, err := hookconfig.Set{Dialect: test.dialect}.Protocol().Matches(hookproto.Handler{Event: "PreToolUse", Matcher: &p.matcher}, p.subject)
				require.NoError(t, err)
				require.Equal(t, p.want, got, "%s of %s", p.matcher, p.subject)
			}
		})
	}
}
