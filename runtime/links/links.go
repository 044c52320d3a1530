// Package links tells where a path really leads: it follows the symbolic links of
// a file system, the machine's own or an invented one.
package links

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// As in the kernel: how many symbolic links one path may lead through, and how
// long it may be, in bytes.
const (
	maxLinks = 40
	maxPath  = 4096
)

// Resolve follows the links of an absolute path in files, a file system from its
// root whose links are those of [fs.ReadLinkFS]. A link whose target does not
// exist yet leads to the target, because that is what writing through it creates.
// ok is false if the place cannot be known: a loop, or a folder that may not be
// searched.
func Resolve(files fs.FS, name string) (real string, ok bool) {
	if len(name) > maxPath || !path.IsAbs(name) || strings.ContainsRune(name, 0) {
		return "", false
	}
	w := walk{files: files, done: "/", rest: Names(name)}
	for len(w.rest) > 0 {
		if !w.step() {
			return "", false
		}
	}
	return w.done, true
}

// Names splits a path at its slashes. Names that say nothing are left out.
func Names(name string) []string {
	names := strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
	kept := names[:0]
	for _, n := range names {
		if n != "." {
			kept = append(kept, n)
		}
	}
	return kept
}

// InFS is the name of an absolute, clean path in a file system from its root.
func InFS(absolute string) string {
	if absolute == "/" {
		return "."
	}
	return absolute[1:]
}

// A walk follows a path one name at a time.
type walk struct {
	files fs.FS
	done  string   // without links
	rest  []string // what is still to follow
	links int
}

func (w *walk) step() bool {
	name := w.rest[0]
	w.rest = w.rest[1:]
	if name == ".." {
		w.done = path.Dir(w.done)
		return true
	}
	next := path.Join(w.done, name)
	info, err := fs.Lstat(w.files, InFS(next))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w.create(next)
	case err != nil:
		return false
	case info.Mode()&fs.ModeSymlink == 0:
		w.done = next
		return true
	}
	return w.follow(next)
}

// create takes the rest of the path as it is: below a name that does not exist
// there are no links.
func (w *walk) create(next string) bool {
	for _, name := range w.rest {
		if name == ".." {
			return false // only an existing folder has a parent
		}
		next = path.Join(next, name)
	}
	w.done, w.rest = next, nil
	return true
}

func (w *walk) follow(link string) bool {
	target, err := fs.ReadLink(w.files, InFS(link))
	if w.links++; err != nil || w.links > maxLinks {
		return false
	}
	if path.IsAbs(target) {
		w.done = "/"
	}
	w.rest = append(Names(target), w.rest...)
	return true
}
