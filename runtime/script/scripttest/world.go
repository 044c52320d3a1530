package scripttest

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/links"
	"github.com/dsh-lua/dsh/runtime/session"
)

// The world in which every test begins.
const (
	home    = "/home/dev"
	project = "/home/dev/app"
)

// dawn is the time of the first event of every test.
var dawn = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// A world is what policies under test reach. A test has its own.
type world struct {
	mu    sync.Mutex
	now   time.Time
	state *stdlib.Memory
	files *files
}

func newWorld() *world {
	return &world{now: dawn, state: new(stdlib.Memory), files: newFiles()}
}

// services are those of the test under way: policies are loaded once for all
// tests of a file.
func (f *fileRun) services() stdlib.Services {
	return stdlib.Services{
		FS: worldFS{f}, Home: home, State: worldState{f},
		Clock: func(context.Context) time.Time { return f.world.time() },
	}
}

func (w *world) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) setTime(t time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = t
}

// resolve follows the links of the invented file system.
func (w *world) resolve(name string) (real string, ok bool) { return links.Resolve(w.files, name) }

// worldState is the state of the world of now.
type worldState struct{ run *fileRun }

func (s worldState) Update(ctx context.Context, scope string, f func(stdlib.Entries) error) error {
	return s.run.world.state.Update(ctx, scope, f)
}

func (s worldState) View(ctx context.Context, scope string, f func(stdlib.Entries) error) error {
	return s.run.world.state.View(ctx, scope, f)
}

// worldFS is the file system of the world of now.
type worldFS struct{ run *fileRun }

func (w worldFS) Open(name string) (fs.File, error)        { return w.run.world.files.Open(name) }
func (w worldFS) Lstat(name string) (fs.FileInfo, error)   { return w.run.world.files.Lstat(name) }
func (w worldFS) ReadLink(name string) (string, error)     { return w.run.world.files.ReadLink(name) }
func (w worldFS) Stat(name string) (fs.FileInfo, error)    { return w.run.world.files.Stat(name) }
func (w worldFS) ReadDir(n string) ([]fs.DirEntry, error)  { return w.run.world.files.ReadDir(n) }
func (w worldFS) ReadFile(name string) (b []byte, e error) { return w.run.world.files.ReadFile(name) }

// files is an invented file system. A folder exists where something is in it.
type files struct {
	mu    sync.Mutex
	nodes map[string]node // by name as of [fs.ValidPath]
}

// A node is a file, a folder or a link.
type node struct {
	mode fs.FileMode
	text string // of a file; of a link where it leads
}

func newFiles() *files {
	f := &files{nodes: map[string]node{}}
	f.put(project, node{mode: fs.ModeDir | 0o755})
	return f
}

// put makes a node, and the folders on the way to it.
func (f *files) put(name string, n node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	name = strings.TrimPrefix(path.Clean(name), "/")
	if name == "" {
		return
	}
	f.nodes[name] = n
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, ok := f.nodes[dir]; !ok {
			f.nodes[dir] = node{mode: fs.ModeDir | 0o755}
		}
	}
}

func (f *files) find(op, name string) (node, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if name == "." {
		return node{mode: fs.ModeDir | 0o755}, nil
	}
	n, ok := f.nodes[name]
	if !ok {
		return n, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

// follow is find behind all links.
func (f *files) follow(op, name string) (node, error) {
	if real, ok := links.Resolve(f, "/"+name); ok && name != "." {
		name = strings.TrimPrefix(real, "/")
	}
	return f.find(op, name)
}

func (f *files) Lstat(name string) (fs.FileInfo, error) {
	n, err := f.find("lstat", name)
	if err != nil {
		return nil, err
	}
	return info{path.Base(name), n}, nil
}

func (f *files) Stat(name string) (fs.FileInfo, error) {
	n, err := f.follow("stat", name)
	if err != nil {
		return nil, err
	}
	return info{path.Base(name), n}, nil
}

func (f *files) ReadLink(name string) (string, error) {
	n, err := f.find("readlink", name)
	if err == nil && n.mode&fs.ModeSymlink == 0 {
		err = &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	return n.text, err
}

func (f *files) ReadFile(name string) ([]byte, error) {
	n, err := f.follow("open", name)
	if err == nil && n.mode.IsDir() {
		err = &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return []byte(n.text), err
}

func (f *files) ReadDir(name string) (list []fs.DirEntry, err error) {
	if _, err := f.follow("open", name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for other, n := range f.nodes {
		if path.Dir(other) == name {
			list = append(list, fs.FileInfoToDirEntry(info{path.Base(other), n}))
		}
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

func (f *files) Open(name string) (fs.File, error) {
	n, err := f.follow("open", name)
	if err != nil {
		return nil, err
	}
	return &opened{info{path.Base(name), n}, strings.NewReader(n.text)}, nil
}

// An info describes a node.
type info struct {
	name string
	node node
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return int64(len(i.node.text)) }
func (i info) Mode() fs.FileMode  { return i.node.mode }
func (i info) ModTime() time.Time { return dawn }
func (i info) IsDir() bool        { return i.node.mode.IsDir() }
func (i info) Sys() any           { return nil }

// opened is a file that is read.
type opened struct {
	info   info
	reader *strings.Reader
}

func (o *opened) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *opened) Read(b []byte) (int, error) { return o.reader.Read(b) }
func (o *opened) Close() error               { return nil }

// ref is the session in which every test begins.
func ref() session.Ref {
	return session.Ref{ID: "session-1", Cwd: project, Project: project, Mode: "default", Model: "test-model", Turn: "turn-1", Client: "claude-code"}
}
