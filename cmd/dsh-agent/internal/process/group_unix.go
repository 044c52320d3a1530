//go:build unix

package process

import (
	"os"
	"syscall"
)

// interrupt asks the processes of a group to end.
func interrupt(group int) { _ = syscall.Kill(-group, syscall.SIGTERM) }

// kill ends the processes of a group. There may be none left.
func kill(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

func signalOf(s *os.ProcessState) string {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
