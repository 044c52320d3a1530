package process

import (
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipe returns the ends of a pipe that no child inherits.
func pipe() (r, w int, err error) {
	var ends [2]int
	err = os.NewSyscallError("pipe2", syscall.Pipe2(ends[:], syscall.O_CLOEXEC))
	return ends[0], ends[1], err
}

// socketpair returns two connected sockets that no child inherits.
func socketpair() (a, b int, err error) {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	return ends[0], ends[1], os.NewSyscallError("socketpair", err)
}

// bell returns a descriptor that can be read when a number was written to it. It
// is one for both.
func bell() (bell, arm int, err error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	return fd, fd, os.NewSyscallError("eventfd", err)
}

// wantHandle asks for a handle of the process that is to be started. It can be
// polled: it is readable at the end of the process.
func wantHandle(sys *syscall.SysProcAttr, handle *int) {
	if hasHandles() {
		sys.PidFD = handle
	}
}

// hasHandles reports whether handles are all that they should be. Early systems
// that have them cannot poll them.
var hasHandles = sync.OnceValue(func() bool {
	self, err := os.FindProcess(os.Getpid())
	return err == nil && self.WithHandle(func(uintptr) {}) == nil
})
