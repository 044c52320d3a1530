package process

import "syscall"

// socketpair returns two connected sockets that no child inherits; the first
// does not block.
func socketpair() ([2]int, error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return pair, err
	}
	return pair, syscall.SetNonblock(pair[0], true)
}
