package codex_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/codex"
)

// A disk is files by their path.
type disk map[string]string

func (d disk) read(name string) ([]byte, error) {
	if text, is := d[name]; is {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

func (d disk) folders(folder string) (names []string, err error) {
	for name := range d {
		if below, is := strings.CutPrefix(name, folder+"/"); is && strings.Contains(below, "/") {
			name, _, _ := strings.Cut(below, "/")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (d disk) places() codex.Places {
	return codex.Places{Home: "/h", Read: d.read, Folders: d.folders}
}

const (
	enablesP = "[plugins.\"p@m\"]\nenabled = true\n"
	inP      = "/h/plugins/cache/m/p/"
	manifest = ".codex-plugin/plugin.json"
)

func TestPlugins(t *testing.T) {
	stop := func(command string) string {
		return `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + command + `"}]}]}}`
	}
	for name, test := range map[string]struct {
		disk disk
		want []string // key and command of each hook
	}{
		"variables": {
			disk{"config.toml": enablesP, "1.0.0/" + manifest: "{}", "1.0.0/hooks/hooks.json": stop("${PLUGIN_ROOT}/a $PLUGIN_DATA ${HOME}")},
			[]string{"p@m:hooks/hooks.json:stop:0:0 /h/plugins/cache/m/p/1.0.0/a $PLUGIN_DATA ${HOME}"},
		},
		"enabled unless it says otherwise": {disk{"config.toml": "[plugins.\"p@m\"]\n", "1.0.0/" + manifest: "{}", "1.0.0/hooks/hooks.json": stop("a")}, []string{"p@m:hooks/hooks.json:stop:0:0 a"}},
		"disabled":                         {disk{"config.toml": "plugins.\"p@m\".enabled = false", "1.0.0/" + manifest: "{}", "1.0.0/hooks/hooks.json": stop("a")}, nil},
		"no plugins at all":                {disk{"config.toml": "features.plugins = false\n" + enablesP, "1.0.0/" + manifest: "{}", "1.0.0/hooks/hooks.json": stop("a")}, nil},
		"the highest version": {
			disk{"config.toml": enablesP, "9.0.0/" + manifest: "{}", "9.0.0/hooks/hooks.json": stop("old"), "10.0.0-a/x/y": "", "10.0.0/" + manifest: "{}", "10.0.0/hooks/hooks.json": stop("new")},
			[]string{"p@m:hooks/hooks.json:stop:0:0 new"},
		},
		"a local version": {
			disk{"config.toml": enablesP, "9.0.0/" + manifest: "{}", "local/" + manifest: "{}", "local/hooks/hooks.json": stop("local")},
			[]string{"p@m:hooks/hooks.json:stop:0:0 local"},
		},
		"words as versions": {
			disk{"config.toml": enablesP, "b/" + manifest: "{}", "b/hooks/hooks.json": stop("b"), "a/x/y": "", "c d/x/y": ""},
			[]string{"p@m:hooks/hooks.json:stop:0:0 b"},
		},
		"the manifest of the other client": {disk{"config.toml": enablesP, "1/.claude-plugin/plugin.json": "{}", "1/hooks/hooks.json": stop("a")}, []string{"p@m:hooks/hooks.json:stop:0:0 a"}},
		"a file of the manifest, and no other": {
			disk{"config.toml": enablesP, "1/" + manifest: `{"hooks":"./hooks/one.json"}`, "1/hooks/hooks.json": stop("usual"), "1/hooks/one.json": stop("one")},
			[]string{"p@m:hooks/one.json:stop:0:0 one"},
		},
		"files of the manifest": {
			disk{"config.toml": enablesP, "1/" + manifest: `{"hooks":["./b.json","./a.json"]}`, "1/a.json": stop("a"), "1/b.json": stop("b")},
			[]string{"p@m:b.json:stop:0:0 b", "p@m:a.json:stop:0:0 a"},
		},
		"hooks in the manifest": {
			disk{"config.toml": enablesP, "1/" + manifest: "{\n\"hooks\":" + stop("in") + "}", "1/hooks/hooks.json": stop("usual")},
			[]string{"p@m:plugin.json#hooks[0]:stop:0:0 in"},
		},
		"a list of hooks in the manifest": {
			disk{"config.toml": enablesP, "1/" + manifest: `{"hooks":[` + stop("a") + `,` + stop("b") + `]}`},
			[]string{"p@m:plugin.json#hooks[0]:stop:0:0 a", "p@m:plugin.json#hooks[1]:stop:0:0 b"},
		},
		"no hooks": {disk{"config.toml": enablesP, "1/" + manifest: "{}"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			found, problems, err := codex.Discover(test.disk.below(inP).places())
			require.NoError(t, err)
			require.Empty(t, problems)
			c := codex.Load(found, codex.Options{})
			require.Empty(t, c.Problems)
			var got []string
			for _, h := range c.Hooks {
				require.Equal(t, codex.Untrusted, h.Trust)
				require.Contains(t, h.Env, "CLAUDE_PLUGIN_DATA=/h/plugins/data/p-m")
				got = append(got, h.Key+" "+h.Command)
			}
			require.Equal(t, test.want, got)
		})
	}
}

// below puts the files of a plugin into its folder, and the configuration into
// that of the client.
func (d disk) below(folder string) disk {
	out := disk{}
	for name, text := range d {
		if name == "config.toml" {
			name = "/h/" + name
		} else {
			name = folder + name
		}
		out[name] = text
	}
	return out
}

// Plugins load by name, behind all other layers, and only those that the user's
// own configuration enables.
func TestPluginsOrder(t *testing.T) {
	d := disk{
		"/h/config.toml":                          "[plugins.\"q@m\"]\n" + enablesP,
		"/project/.codex/config.toml":             "[plugins.\"r@m\"]\n",
		"/h/plugins/cache/m/q/1/" + manifest:      "{}",
		"/h/plugins/cache/m/q/1/hooks/hooks.json": guard,
		inP + "1/" + manifest:                     "{}",
		inP + "1/hooks/hooks.json":                guard,
		"/h/plugins/cache/m/r/1/" + manifest:      "{}",
		"/h/plugins/cache/m/r/1/hooks/hooks.json": guard,
	}
	places := d.places()
	places.Root, places.Dir = "/project", "/project"
	found, problems, err := codex.Discover(places)
	require.NoError(t, err)
	require.Empty(t, problems)
	var paths []string
	for _, f := range found {
		paths = append(paths, f.Path)
	}
	require.Equal(t, []string{"/h/config.toml", "/project/.codex/config.toml", inP + "1/hooks/hooks.json", "/h/plugins/cache/m/q/1/hooks/hooks.json"}, paths)
}

// The client runs without a plugin that it cannot load; so does this, and tells.
func TestPluginsThatDoNotLoad(t *testing.T) {
	for name, test := range map[string]struct {
		disk    disk
		problem string
		files   int
	}{
		"not installed":   {disk{"config.toml": enablesP}, "/h/config.toml:1: the plugin p@m is enabled, and none of its versions is in /h/plugins/cache/m/p; its hooks are not loaded (file-dropped)", 1},
		"no name":         {disk{"config.toml": "[plugins.\"../p\"]"}, "/h/config.toml:1: the plugin ../p is enabled, and it has no name like \"plugin@marketplace\"; its hooks are not loaded (file-dropped)", 1},
		"a way out":       {disk{"config.toml": "[plugins.\"p@..\"]"}, "/h/config.toml:1: the plugin p@.. is enabled, and it has no name like \"plugin@marketplace\"; its hooks are not loaded (file-dropped)", 1},
		"no manifest":     {disk{"config.toml": enablesP, "1/hooks/hooks.json": guard}, inP + "1: the plugin has no .codex-plugin/plugin.json and no .claude-plugin/plugin.json; Codex does not load it (file-dropped)", 1},
		"no JSON":         {disk{"config.toml": enablesP, "1/" + manifest: "{\n"}, "Codex does not load the plugin (file-dropped)", 1},
		"outside":         {disk{"config.toml": enablesP, "1/" + manifest: `{"hooks":"./../x.json"}`}, `plugin.json:1: hooks: "./../x.json", expected a path like "./hooks/hooks.json" that stays in the plugin (entry-skipped)`, 1},
		"an absolute one": {disk{"config.toml": enablesP, "1/" + manifest: `{"hooks":"/x.json"}`}, `hooks: "/x.json", expected a path like`, 1},
		"no such file":    {disk{"config.toml": enablesP, "1/" + manifest: `{"hooks":"./x.json"}`}, `plugin.json:1: hooks: there is no file "./x.json" (entry-skipped)`, 1},
		"a number":        {disk{"config.toml": enablesP, "1/" + manifest: "{\n\"hooks\":5}"}, `plugin.json:2: hooks: number, expected the path of a file, or hooks (entry-skipped)`, 1},
		"twice":           {disk{"config.toml": enablesP, "1/" + manifest: `{"hooks":{"hooks":{"Stop":[]},"hooks":{}}}`}, `hooks: a key occurs twice; the last holds here (mistaken)`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			found, problems, err := codex.Discover(test.disk.below(inP).places())
			require.NoError(t, err)
			require.Len(t, found, test.files)
			require.Len(t, problems, 1)
			require.Contains(t, problems[0].String(), test.problem)
		})
	}
	_, problems, err := codex.Discover(codex.Places{Home: "/h", Read: disk{"/h/config.toml": enablesP}.read})
	require.NoError(t, err)
	require.Equal(t, hookproto.FileDropped, problems[0].Severity)
	require.Contains(t, problems[0].Text, "plugins are not looked for here")
}
