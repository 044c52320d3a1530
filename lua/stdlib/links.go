package stdlib

import (
	"io/fs"
	"path"
	"time"

	"github.com/dsh-lua/dsh/runtime/links"
)

// Resolve follows the symbolic links of an absolute path; see [links.Resolve]. ok
// is false if the place cannot be known, or if there is no file system.
func (s Services) Resolve(name string) (real string, ok bool) {
	if s.FS == nil {
		return "", false
	}
	return links.Resolve(s.FS, name)
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
