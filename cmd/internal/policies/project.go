package policies

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Folder is where a project keeps its policies, below its root.
const Folder = ".dsh/policies"

// policyEnding is how the names of policies end.
const policyEnding = ".lua"

// IsTest reports whether a file of that name holds tests of a policy.
func IsTest(name string) bool { return strings.HasSuffix(name, "_test"+policyEnding) }

// projectMarks say which folder is a project's root, the strongest first.
var projectMarks = []string{".dsh", ".git"}

// FindProject returns the root of the project that dir lies in: the nearest
// folder from dir upwards with .dsh, else the nearest with .git, else dir
// itself. Where the way up by its name holds none, the one from where its links
// lead is taken: a shell that went through a link tells the name of the link, and
// most clients do not. dir comes from whoever starts the process, never from a payload, whose
// working directory follows the agent's own changes of directory.
func FindProject(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil {
		return "", err
	} else if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", dir)
	}
	real := sync.OnceValues(func() (string, error) { return filepath.EvalSymlinks(dir) })
	for _, mark := range projectMarks {
		if at, err := marked(dir, mark); at != "" || err != nil {
			return at, err
		}
		behind, err := real()
		if err != nil {
			return "", err
		}
		if behind == dir {
			continue
		}
		if at, err := marked(behind, mark); at != "" || err != nil {
			return at, err
		}
	}
	return dir, nil
}

// marked returns the nearest folder from dir upwards that holds mark; empty if none
// does.
func marked(dir, mark string) (string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, mark)); err == nil {
			return at, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err // a mark that cannot be seen is not a missing one
		}
		if at == filepath.Dir(at) {
			return "", nil
		}
	}
}

// A File is one policy to load.
type File struct {
	// Name is how messages show it.
	Name string
	Path string
}

// OfProject lists the policies of the project at root, in byte order of
// their names, without their tests, and tells of files that look like policies
// and are none, by their names or because they lie in a folder further below.
func OfProject(root string) (files []File, warnings []string, err error) {
	entries, err := os.ReadDir(filepath.Join(root, Folder))
	if errors.Is(err, fs.ErrNotExist) && !dangles(root) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir() && !strings.HasSuffix(name, policyEnding):
			warnings = append(warnings, below(root, name)...)
		case !strings.EqualFold(filepath.Ext(name), policyEnding), IsTest(name):
		case !strings.HasSuffix(name, policyEnding):
			warnings = append(warnings, fmt.Sprintf("%s/%s is not loaded: a policy's name ends in %s", Folder, name, policyEnding))
		default:
			files = append(files, File{Folder + "/" + name, filepath.Join(root, Folder, name)})
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, warnings, nil
}

// below tells of a folder among the policies of the project at root that holds what
// looks like policies.
func below(root, name string) []string {
	entries, err := os.ReadDir(filepath.Join(root, Folder, name))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), policyEnding) && !IsTest(e.Name()) {
			return []string{fmt.Sprintf("%s/%s/%s is not loaded: policies lie in %s itself", Folder, name, e.Name(), Folder)}
		}
	}
	return nil
}

// dangles reports whether the folder of policies, or the one it lies in, is a
// link to nothing: there were policies, and there is no telling what they said.
func dangles(root string) bool {
	for _, name := range []string{filepath.Dir(Folder), Folder} {
		name = filepath.Join(root, name)
		if _, err := os.Lstat(name); err != nil {
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return true
		}
	}
	return false
}

// Named are the policies that a command line names.
func Named(paths []string) []File {
	files := make([]File, len(paths))
	for i, p := range paths {
		files[i] = File{p, p}
	}
	return files
}
