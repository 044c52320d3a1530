package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// place says what paths are relative to.
type place struct{ cwd, home string }

// file returns the file that a call names, which must be there. An empty path or
// one that nobody can make absolute is false.
func (p place) file(path string, change tool.Change) (tool.File, bool) {
	if path == "" || strings.ContainsRune(path, 0) {
		return tool.File{Path: path, Change: change}, false
	}
	abs := path
	if rest, home := strings.CutPrefix(path, "~"); home && (rest == "" || rest[0] == '/') && p.home != "" {
		abs = filepath.Join(p.home, rest)
	} else if !filepath.IsAbs(path) {
		abs = filepath.Join(p.cwd, path)
	}
	if !filepath.IsAbs(abs) {
		return tool.File{Path: path, Change: change}, false
	}
	f := tool.File{Path: filepath.Clean(abs), Change: change}
	f.Real, _ = resolve(f.Path, maxLinks)
	return f, true
}

// files is file for the argument "path". whole is false if there is more to the
// call than the list shows.
func (p place) files(arguments value.Value, otherwise string, change tool.Change) (list []tool.File, whole bool) {
	path := otherwise
	if v := arguments.Get("path"); !v.IsAbsent() {
		path, _ = v.Str()
	}
	f, ok := p.file(path, change)
	if f.Path == "" {
		return nil, false
	}
	return []tool.File{f}, ok
}

// maxLinks is how many symbolic links to missing files one path may lead through.
const maxLinks = 40

// resolve follows all symbolic links of an absolute, cleaned path. Of a file that
// does not exist yet it tells where it would come to be, also through a link
// whose target is missing. It says false if nobody can know.
func resolve(path string, links int) (string, bool) {
	found, err := filepath.EvalSymlinks(path)
	switch {
	case err == nil:
		return found, true
	case !errors.Is(err, fs.ErrNotExist) || links == 0:
		return "", false
	}
	if target, err := os.Readlink(path); err == nil {
		folder, ok := resolve(filepath.Dir(path), links-1)
		if !ok {
			return "", false
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(folder, target)
		}
		return resolve(filepath.Clean(target), links-1)
	}
	folder, ok := resolve(filepath.Dir(path), links)
	return filepath.Join(folder, filepath.Base(path)), ok
}

// target returns the real path of the one file of a call, as it was judged. It is
// an error if the path leads elsewhere by now.
func target(run *tool.Running) (string, error) {
	var files []tool.File
	switch a := run.Call().Action.(type) {
	case tool.Read:
		files = a.Files
	case tool.Write:
		files = a.Files
	case tool.Edit:
		files = a.Files
	case tool.Search:
		files = a.Files
	case tool.Delete, tool.Shell, tool.Fetch, tool.MCP, tool.Agent, tool.Other:
	}
	if len(files) != 1 {
		return "", errors.New("the call names no file")
	}
	f := files[0]
	now, ok := resolve(f.Path, maxLinks)
	switch {
	case f.Real == "" || !ok:
		return "", fmt.Errorf("nobody can tell where %s leads", f.Path)
	case now != f.Real:
		return "", fmt.Errorf("%s led to %s when the call was judged, and leads to %s now; make the call again", f.Path, f.Real, now)
	}
	return now, nil
}
