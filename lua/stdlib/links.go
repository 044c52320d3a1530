package stdlib

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"
)

// maxLinks is how many symbolic links one path may lead through, as in the
// kernel.
const maxLinks = 40

// maxResolved is how long a path may be that is looked up, as in the kernel.
const maxResolved = 4096

// Resolve follows the symbolic links of an absolute path. What does not exist yet
// leads to itself, because that is what writing there creates. ok is false if the
// place cannot be known: there is no file system, a loop, a folder that may not
// be searched.
func (s Services) Resolve(name string) (real string, ok bool) {
	if s.FS == nil || len(name) > maxResolved || !path.IsAbs(name) || strings.ContainsRune(name, 0) {
		return "", false
	}
	w := walk{files: s.FS, done: "/", rest: pathNames(name)}
	for len(w.rest) > 0 {
		if !w.step() {
			return "", false
		}
	}
	return w.done, true
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
	info, err := fs.Lstat(w.files, inFS(next))
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
	target, err := fs.ReadLink(w.files, inFS(link))
	if w.links++; err != nil || w.links > maxLinks {
		return false
	}
	if path.IsAbs(target) {
		w.done = "/"
	}
	w.rest = append(pathNames(target), w.rest...)
	return true
}

// pathNames splits a path. Names that say nothing are left out.
func pathNames(name string) []string {
	names := strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
	kept := names[:0]
	for _, n := range names {
		if n != "." {
			kept = append(kept, n)
		}
	}
	return kept
}

// inFS is the name of an absolute, clean path in a file system from its root.
func inFS(absolute string) string {
	if absolute == "/" {
		return "."
	}
	return absolute[1:]
}

// Links is an invented file system of which only its symbolic links are known:
// the absolute path of each, with its target. Every other name is taken for a
// folder or file that is no link. Nothing in it can be opened.
type Links map[string]string

// Open implements [fs.FS].
func (Links) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Lstat implements [fs.ReadLinkFS].
func (l Links) Lstat(name string) (fs.FileInfo, error) {
	if _, ok := l["/"+name]; ok {
		return invented{path.Base(name), fs.ModeSymlink | 0o777}, nil
	}
	return invented{path.Base(name), fs.ModeDir | 0o755}, nil
}

// ReadLink implements [fs.ReadLinkFS].
func (l Links) ReadLink(name string) (string, error) {
	if target, ok := l["/"+name]; ok {
		return target, nil
	}
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

// invented describes a name of an invented file system.
type invented struct {
	name string
	mode fs.FileMode
}

func (i invented) Name() string       { return i.name }
func (i invented) Size() int64        { return 0 }
func (i invented) Mode() fs.FileMode  { return i.mode }
func (i invented) ModTime() time.Time { return time.Time{} }
func (i invented) IsDir() bool        { return i.mode.IsDir() }
func (i invented) Sys() any           { return nil }
