//go:build unix

package external

import (
	"fmt"
	"os"
	"syscall"
)

// execute returns only if it fails.
func execute(path string, args []string) (int, error) {
	return 0, fmt.Errorf("%s cannot be executed: %w", path, syscall.Exec(path, args, os.Environ()))
}
