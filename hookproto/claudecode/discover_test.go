package claudecode_test

import (
	"errors"
	"io/fs"
	"path"
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
		if path.Dir(name) == folder {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

func hooksOf(command string) string {
	return `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}}`
}

func TestDiscover(t *testing.T) {
	const plugins = `{"version": 2, "plugins": {"p@m": [{"scope": "user", "installPath": "/plugins/p"}], "q@m": {"installPath": "/plugins/q"}, "off@m": [{"installPath": "/x"}]}}`
	all := disk{
		"/etc/c/managed-settings.json":                 hooksOf("managed"),
		"/etc/c/managed-settings.d/20.json":            hooksOf("drop-in"),
		"/etc/c/managed-settings.d/README":             "none",
		"/home/.claude/settings.json":                  `{"enabledPlugins": {"p@m": true, "off@m": true, "q@m": true}, ` + hooksOf("user")[1:],
		"/p/.claude/settings.json":                     hooksOf("project"),
		"/p/.claude/settings.local.json":               `{"enabledPlugins": {"off@m": false}, ` + hooksOf("local")[1:],
		"/p/.claude/hooks.json":                        hooksOf("never"),
		"/p/hooks.json":                                hooksOf("never"),
		"/flag.json":                                   hooksOf("flag"),
		"/home/.claude/plugins/installed_plugins.json": plugins,
		"/plugins/p/hooks/hooks.json":                  hooksOf("${CLAUDE_PLUGIN_ROOT}/h"),
		"/plugins/q/.claude-plugin/plugin.json":        `{"name": "q", "hooks": ["./more.json", "./hooks/hooks.json"]}`,
		"/plugins/q/more.json":                         hooksOf("more"),
	}
	files, err := claudecode.Discover(claudecode.Places{
		Home: "/home/.claude", Project: "/p", Managed: "/etc/c", Settings: []string{"/flag.json"}, Read: all.read, List: all.list,
	})
	require.NoError(t, err)
	var commands []string
	for _, h := range claudecode.Load(files, claudecode.Options{}).Handlers {
		commands = append(commands, claudecode.Expand(h, "/p").Command)
	}
	require.Equal(t, []string{"managed", "drop-in", "user", "project", "local", "flag", "/plugins/p/h", "more"}, commands)
	require.Equal(t, []string{"CLAUDE_PLUGIN_ROOT=/plugins/p", "CLAUDE_PLUGIN_DATA=/home/.claude/plugins/data/p-m"}, files[6].Env)
}

// The hooks of a manifest may stand in the manifest itself.
func TestDiscoverManifest(t *testing.T) {
	all := disk{
		"/h/settings.json":                  `{"enabledPlugins": {"p@m": true}}`,
		"/h/plugins/installed_plugins.json": `{"plugins": {"p@m": [{"installPath": "/p"}]}}`,
		"/p/.claude-plugin/plugin.json":     hooksOf("inline"),
	}
	files, err := claudecode.Discover(claudecode.Places{Home: "/h", Read: all.read})
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.Equal(t, "inline", claudecode.Load(files, claudecode.Options{}).Handlers[0].Command)
}

func TestDiscoverTellsWhatIsNotThere(t *testing.T) {
	broken := errors.New("permission denied")
	all := disk{
		"/h/settings.json":                  `{"enabledPlugins": {"p@m": true}}`,
		"/h/plugins/installed_plugins.json": `{"plugins": `,
	}
	_, err := claudecode.Discover(claudecode.Places{
		Home: "/h", Project: "/p", Settings: []string{"/none.json"},
		Read: func(name string) ([]byte, error) {
			if strings.HasPrefix(name, "/p/") {
				return nil, broken
			}
			return all.read(name)
		},
	})
	require.ErrorIs(t, err, broken)
	for _, want := range []string{"/p/.claude/settings.json", "/p/.claude/settings.local.json", "/none.json", "plugin p@m is enabled", "installed_plugins.json"} {
		require.ErrorContains(t, err, want)
	}
	files, err := claudecode.Discover(claudecode.Places{Read: disk{}.read})
	require.NoError(t, err)
	require.Empty(t, files)
}
