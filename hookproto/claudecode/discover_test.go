package claudecode_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto/claudecode"
)

// A disk is files by their path.
type disk map[string]string

func (d disk) read(name string) ([]byte, error) {
	if text, is := d[name]; is {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

func (d disk) list(folder string) (names []string, err error) {
	for name := range d {
		if below, is := strings.CutPrefix(name, folder+"/"); is {
			name, _, _ := strings.Cut(below, "/")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func hooksOf(command string) string {
	return `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}}`
}

func TestDiscover(t *testing.T) {
	const plugins = `{"version": 2, "plugins": {"p@m": [{"scope": "user", "installPath": "/plugins/p"}], "q@m": {"installPath": "/plugins/q"}, "r@m": [{"installPath": "/x", "projectPath": "/other"}, {"installPath": "/plugins/old"}, {"installPath": "/plugins/r", "projectPath": "/p/", "scope": "local"}], "off@m": [{"installPath": "/x"}]}}`
	all := disk{
		"/etc/c/managed-settings.json":                 hooksOf("managed"),
		"/etc/c/managed-settings.d/20.json":            hooksOf("drop-in"),
		"/etc/c/managed-settings.d/README":             "none",
		"/home/.claude/settings.json":                  `{"enabledPlugins": {"p@m": true, "off@m": true, "q@m": true, "r@m": true}, ` + hooksOf("user")[1:],
		"/p/.claude/settings.json":                     hooksOf("project"),
		"/p/.claude/settings.local.json":               `{"enabledPlugins": {"off@m": false}, ` + hooksOf("local")[1:],
		"/p/.claude/hooks.json":                        hooksOf("never"),
		"/p/hooks.json":                                hooksOf("never"),
		"/flag.json":                                   hooksOf("flag"),
		"/home/.claude/plugins/installed_plugins.json": plugins,
		"/plugins/p/hooks/hooks.json":                  hooksOf("${CLAUDE_PLUGIN_ROOT}/h"),
		"/plugins/q/.claude-plugin/plugin.json":        `{"name": "q", "hooks": ["./more.json", "./hooks/hooks.json"]}`,
		"/plugins/q/more.json":                         hooksOf("more"),
		"/plugins/r/hooks/hooks.json":                  hooksOf("this project"),
	}
	files, problems, err := claudecode.Discover(claudecode.Places{
		Home: "/home/.claude", Project: "/p", Managed: "/etc/c", Settings: []string{"/flag.json"}, Read: all.read, List: all.list,
	})
	require.NoError(t, err)
	require.Empty(t, problems)
	var commands []string
	for _, h := range claudecode.Load(files, claudecode.Options{}).Handlers {
		commands = append(commands, claudecode.Expand(h, "/p").Command)
	}
	require.Equal(t, []string{"managed", "drop-in", "user", "project", "local", "flag", "/plugins/p/h", "more", "this project"}, commands)
	require.Equal(t, []string{"CLAUDE_PLUGIN_ROOT=/plugins/p", "CLAUDE_PLUGIN_DATA=/home/.claude/plugins/data/p-m"}, files[6].Env)
}

// Plugins of one session are those that its command line names.
func TestDiscoverPluginDirs(t *testing.T) {
	all := disk{"/a/.claude-plugin/plugin.json": `{"name": "p"}`, "/a/hooks/hooks.json": hooksOf("a"), "/b/hooks/hooks.json": hooksOf("b")}
	files, problems, err := claudecode.Discover(claudecode.Places{Home: "/h", PluginDirs: []string{"/a", "/b"}, Read: all.read})
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, []string{"CLAUDE_PLUGIN_ROOT=/a", "CLAUDE_PLUGIN_DATA=/h/plugins/data/p-inline"}, files[0].Env)
	require.Equal(t, []string{"CLAUDE_PLUGIN_ROOT=/b", "CLAUDE_PLUGIN_DATA=/h/plugins/data/b-inline"}, files[1].Env)
}

// The hooks of a manifest may stand in the manifest itself.
func TestDiscoverManifest(t *testing.T) {
	all := disk{
		"/h/settings.json":                  `{"enabledPlugins": {"p@m": true}}`,
		"/h/plugins/installed_plugins.json": `{"plugins": {"p@m": [{"installPath": "/p"}]}}`,
		"/p/.claude-plugin/plugin.json":     hooksOf("inline"),
	}
	files, problems, err := claudecode.Discover(claudecode.Places{Home: "/h", Read: all.read})
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Len(t, files, 2)
	require.Equal(t, "inline", claudecode.Load(files, claudecode.Options{}).Handlers[0].Command)
}

// What cannot be read is an error.
func TestDiscoverTellsWhatItCannotRead(t *testing.T) {
	broken := errors.New("permission denied")
	_, _, err := claudecode.Discover(claudecode.Places{
		Home: "/h", Project: "/p", Settings: []string{"/none.json"},
		Read: func(name string) ([]byte, error) {
			if strings.HasPrefix(name, "/p/") {
				return nil, broken
			}
			return nil, fs.ErrNotExist
		},
	})
	require.ErrorIs(t, err, broken)
	for _, want := range []string{"/p/.claude/settings.json", "/p/.claude/settings.local.json", "/none.json"} {
		require.ErrorContains(t, err, want)
	}
	files, problems, err := claudecode.Discover(claudecode.Places{Read: disk{}.read})
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Empty(t, files)
}

// The client runs without a plugin that is not there; so does this, and tells.
func TestDiscoverTellsOfPluginsThatAreNotThere(t *testing.T) {
	const list = "/h/plugins/installed_plugins.json"
	for name, test := range map[string]struct {
		installed string
		problems  []string
	}{
		"no list":         {"", []string{"/h/settings.json:2: the plugin p@m is enabled, and " + list + " does not say where it is installed for this project; its hooks are not loaded (file-dropped)"}},
		"a broken list":   {`{"plugins": `, []string{list + ": ", "/h/settings.json:2: the plugin p@m is enabled"}},
		"not listed":      {`{"plugins": {"q@m": []}}`, []string{"/h/settings.json:2: the plugin p@m is enabled"}},
		"no path":         {`{"plugins": {"p@m": [{"installPath": 1}]}}`, []string{"/h/settings.json:2: the plugin p@m is enabled"}},
		"another project": {`{"plugins": {"p@m": [{"installPath": "/x", "projectPath": "/other"}]}}`, []string{"/h/settings.json:2: the plugin p@m is enabled"}},
		"no folder":       {`{"plugins": {"p@m": [{"installPath": "/gone"}]}}`, []string{"/h/settings.json:2: the plugin p@m is enabled, and nothing is in /gone"}},
		"no file":         {`{"plugins": {"p@m": [{"installPath": "/p"}]}}`, []string{`/p/.claude-plugin/plugin.json:2: hooks: there is no file "./none.json" (file-dropped)`}},
	} {
		t.Run(name, func(t *testing.T) {
			all := disk{
				"/h/settings.json":              "{\"enabledPlugins\":\n{\"p@m\": true}}",
				"/p/.claude-plugin/plugin.json": "{\"hooks\":\n\"./none.json\"}",
			}
			if test.installed != "" {
				all[list] = test.installed
			}
			files, problems, err := claudecode.Discover(claudecode.Places{Home: "/h", Project: "/project", Read: all.read, List: all.list})
			require.NoError(t, err)
			require.Len(t, files, 1)
			require.Len(t, problems, len(test.problems))
			for i, want := range test.problems {
				require.Contains(t, problems[i].String(), want)
			}
		})
	}
}
