package action

import (
	"path/filepath"
	"strings"

	"github.com/dsh-lua/dsh/runtime/tool"
)

// A Resolver tells where an absolute, cleaned path really leads, with all
// symbolic links followed; for a file that does not exist yet, where it would
// come to be. It says false if that cannot be known.
type Resolver func(path string) (real string, ok bool)

// A Place says what the paths of a call are relative to.
type Place struct {
	// Cwd is the absolute path of the working directory.
	Cwd string
	// Home is the absolute path that "~" stands for; empty if it is not known.
	Home string
	// TildeIsName is true for a client that takes "~" for an ordinary name, at
	// least in some releases. A path that begins with it then stands for two
	// files: the one that it names and the one at home.
	TildeIsName bool
	// Resolve follows links; nil leaves the real paths out.
	Resolve Resolver
}

// Files makes the files that a call may mean by path. It says false if there may
// be another one, or if what the path is relative to is not known; the file's
// path is then the one given.
func (p Place) Files(path string, change tool.Change) (files []tool.File, ok bool) {
	rest, tilde := cutHome(path)
	if !tilde || p.TildeIsName {
		f, known := p.file(p.Cwd, path, path, change)
		files, ok = append(files, f), known
	}
	if !tilde {
		return files, ok
	}
	f, known := p.file(p.Home, "."+rest, path, change)
	if known || !p.TildeIsName {
		files = append(files, f)
	}
	return files, known && (ok || !p.TildeIsName)
}

// file makes the file at path, seen from base; given is how the call spells it.
func (p Place) file(base, path, given string, change tool.Change) (f tool.File, ok bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	if !filepath.IsAbs(path) {
		return tool.File{Path: given, Change: change}, false
	}
	f = tool.File{Path: filepath.Clean(path), Change: change}
	if p.Resolve != nil {
		if real, known := p.Resolve(f.Path); known {
			f.Real = real
		}
	}
	return f, true
}

// cutHome cuts "~" off a path that begins with it as a whole component. The
// clients know no other users: "~name" is an ordinary file name.
func cutHome(path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, "~")
	return rest, ok && (rest == "" || rest[0] == '/')
}
