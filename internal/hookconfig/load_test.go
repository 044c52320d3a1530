package hookconfig_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/internal/hookconfig"
)

func TestDetect(t *testing.T) {
	command := func(event, command string) string { return at(event, "", command, "") }
	for _, test := range []struct{ path, text, want, why string }{
		{"config.toml", "", hookconfig.Codex, "TOML"},
		{"/p/.codex/hooks.json", command("Stop", "x"), hookconfig.Codex, ".codex"},
		{"/p/.claude/anything.json", command("Stop", "x"), hookconfig.ClaudeCode, ".claude"},
		{"/p/settings.local.json", command("Stop", "x"), hookconfig.ClaudeCode, "settings"},
		{"/p/h.json", `{"permissions": {}}`, hookconfig.ClaudeCode, "other settings"},
		{"/p/h.json", command("Notification", "x"), hookconfig.ClaudeCode, "events"},
		{"/p/h.json", command("PreModelRequest", "x"), hookconfig.Codex, "events"},
		{"/p/h.json", at("Stop", "", "x", `,"if":"Bash(x)"`), hookconfig.ClaudeCode, "fields"},
		{"/p/h.json", at("Stop", "", "x", `,"commandWindows":"x"`), hookconfig.Codex, "fields"},
		{"/p/h.json", at("PreToolUse", "^apply_patch$", "x", ""), hookconfig.Codex, "matcher"},
		{"/p/h.json", at("PreToolUse", "Read|Grep", "x", ""), hookconfig.ClaudeCode, "matcher"},
		{"/p/h.json", command("Stop", `"$CLAUDE_PROJECT_DIR"/x`), hookconfig.ClaudeCode, "variables"},
		{"/p/h.json", command("Stop", `"$CODEX_HOME"/x`), hookconfig.Codex, "variables"},
		{"/p/h.json", command("Stop", "x"), hookconfig.ClaudeCode, "assumed"},
		{"/p/h.json", `{`, hookconfig.ClaudeCode, "assumed"},
		{"/p/h.json", "\ufeff" + command("Interrupt", "x"), hookconfig.Codex, "events"},
	} {
		dialect, why := hookconfig.Detect(test.path, []byte(test.text))
		require.Equal(t, test.want, dialect, "%s %s", test.path, test.text)
		require.Contains(t, why, test.why, "%s %s", test.path, test.text)
	}
}

// The hooks of a project are those that each client would find, with what it
// trusts.
func TestDiscovery(t *testing.T) {
	const codexHook = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"codex\"\n"
	home := folder(t, map[string]string{".claude/settings.json": at("Stop", "", "user", ""), ".codex/hooks.json": at("Stop", "", "untrusted", "")})
	root := folder(t, map[string]string{
		".git/HEAD": "", ".claude/settings.json": at("Stop", "", "project", ""), ".claude/settings.local.json": at("Stop", "", "local", ""),
		".codex/config.toml": codexHook,
	})
	sets := discovered(t, home, root)
	require.Len(t, sets, 2)
	require.Equal(t, []string{"user", "project", "local"}, commands(sets[0]))
	require.Equal(t, root, sets[0].Root)
	require.Equal(t, []string{"user", "project", "local"}, []string{sets[0].Files[0].Layer, sets[0].Files[1].Layer, sets[0].Files[2].Layer})

	require.Empty(t, commands(sets[1]))
	told := hookconfig.Check(sets[1], machine("", nil))
	require.Len(t, told, 2) // a hook of the user, and the project as a whole
	for _, f := range told {
		require.Equal(t, "untrusted", f.ID)
		require.Equal(t, hookconfig.Note, f.Level)
	}
	require.False(t, sets[1].Dropped())

	_, hash, found := strings.Cut(told[0].Text+told[1].Text, `trusted_hash "`)
	require.True(t, found)
	hash, _, _ = strings.Cut(hash, `"`)
	key := filepath.Join(home, ".codex", "hooks.json") + ":stop:0:0"
	trust := "[hooks.state.\"" + key + "\"]\ntrusted_hash = \"" + hash + "\"\n[projects.\"" + root + "\"]\ntrust_level = \"trusted\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(home, ".codex", "config.toml"), []byte(trust), 0o600))
	sets = discovered(t, home, root)
	require.Equal(t, []string{"untrusted"}, commands(sets[1]))

	sets, err := hookconfig.Load(hookconfig.Source{Project: root, Dialect: hookconfig.ClaudeCode, System: machine(home, nil)})
	require.NoError(t, err)
	require.Len(t, sets, 1)
}

// To name a file is to trust it.
func TestNamedFilesAreTrusted(t *testing.T) {
	s := one(t, ".codex/hooks.json", at("Stop", "", "x", ""))
	require.Equal(t, hookconfig.Codex, s.Dialect)
	require.Equal(t, []string{"x"}, commands(s))
	require.Equal(t, []string{"it lies in .codex"}, s.Why)
}

