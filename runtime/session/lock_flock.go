//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package session

import (
	"os"
	"syscall"
)

// lock makes this process the only writer of file. The lock ends with the file's
// descriptor, so a process that is killed leaves none behind.
func lock(file *os.File) error {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return ErrLocked
	}
	return nil
}
