package codex

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Places say where a session's configuration is.
type Places struct {
	// Home is CODEX_HOME, by default ~/.codex.
	Home string
	// Root and Dir are the project's root folder and the session's working
	// directory at or below it. Without a Root there is no project.
	Root, Dir string
	// Etc is the administrator's folder: /etc/codex.
	Etc string
	// Flags are the session's configuration overrides: "hooks.Stop=[…]".
	Flags []string
	// Plugins come last, in this order.
	Plugins []PluginPlace
	// Read returns a file, and fs.ErrNotExist if there is none.
	Read func(path string) ([]byte, error)
}

// A PluginPlace is one installed plugin.
type PluginPlace struct {
	Name string // "plugin@marketplace"
	Root string // where it is installed
	Data string // where it keeps its own data
}

// sessionPath stands for the flags where a path is due.
const sessionPath = "/<session-flags>/config.toml"

// Discover reads all configuration files of a session in the order in which the
// client loads them. Files that do not exist are left out.
func Discover(p Places) ([]File, error) {
	d := discovery{places: p}
	if p.Etc != "" {
		d.add(File{Path: filepath.Join(p.Etc, "requirements.toml"), Source: Requirements, Format: TOML})
		d.layer(p.Etc, System)
	}
	if p.Home != "" {
		d.layer(p.Home, User)
	}
	for _, folder := range folders(p.Root, p.Dir) {
		d.layer(filepath.Join(folder, ".codex"), Project)
	}
	for _, flag := range p.Flags {
		d.files = append(d.files, File{Path: sessionPath, Source: Session, Format: TOML, Data: []byte(flag)})
	}
	for _, plugin := range p.Plugins {
		d.plugin(plugin)
	}
	return d.files, errors.Join(d.errs...)
}

// folders returns the folders from root to dir, or root alone if dir is not
// below it.
func folders(root, dir string) []string {
	if root == "" {
		return nil
	}
	all := []string{root}
	rel, err := filepath.Rel(root, dir)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return all
	}
	for step := range strings.SplitSeq(rel, string(filepath.Separator)) {
		all = append(all, filepath.Join(all[len(all)-1], step))
	}
	return all
}

type discovery struct {
	places Places
	files  []File
	errs   []error
}

func (d *discovery) layer(folder string, s Source) {
	d.add(File{Path: filepath.Join(folder, "hooks.json"), Source: s, Format: JSON})
	d.add(File{Path: filepath.Join(folder, "config.toml"), Source: s, Format: TOML})
}

func (d *discovery) plugin(p PluginPlace) {
	const file = "hooks/hooks.json"
	env := []string{"PLUGIN_ROOT=" + p.Root, "CLAUDE_PLUGIN_ROOT=" + p.Root, "PLUGIN_DATA=" + p.Data, "CLAUDE_PLUGIN_DATA=" + p.Data}
	d.add(File{
		Path: filepath.Join(p.Root, filepath.FromSlash(file)), Source: Plugin, Format: JSON,
		Key: p.Name + ":" + file, Env: env,
	})
}

func (d *discovery) add(f File) {
	data, err := d.places.Read(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		d.errs = append(d.errs, fmt.Errorf("%s: %w", f.Path, err))
	default:
		f.Data = data
		d.files = append(d.files, f)
	}
}
