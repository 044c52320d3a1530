package action

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is how many symbolic links one path may lead through, as in the
// kernel.
const maxLinks = 40

// Links is the [Resolver] of the machine's own file system. A link whose target
// does not exist yet leads to the target, because that is what writing through
// it creates. Loops and folders that may not be searched are not known.
func Links(path string) (real string, ok bool) {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", false
	}
	w := walk{done: "/", rest: split(path)}
	for len(w.rest) > 0 {
		if !w.step() {
			return "", false
		}
	}
	return w.done, true
}

// A walk follows a path one name at a time.
type walk struct {
	done  string   // without links
	rest  []string // what is still to follow
	links int
}

func (w *walk) step() bool {
	name := w.rest[0]
	w.rest = w.rest[1:]
	if name == ".." {
		w.done = filepath.Dir(w.done)
		return true
	}
	next := filepath.Join(w.done, name)
	info, err := os.Lstat(next)
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
		next = filepath.Join(next, name)
	}
	w.done, w.rest = next, nil
	return true
}

func (w *walk) follow(link string) bool {
	target, err := os.Readlink(link)
	if w.links++; err != nil || w.links > maxLinks {
		return false
	}
	if filepath.IsAbs(target) {
		w.done = "/"
	}
	w.rest = append(split(target), w.rest...)
	return true
}

func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}
