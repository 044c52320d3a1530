package claudecode

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

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
	// Read returns a file, and fs.ErrNotExist if there is none.
	Read func(path string) ([]byte, error)
	// List returns the names in a folder in byte order; an error is an empty
	// folder, since nothing says that it must be there. Nil looks into none.
	List func(folder string) ([]string, error)
}

// Discover reads all configuration files of a session in the order in which the
// client takes them together: the administrator's, the user's, the project's
// shared and own ones, those of flags, and the enabled plugins'. Files that do
// not exist are left out. The error joins what could not be read.
func Discover(p Places) ([]File, error) {
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
	return d.files, errors.Join(d.errs...)
}

type discovery struct {
	places Places
	files  []File
	errs   []error
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

// plugins adds the files of the plugins that the settings enable.
func (d *discovery) plugins() {
	enabled := d.enabled()
	if len(enabled) == 0 {
		return
	}
	list := filepath.Join(d.places.Home, "plugins", "installed_plugins.json")
	installed := d.object(list)
	for _, name := range enabled {
		root := installPath(installed.Get("plugins").Get(name))
		if root == "" {
			d.errs = append(d.errs, fmt.Errorf("plugin %s is enabled, and %s does not say where it is installed", name, list))
			continue
		}
		d.plugin(name, root)
	}
}

// enabled lists the plugins that the settings enable; a later file overrules
// an earlier one.
func (d *discovery) enabled() []string {
	var names []string
	on := map[string]bool{}
	for _, f := range d.files {
		root, err := document.ParseJSON(f.Data)
		plugins := root.Get("enabledPlugins")
		if err != nil || plugins == nil {
			continue // told by Load
		}
		for _, m := range plugins.Members {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
			on[m.Name] = m.Value.Is("true")
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !on[name] })
}

// object reads a file of the client's own.
func (d *discovery) object(path string) *document.Node {
	data, err := d.places.Read(path)
	if err != nil {
		return nil
	}
	root, err := document.ParseJSON(data)
	if err != nil {
		d.errs = append(d.errs, fmt.Errorf("%s: %w", path, err))
		return nil
	}
	return root
}

// installPath is where a plugin is: its entry is one installation, or a list.
func installPath(entry *document.Node) string {
	if entry != nil && len(entry.Items) > 0 {
		entry = entry.Items[0]
	}
	if path := entry.Get("installPath"); path != nil {
		return path.Text
	}
	return ""
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
			d.add(File{Path: path, Layer: Plugin, Env: env})
		}
	}
}
