//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

// pipe returns the ends of a pipe that no child inherits.
func pipe() (r, w int, err error) {
	return closedOnExec("pipe", func() (ends [2]int, err error) {
		err = syscall.Pipe(ends[:])
		return ends, err
	})
}

// socketpair returns two connected sockets that no child inherits.
func socketpair() (a, b int, err error) {
	return closedOnExec("socketpair", func() ([2]int, error) {
		return syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	})
}

func closedOnExec(call string, open func() ([2]int, error)) (a, b int, err error) {
	syscall.ForkLock.RLock() // no child may be started before they are marked
	defer syscall.ForkLock.RUnlock()
	ends, err := open()
	if err == nil {
		syscall.CloseOnExec(ends[0])
		syscall.CloseOnExec(ends[1])
	}
	return ends[0], ends[1], os.NewSyscallError(call, err)
}

// bell returns a descriptor that can be read when the other was written to.
func bell() (bell, arm int, err error) { return pipe() }

// wantHandle does nothing where processes have no handles.
func wantHandle(*syscall.SysProcAttr, *int) {}
