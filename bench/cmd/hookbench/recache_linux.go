//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// What posix_fadvise is asked: to read ahead far, as for a file that is copied, and
// to drop a file's clean pages from the cache.
const (
	sequential = 2
	dontNeed   = 4
)

// block is how much is read at once, in bytes. In how large pieces a file lies in
// the cache depends on how it was read, and a process that maps it gets them whole:
// this is how cp and cat read.
const block = 128 << 10

// recache puts a file into the page cache the way an installed one gets there:
// written back, dropped, read again. A freshly linked file lies there in other
// pages, and starting it can cost a third of a no-op process less or more.
func recache(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, advice := range []uintptr{dontNeed, sequential} {
		if _, _, errno := syscall.Syscall6(syscall.SYS_FADVISE64, file.Fd(), 0, 0, advice, 0, 0); errno != 0 {
			return fmt.Errorf("%s: %w", path, errno)
		}
	}
	for buffer := make([]byte, block); err == nil; {
		_, err = file.Read(buffer)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
