//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// execute puts another program in the place of this one. It returns only if that
// fails.
func execute(path string, args []string) error {
	if err := syscall.Exec(path, args, os.Environ()); err != nil {
		return fmt.Errorf("%s cannot be executed: %w", path, err)
	}
	return nil
}
