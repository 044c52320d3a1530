package claudecode

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/document"
)

// Places say where a session's configuration is.
type Places struct {
	// Home is CLAUDE_CONFIG_DIR, by default ~/.claude.
	Home string
	// Project is the project's root folder; "" is none.
	Project string
	// Managed is the administrator's folder: /etc/claude-code.
	Managed string
	// Settings are the files of --settings, in order.
	Settings []string
	// PluginDirs are the folders of --plugin-dir, in order: plugins of this session.
	PluginDirs []string
	// Read returns a file, and fs.ErrNotExist if there is none.
	Read func(path string) ([]byte, error)
	// List returns the names in a folder in byte order; an error is an empty
	// folder, since nothing says that it must be there. Nil looks into none.
	List func(folder string) ([]string, error)
}

// Discover reads all configuration files of a session in the order in which the
// client takes them together: the administrator's, the user's, the project's
// shared and own ones, those of flags, and the enabled plugins'. Files that do
// not exist are left out. Problems are enabled plugins that are not there, which
// the client runs without. The error joins what could not be read.
func Discover(p Places) ([]File, []hookproto.Problem, error) {
	d := discovery{places: p}
	if p.Managed != "" {
		d.managed()
	}
	if p.Home != "" {
		d.add(File{Path: filepath.Join(p.Home, "settings.json"), Layer: User})
	}
	if p.Project != "" {
		d.add(File{Path: filepath.Join(p.Project, ".claude", "settings.json"), Layer: Project})
		d.add(File{Path: filepath.Join(p.Project, ".claude", "settings.local.json"), Layer: Local})
	}
	for _, path := range p.Settings {
		if !d.add(File{Path: path, Layer: Flag}) {
			d.errs = append(d.errs, fmt.Errorf("%s: %w", path, fs.ErrNotExist))
		}
	}
	d.plugins()
	for _, root := range p.PluginDirs {
		name := filepath.Base(root)
		if n := d.object(filepath.Join(root, ".claude-plugin", "plugin.json")).Get("name"); n != nil && n.Kind == document.String {
			name = n.Text
		}
		d.plugin(name+inline, root)
	}
	return d.files, d.problems, errors.Join(d.errs...)
}

// inline is the marketplace of plugins that a command line names.
const inline = "@inline"

type discovery struct {
	places   Places
	files    []File
	problems []hookproto.Problem
	errs     []error
}

// add reads a file and reports whether there is one.
func (d *discovery) add(f File) bool {
	data, err := d.places.Read(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case err != nil:
		d.errs = append(d.errs, fmt.Errorf("%s: %w", f.Path, err))
	default:
		f.Data = data
		d.files = append(d.files, f)
	}
	return true
}

func (d *discovery) managed() {
	d.add(File{Path: filepath.Join(d.places.Managed, "managed-settings.json"), Layer: Managed})
	folder := filepath.Join(d.places.Managed, "managed-settings.d")
	if d.places.List == nil {
		return
	}
	names, _ := d.places.List(folder)
	for _, name := range names {
		if filepath.Ext(name) == ".json" {
			d.add(File{Path: filepath.Join(folder, name), Layer: Managed})
		}
	}
}

// plugins adds the files of the plugins that the settings enable. Where they are
// is kept in a file of the client's own:
//
//	{"version": 2, "plugins": {"name@marketplace": [{"scope": "user", "installPath": "/…"}]}}
//
// Version 1 has one installation in place of the list.
func (d *discovery) plugins() {
	enabled := d.enabled()
	if len(enabled) == 0 {
		return
	}
	list := filepath.Join(d.places.Home, "plugins", "installed_plugins.json")
	known := d.object(list).Get("plugins")
	for _, e := range enabled {
		root := d.installed(known.Get(e.name))
		if root == "" {
			d.tell(e.at, fmt.Sprintf("the plugin %s is enabled, and %s does not say where it is installed for this project; its hooks are not loaded", e.name, list))
			continue
		}
		if d.missing(root) {
			d.tell(e.at, fmt.Sprintf("the plugin %s is enabled, and nothing is in %s; its hooks are not loaded", e.name, root))
			continue
		}
		d.plugin(e.name, root)
	}
}

