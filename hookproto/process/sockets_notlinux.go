//go:build unix && !linux

package process

import "syscall"

// socketpair returns two connected sockets that no child inherits; the first
// does not block.
func socketpair() ([2]int, error) {
	syscall.ForkLock.RLock() // no child may be started before they are marked
	defer syscall.ForkLock.RUnlock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return pair, err
	}
	syscall.CloseOnExec(pair[0])
	syscall.CloseOnExec(pair[1])
	return pair, syscall.SetNonblock(pair[0], true)
}
