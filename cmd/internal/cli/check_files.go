package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/runtime/script/lint"
)

// requiredBeside reports whether another file of the folder requires this one.
func requiredBeside(name string) bool {
	own := strings.TrimSuffix(filepath.Base(name), ".lua")
	others, _ := filepath.Glob(filepath.Join(escapeGlob(filepath.Dir(name)), "*.lua"))
	for _, other := range others {
		text, err := os.ReadFile(other)
		if err == nil && filepath.Base(other) != filepath.Base(name) && slices.Contains(lint.Requires(string(text)), own) {
			return true
		}
	}
	return false
}

var globEscapes = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path
	}
	return globEscapes.Replace(path)
}

// checkFiles lists the files to check: those named, and all of the folders named;
// without any the policies of the project.
func checkFiles(paths []string) (files []string, err error) {
	if len(paths) == 0 {
		root, err := policies.FindProject(".")
		if err != nil {
			return nil, err
		}
		paths = []string{relative(filepath.Join(root, policies.Folder))}
		if _, err := os.Stat(paths[0]); err != nil {
			return nil, fmt.Errorf("no policies: %w; name files or folders", err)
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			below, err := luaFiles(path)
			if err != nil {
				return nil, err
			}
			files = append(files, below...)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is no file", path)
		default:
			files = append(files, filepath.Clean(path))
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no file there has a name that ends in .lua")
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// relative is path as seen from the working directory, if it lies below.
func relative(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// luaFiles lists the files below a folder. As where policies are loaded, it and they
// may be links; folders below it are not followed.
func luaFiles(folder string) (files []string, err error) {
	folder = entered(folder)
	err = filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != folder && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".dsh":
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".lua") || strings.HasSuffix(path, ".d.lua"):
			return nil
		}
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// entered is the name of a folder behind which a walk begins inside, even if it is a
// link.
func entered(folder string) string { return strings.TrimSuffix(folder, separator) + separator }

const separator = string(filepath.Separator)

// replaceFile writes a file anew in one step, so that nobody reads half of it.
func replaceFile(name string, text []byte) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(target), ".dsh-check-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(info.Mode().Perm()), temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