// missing tells of a folder that is empty, or is not there.
func (d *discovery) missing(folder string) bool {
	if d.places.List == nil {
		return false
	}
	names, _ := d.places.List(folder)
	return len(names) == 0
}

// A switched plugin is one that settings enable or disable, and where.
type switched struct {
	name string
	at   hookproto.Place
	on   bool
}

// enabled lists the plugins that the settings enable; a later file overrules
// an earlier one.
func (d *discovery) enabled() []switched {
	var all []switched
	for _, f := range d.files {
		root, err := document.ParseJSON(f.Data)
		plugins := root.Get("enabledPlugins")
		if err != nil || plugins == nil {
			continue // told by Load
		}
		for _, m := range plugins.Members {
			s := switched{name: m.Name, at: hookproto.Place{File: f.Path, Line: m.Line}, on: m.Value.Is("true")}
			if at := slices.IndexFunc(all, func(s switched) bool { return s.name == m.Name }); at >= 0 {
				all[at] = s
				continue
			}
			all = append(all, s)
		}
	}
	return slices.DeleteFunc(all, func(s switched) bool { return !s.on })
}

// object reads a file of the client's own.
func (d *discovery) object(path string) *document.Node {
	data, err := d.places.Read(path)
	if err != nil {
		return nil
	}
	root, err := document.ParseJSON(data)
	if err != nil {
		d.tell(hookproto.Place{File: path}, err.Error())
		return nil
	}
	return root
}

func (d *discovery) tell(at hookproto.Place, text string) {
	d.problems = append(d.problems, hookproto.Problem{At: at, Severity: hookproto.FileDropped, Kind: "plugin", Text: text})
}

// installed is where a plugin is: the installation for this project, else the one
// for all. entry is one installation, or a list.
func (d *discovery) installed(entry *document.Node) string {
	if entry == nil {
		return ""
	}
	all := entry.Items
	if entry.Kind == document.Object {
		all = []*document.Node{entry}
	}
	var root string
	for _, n := range slices.Backward(all) {
		path, project := n.Get("installPath"), n.Get("projectPath")
		switch {
		case path == nil || path.Kind != document.String:
		case project == nil && root == "":
			root = path.Text
		case project != nil && d.places.Project != "" && filepath.Clean(project.Text) == filepath.Clean(d.places.Project):
			return path.Text
		}
	}
	return root
}

// fileName is the name of a plugin as that of a folder.
func fileName(plugin string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '-'
	}, plugin)
}

// plugin adds the hooks of one plugin: those of its own file, and those that
// its manifest holds or names.
func (d *discovery) plugin(name, root string) {
	data := filepath.Join(d.places.Home, "plugins", "data", fileName(name))
	env := []string{"CLAUDE_PLUGIN_ROOT=" + root, "CLAUDE_PLUGIN_DATA=" + data}
	usual := filepath.Join(root, "hooks", "hooks.json")
	d.add(File{Path: usual, Layer: Plugin, Env: env})
	manifest := filepath.Join(root, ".claude-plugin", "plugin.json")
	hooks := d.object(manifest).Get("hooks")
	if hooks == nil {
		return
	}
	if hooks.Kind == document.Object {
		d.add(File{Path: manifest, Layer: Plugin, Env: env})
	}
	for _, n := range append(slices.Clone(hooks.Items), hooks) {
		if path := filepath.Join(root, filepath.FromSlash(n.Text)); n.Kind == document.String && path != usual {
			if !d.add(File{Path: path, Layer: Plugin, Env: env}) {
				d.tell(hookproto.Place{File: manifest, Line: n.Line}, fmt.Sprintf("hooks: there is no file %q", n.Text))
			}
		}
	}
}
