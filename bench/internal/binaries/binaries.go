// Package binaries builds the programs that benchmarks run, as a release has them.
package binaries

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build builds packages of this module, named as from its root ("./cmd/dsh"), with
// build tags, and puts the static programs into dir under the last elements of
// their paths.
func Build(ctx context.Context, dir, tags string, packages ...string) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-tags", tags, "-ldflags", "-s -w", "-o", dir + "/"}, packages...)
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir, command.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if printed, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, printed)
	}
	return nil
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
