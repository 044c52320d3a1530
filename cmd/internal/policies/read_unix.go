//go:build unix

package policies

import (
	"io/fs"
	"syscall"
)

// readFile reads a file that [fits] as a policy, and at most one byte more than a
// policy may have. It does without the runtime's poller: to register a file there
// takes longer than to read one of a page, and a hook reads every policy at every
// call of an agent. To open a pipe does not wait for who writes to it.
func readFile(file File) ([]byte, error) {
	const mode = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NONBLOCK | syscall.O_NOCTTY
	var fd int
	err := again(func() (err error) {
		fd, err = syscall.Open(file.Path, mode, 0)
		return err
	})
	if err == syscall.ENXIO { //nolint:errorlint // a system call wraps nothing
		return nil, fits(file, fs.ModeSocket, 0)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: file.Path, Err: err}
	}
	defer func() { _ = syscall.Close(fd) }() // nothing was written
	var info syscall.Stat_t
	if err := again(func() error { return syscall.Fstat(fd, &info) }); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: file.Path, Err: err}
	}
	if err := fits(file, kind(uint32(info.Mode)), info.Size); err != nil {
		return nil, err
	}
	text, err := readAll(fd, int(info.Size))
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: file.Path, Err: err}
	}
	return text, nil
}

// kind is the type of a file, from what the system calls its mode.
func kind(mode uint32) fs.FileMode {
	switch mode & syscall.S_IFMT {
	case syscall.S_IFREG:
		return 0
	case syscall.S_IFDIR:
		return fs.ModeDir
	}
	return fs.ModeIrregular
}

// readAll reads a regular file that says it is size bytes long, which some files of
// the system do not know. The file ends at its size, if nothing is read that there is
// room for behind it, and else where nothing is read: some file systems give less than
// they were asked for in the middle of a file.
func readAll(fd, size int) ([]byte, error) {
	text := make([]byte, 0, size+1)
	for len(text) <= maxPolicySize {
		var n int
		err := again(func() (err error) {
			n, err = syscall.Read(fd, text[len(text):cap(text)])
			return err
		})
		if err != nil {
			return nil, err
		}
		text = text[:len(text)+n]
		if n == 0 || size > 0 && len(text) == size {
			break
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
	return text[:min(len(text), maxPolicySize+1)], nil
}

// again repeats what a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR { //nolint:errorlint // a system call wraps nothing
			return err
		}
	}
}
