//go:build unix

package policies

import (
	"io/fs"
	"syscall"
)

// readFile reads a file of about size bytes, and no more than most, without the
// runtime's poller: to register a file there takes longer than to read one of a page,
// and a hook reads every policy at every call of an agent. What would keep it waiting
// is an error.
func readFile(path string, size, most int64) ([]byte, error) {
	var fd int
	err := again(func() (err error) {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = syscall.Close(fd) }() // nothing was written
	text := make([]byte, 0, size+1)
	for {
		var n int
		err := again(func() (err error) {
			n, err = syscall.Read(fd, text[len(text):cap(text)])
			return err
		})
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if n == 0 || int64(len(text)+n) >= most {
			return text[:min(int64(len(text)+n), most)], nil
		}
		if text = text[:len(text)+n]; len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
}

// again repeats what a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR { //nolint:errorlint // a system call wraps nothing
			return err
		}
	}
}
