//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package session

import (
	"errors"
	"fmt"
	"os"
)

// lock refuses: the system has no lock that ends with its process, and a log
// with two writers is lost.
func lock(*os.File) error {
	return fmt.Errorf("this system cannot lock a log in a file: %w", errors.ErrUnsupported)
}
