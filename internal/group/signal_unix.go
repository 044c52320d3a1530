//go:build unix

package group

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Interrupt asks the processes of a group to end.
func Interrupt(group int) { _ = syscall.Kill(-group, syscall.SIGTERM) }

// Kill ends the processes of a group. There may be none left.
func Kill(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

// Signal returns the signal that ended a process, as a name like SIGKILL and as
// the system describes it; both are empty if none did.
func Signal(s *os.ProcessState) (name, text string) {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal()), status.Signal().String()
	}
	return "", ""
}
