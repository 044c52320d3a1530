// Command pointgen writes zz_points.go for the package in the current
// directory: what reflection cannot see of the types that its extension points
// are made of, which is their doc comments and the variants of each sealed
// interface. It reads syntax only, so it works on a package that does not
// compile yet, and follows types into the other packages of the module.
//
// Only what is reachable from the payload or the Decision of a point is
// written. Whatever of that a reader would miss is an error: a type, field or
// point without a doc comment, a field without a json tag, a sealed interface
// without variants, a variant with a pointer receiver.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
)

const output = "zz_points.go"

func main() {
	log.SetFlags(0)
	log.SetPrefix("pointgen: ")
	root, dir, err := moduleRoot()
	if err != nil {
		log.Fatal(err)
	}
	src, err := generate(os.DirFS(root), dir)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(output, src, 0o644); err != nil {
		log.Fatal(err)
	}
}

// moduleRoot returns the directory that holds go.mod, and the slash-separated
// path of the current directory below it.
func moduleRoot() (root, dir string, err error) {
	start, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	for root = start; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			dir, err = filepath.Rel(root, start)
			return root, filepath.ToSlash(dir), err
		}
		if root == filepath.Dir(root) {
			return "", "", errors.New("no go.mod here or above")
		}
	}
}

// generate returns the text of zz_points.go for the package in dir of the
// module that fsys holds.
func generate(fsys fs.FS, dir string) ([]byte, error) {
	mod, err := newModule(fsys)
	if err != nil {
		return nil, err
	}
	pkg, err := mod.load(dir)
	if err != nil {
		return nil, err
	}
	if len(pkg.points) == 0 {
		return nil, fmt.Errorf("%s declares no points", dir)
	}
	w := newWalk(mod)
	for _, p := range pkg.points {
		w.point(pkg, p)
	}
	if len(w.errs) > 0 {
		return nil, errors.Join(w.errs...)
	}
	return render(pkg, w)
}