func TestLenient(t *testing.T) {
	path := filepath.Join(folder(t, map[string]string{"settings.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}, {"type": "none"}]}]}}`}), "settings.json")
	for lenient, want := range map[bool][]string{false: {}, true: {"x"}} {
		sets, err := hookconfig.Load(hookconfig.Source{Files: []string{path}, Lenient: lenient, System: machine("", nil)})
		require.NoError(t, err)
		require.Equal(t, want, commands(sets[0]))
		require.Equal(t, !lenient, sets[0].Dropped())
	}
}

// The order of files is that in which they are named, per client, and a file of
// a plugin knows where the plugin is.
func TestNamedFiles(t *testing.T) {
	dir := folder(t, map[string]string{
		"settings.json": at("Stop", "", "one", ""), ".codex/hooks.json": at("Stop", "", "two", ""),
		"plugin/hooks/hooks.json": at("Stop", "", "${CLAUDE_PLUGIN_ROOT}/three", ""),
	})
	sets := named(t, filepath.Join(dir, "settings.json"), filepath.Join(dir, ".codex", "hooks.json"), filepath.Join(dir, "plugin", "hooks", "hooks.json"))
	require.Len(t, sets, 2)
	require.Equal(t, []string{"one", "${CLAUDE_PLUGIN_ROOT}/three"}, commands(sets[0]))
	require.Equal(t, filepath.Join(dir, "plugin"), sets[0].Files[1].Plugin)
	require.Equal(t, []string{"two"}, commands(sets[1]))
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := folder(t, map[string]string{"settings.json": at("Stop", "", "x", ""), "big.json": strings.Repeat(" ", 16<<20+1)})
	sets, err := hookconfig.Load(hookconfig.Source{
		Files:  []string{filepath.Join(dir, "none.json"), dir, filepath.Join(dir, "big.json"), os.DevNull, filepath.Join(dir, "settings.json")},
		System: machine("", nil),
	})
	for _, want := range []string{"none.json: no such file", dir + ": is no file", "big.json: is 16777217 bytes long", os.DevNull + ": is no file"} {
		require.ErrorContains(t, err, want)
	}
	require.Equal(t, []string{"x"}, commands(sets[0]))
}

// A link that leads nowhere is told by its own name.
func TestLinks(t *testing.T) {
	dir := folder(t, map[string]string{"settings.json": at("Stop", "", "x", "")})
	for name, target := range map[string]string{"good.json": "settings.json", "dangling.json": "gone.json", "loop.json": "loop.json"} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	good := filepath.Join(dir, "good.json")
	sets, err := hookconfig.Load(hookconfig.Source{
		Files: []string{good, filepath.Join(dir, "dangling.json"), filepath.Join(dir, "loop.json")}, System: machine("", nil),
	})
	require.Equal(t, good, sets[0].Config.Handlers[0].At.File)
	require.ErrorContains(t, err, "dangling.json: ")
	require.ErrorContains(t, err, "gone.json: no such file")
	require.ErrorContains(t, err, "loop.json: ")
}

// A file that somebody names for its hooks and that has none is told.
func TestFilesWithoutHooks(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                     "there is no hook in it",
		`{"hooks": {}}`:                          "there is no hook in it",
		`{"permissions": {"deny": []}}`:          "there is no hook in it",
		`{"Hooks": {"Stop": []}}`:                "Hooks: it is not read; did you mean hooks?",
		`{"hook": {"Stop": []}}`:                 "hook: it is not read; did you mean hooks?",
		`{"Stop": []}`:                           `Stop: an event outside of "hooks" is not read`,
		`{"hooks": null, "PreToolUse": []}`:      `PreToolUse: an event outside of "hooks" is not read`,
		`{"hooks": {"Stop": [], "stop": false}}`: "an empty list registers nothing",
	} {
		s := one(t, "settings.json", text)
		require.Contains(t, fmt.Sprint(s.Config.Problems), want, text)
		require.True(t, hookconfig.Problems(hookconfig.Check(s, machine("", nil))), text)
	}
	root := folder(t, map[string]string{".claude/settings.json": `{"permissions": {"deny": []}}`})
	require.Empty(t, discovered(t, folder(t, nil), root)[0].Config.Problems, "settings need no hooks")
}

// A switch that takes hooks away is told at the file with the switch.
func TestDisabled(t *testing.T) {
	root := folder(t, map[string]string{
		".claude/settings.json":       at("Stop", "", "x", ""),
		".claude/settings.local.json": "{\n\"disableAllHooks\": true}",
	})
	s := discovered(t, folder(t, nil), root)[0]
	require.Empty(t, commands(s))
	f := finding(t, hookconfig.Check(s, machine("", nil)), "disabled")
	require.Equal(t, filepath.Join(root, ".claude", "settings.local.json")+":2", f.At.String())
	require.False(t, s.Dropped())
}

// Hooks of enabled plugins are found; a plugin that is not there is told, and is a
// file that is missing.
func TestPlugins(t *testing.T) {
	const manifest = `{"name":"p"}`
	home := folder(t, map[string]string{
		".codex/config.toml": "[plugins.\"p@m\"]\n",
		".codex/plugins/cache/m/p/1.0.0/.codex-plugin/plugin.json": manifest,
		".codex/plugins/cache/m/p/1.0.0/hooks/hooks.json":          at("Stop", "", "codex", ""),
		".claude/settings.json":                                    `{"enabledPlugins": {"p@m": true, "gone@m": true}}`,
		".claude/plugins/cache/m/p/1/hooks/hooks.json":             at("Stop", "", "claude", ""),
	})
	root := filepath.Join(home, ".claude/plugins/cache/m/p/1")
	list := filepath.Join(home, ".claude/plugins/installed_plugins.json")
	require.NoError(t, os.WriteFile(list, []byte(`{"version":2,"plugins":{"p@m":[{"scope":"user","installPath":"`+root+`"}]}}`), 0o600))
	sets := discovered(t, home, folder(t, nil))
	require.Equal(t, []string{"claude"}, commands(sets[0]))
	require.Equal(t, root, sets[0].Files[1].Plugin)
	require.True(t, sets[0].Dropped())
	require.Contains(t, finding(t, hookconfig.Check(sets[0], machine("", nil)), "plugin").Text, "gone@m")

	require.Empty(t, commands(sets[1]))
	require.Len(t, sets[1].Files, 2)
	require.False(t, sets[1].Dropped())
	require.Contains(t, finding(t, hookconfig.Check(sets[1], machine("", nil)), "untrusted").Text, "p@m:hooks/hooks.json:stop:0:0")
}
