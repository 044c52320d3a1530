package codex

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/document"
)

// manifests are where a plugin describes itself; the first that is there holds.
var manifests = []string{".codex-plugin/plugin.json", ".claude-plugin/plugin.json"}

// usualHooks are the hooks of a plugin whose manifest does not say otherwise.
const usualHooks = "hooks/hooks.json"

// localVersion is the version of a plugin without one, and holds before others.
const localVersion = "local"

// Segments of a plugin's name, and versions, are names of folders.
var (
	pluginSegment = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	pluginVersion = regexp.MustCompile(`^[A-Za-z0-9_.+-]+$`)
)

// An installed plugin is one whose hooks are read.
type installed struct {
	name string // "plugin@marketplace"
	root string
	env  []string
}

// plugins adds the hooks of the plugins that the user's own configuration
// enables; that of a project does not count.
func (d *discovery) plugins() {
	at := slices.IndexFunc(d.files, func(f File) bool { return f.Source == User && f.Format == TOML })
	if at < 0 {
		return
	}
	config := d.files[at]
	root, err := document.ParseTOML(config.Data)
	if err != nil || root.Get("features").Get("plugins").Is("false") {
		return // Load tells of what it cannot read
	}
	table := root.Get("plugins")
	if table == nil {
		return
	}
	names := slices.SortedFunc(slices.Values(table.Members), func(a, b document.Member) int { return cmp.Compare(a.Name, b.Name) })
	for _, m := range names {
		if enabled := m.Value.Get("enabled"); enabled == nil || enabled.Is("true") {
			d.plugin(m.Name, hookproto.Place{File: config.Path, Line: m.Line})
		}
	}
}

// plugin adds the hooks of one plugin, which at enables.
func (d *discovery) plugin(name string, at hookproto.Place) {
	p, text := d.find(name)
	if text != "" {
		d.tell(hookproto.FileDropped, at, "the plugin "+name+" is enabled, and "+text+"; its hooks are not loaded")
		return
	}
	for _, file := range manifests {
		path := filepath.Join(p.root, filepath.FromSlash(file))
		data, err := d.places.Read(path)
		if err != nil {
			continue
		}
		manifest, err := document.ParseJSON(data)
		if err != nil {
			d.tell(hookproto.FileDropped, hookproto.Place{File: path}, err.Error()+"; Codex does not load the plugin")
			return
		}
		d.hooksOf(p, path, manifest.Get("hooks"))
		return
	}
	d.tell(hookproto.FileDropped, hookproto.Place{File: p.root}, "the plugin has no "+strings.Join(manifests, " and no ")+"; Codex does not load it")
}

// find returns an installed plugin, or why there is none. The client keeps every
// version in a folder of its own below plugins/cache.
func (d *discovery) find(name string) (p installed, text string) {
	plugin, market, is := strings.Cut(name, "@")
	switch {
	case !is || !pluginSegment.MatchString(plugin) || !pluginSegment.MatchString(market):
		return p, `it has no name like "plugin@marketplace"`
	case d.places.Folders == nil:
		return p, "plugins are not looked for here"
	}
	all := filepath.Join(d.places.Home, "plugins", "cache", market, plugin)
	versions, _ := d.places.Folders(all)
	version := activeVersion(versions)
	if version == "" {
		return p, "none of its versions is in " + all
	}
	p.name, p.root = name, filepath.Join(all, version)
	data := filepath.Join(d.places.Home, "plugins", "data", plugin+"-"+market)
	p.env = []string{"PLUGIN_ROOT=" + p.root, "CLAUDE_PLUGIN_ROOT=" + p.root, "PLUGIN_DATA=" + data, "CLAUDE_PLUGIN_DATA=" + data}
	return p, ""
}

// activeVersion is the one that the client takes: a local one, else the highest.
func activeVersion(folders []string) string {
	versions := slices.DeleteFunc(slices.Clone(folders), func(v string) bool {
		return v == "." || v == ".." || !pluginVersion.MatchString(v)
	})
	switch {
	case len(versions) == 0:
		return ""
	case slices.Contains(versions, localVersion):
		return localVersion
	}
	return slices.MaxFunc(versions, compareVersions)
}

// compareVersions compares by the rules of semantic versions what both sides
// write as one, and else by bytes.
func compareVersions(a, b string) int {
	if whole("v"+a) && whole("v"+b) {
		return cmp.Or(semver.Compare("v"+a, "v"+b), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

// whole tells of a version with all three numbers.
func whole(v string) bool { return semver.IsValid(v) && semver.Canonical(v)+semver.Build(v) == v }

// hooksOf adds the hooks that a manifest holds or names, or the usual file.
func (d *discovery) hooksOf(p installed, manifest string, hooks *document.Node) {
	all := []*document.Node{hooks}
	switch {
	case hooks == nil:
		d.pluginFile(p, usualHooks)
		return
	case hooks.Kind == document.Array:
		all = hooks.Items
	}
	for i, n := range all {
		at := hookproto.Place{File: manifest, Line: n.Line}
		switch n.Kind {
		case document.String:
			d.named(p, at, n.Text)
		case document.Object:
			d.inline(p, at, i, n)
		default:
			d.tell(hookproto.EntrySkipped, at, fmt.Sprintf("hooks: %s, expected the path of a file, or hooks", n.Kind))
		}
	}
}

// named adds a file that the manifest names by its path from the plugin's root.
func (d *discovery) named(p installed, at hookproto.Place, path string) {
	inside, is := strings.CutPrefix(path, "./")
	if !is || !fs.ValidPath(inside) || inside == "." {
		d.tell(hookproto.EntrySkipped, at, fmt.Sprintf("hooks: %q, expected a path like \"./%s\" that stays in the plugin", path, usualHooks))
		return
	}
	if !d.pluginFile(p, inside) {
		d.tell(hookproto.EntrySkipped, at, fmt.Sprintf("hooks: there is no file %q", path))
	}
}

func (d *discovery) pluginFile(p installed, path string) bool {
	return d.add(File{
		Path: filepath.Join(p.root, filepath.FromSlash(path)), Source: Plugin, Format: JSON,
		Key: p.name + ":" + path, Env: p.env,
	})
}

// inline adds hooks that stand in the manifest, where they begin in it.
func (d *discovery) inline(p installed, at hookproto.Place, index int, hooks *document.Node) {
	if hooks.Any(func(n *document.Node) bool { return len(n.Duplicates()) > 0 }) {
		d.tell(hookproto.LikelyMistaken, at, "hooks: a key occurs twice; the last holds here")
	}
	d.files = append(d.files, File{
		Path: at.File, Data: append(bytes.Repeat([]byte{'\n'}, at.Line-1), hooks.JSON()...), Source: Plugin, Format: JSON,
		Key: fmt.Sprintf("%s:plugin.json#hooks[%d]", p.name, index), Env: p.env,
	})
}

func (d *discovery) tell(sev hookproto.Severity, at hookproto.Place, text string) {
	d.problems = append(d.problems, hookproto.Problem{At: at, Severity: sev, Kind: "plugin", Text: text})
}
