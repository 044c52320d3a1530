package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/dsh-lua/dsh/bench/internal/binaries"
)

// The binaries that are built, by the last element of their import path.
const (
	noop     = "noop"
	jsononly = "jsononly"
	peak     = "peak"
	dsh      = "dsh"
)

// build puts the binaries into dir, as "make build" builds dsh, and returns
// their paths. A dsh that is given is copied there instead, so that all
// binaries lie on one file system.
func build(ctx context.Context, dir, given string) (map[string]string, error) {
	packages := []string{"./bench/cmd/noop", "./bench/cmd/jsononly", "./bench/cmd/peak"}
	if given == "" {
		packages = append(packages, "./cmd/dsh")
	}
	if err := binaries.Build(ctx, dir, "small", packages...); err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, name := range []string{noop, jsononly, peak, dsh} {
		files[name] = filepath.Join(dir, name)
	}
	if given == "" {
		return files, nil
	}
	text, err := os.ReadFile(given)
	if err != nil {
		return nil, err
	}
	return files, os.WriteFile(files[dsh], text, 0o700)
}
