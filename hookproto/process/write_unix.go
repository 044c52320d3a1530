//go:build unix

package process

import "syscall"

// writeNow writes what a descriptor that does not block takes.
func writeNow(fd uintptr, b []byte) (int, error) { return syscall.Write(int(fd), b) }
