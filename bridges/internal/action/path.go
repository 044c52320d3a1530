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
	// Resolve follows links; nil leaves the real paths out.
	Resolve Resolver
}

// File makes the file that a call names by path. It says false if the path
// cannot be made absolute, because what it is relative to is not known; the
// file's path is then as far as it is known.
func (p Place) File(path string, change tool.Change) (f tool.File, ok bool) {
	abs, ok := p.abs(path)
	f = tool.File{Path: abs, Change: change}
	if ok && p.Resolve != nil {
		if real, known := p.Resolve(abs); known {
			f.Real = real
		}
	}
	return f, ok
}

func (p Place) abs(path string) (abs string, ok bool) {
	if rest, home := cutHome(path); home {
		path, ok = filepath.Join(p.Home, rest), filepath.IsAbs(p.Home)
		if !ok {
			path = filepath.Join("/~", rest)
		}
		return path, ok
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Cwd, path)
	}
	return filepath.Clean(path), filepath.IsAbs(path)
}

// cutHome cuts "~" off a path that begins with it as a whole component. The
// clients know no other users: "~name" is an ordinary file name.
func cutHome(path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, "~")
	return rest, ok && (rest == "" || rest[0] == '/')
}
