//go:build unix

package process

import "os"

// sockets returns two connected sockets, the first for this process.
func sockets() (ours, theirs *os.File, err error) {
	pair, err := socketpair()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	// The poller takes a file that does not block, and so closing ends a read.
	return os.NewFile(uintptr(pair[0]), "|0"), os.NewFile(uintptr(pair[1]), "|1"), nil
}
