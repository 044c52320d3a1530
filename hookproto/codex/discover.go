package codex

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
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
	// Read returns a file, and fs.ErrNotExist if there is none.
	Read func(path string) ([]byte, error)
	// Folders returns the names of the folders in a folder; an error is none.
	// Nil finds no plugin, which is a problem if one is enabled.
	Folders func(folder string) ([]string, error)
}

// sessionPath stands for the flags where a path is due.
const sessionPath = "/<session-flags>/config.toml"

// Discover reads all configuration files of a session in the order in which the
// client loads them; plugins that the user enables come last, by name. Files that
// do not exist are left out. Problems are plugins whose hooks the client does not
// load, or loads otherwise than it may seem. The error joins what could not be
// read.
func Discover(p Places) ([]File, []hookproto.Problem, error) {
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
	d.plugins()
	return d.files, d.problems, errors.Join(d.errs...)
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
	places   Places
	files    []File
	problems []hookproto.Problem
	errs     []error
}

func (d *discovery) layer(folder string, s Source) {
	d.add(File{Path: filepath.Join(folder, "hooks.json"), Source: s, Format: JSON})
	d.add(File{Path: filepath.Join(folder, "config.toml"), Source: s, Format: TOML})
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
