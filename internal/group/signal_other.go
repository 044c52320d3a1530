//go:build !unix

package group

import (
	"os"
	"syscall"
)

// Attributes returns nil where there are no sessions.
func Attributes(bool) *syscall.SysProcAttr { return nil }

// Interrupt does nothing where there are no groups to ask.
func Interrupt(int) {}

// Kill ends the process alone where there are no groups.
func Kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// Signal tells nothing where processes do not end by signals.
func Signal(*os.ProcessState) (name, text string) { return "", "" }
