package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	root, err := moduleRoot(ctx)
	if err != nil {
		return nil, err
	}
	packages := []string{"./bench/cmd/noop", "./bench/cmd/jsononly", "./bench/cmd/peak"}
	if given == "" {
		packages = append(packages, "./cmd/dsh")
	}
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-tags", "small", "-ldflags", "-s -w", "-o", dir + "/"}, packages...)
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir, command.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if printed, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, printed)
	}
	binaries := map[string]string{}
	for _, name := range []string{noop, jsononly, peak, dsh} {
		binaries[name] = filepath.Join(dir, name)
	}
	if given == "" {
		return binaries, nil
	}
	text, err := os.ReadFile(given)
	if err != nil {
		return nil, err
	}
	return binaries, os.WriteFile(binaries[dsh], text, 0o700)
}

func moduleRoot(ctx context.Context) (string, error) {
	file, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	name := strings.TrimSpace(string(file))
	if name == "" || name == os.DevNull {
		return "", errors.New("run it inside the module")
	}
	return filepath.Dir(name), nil
}
