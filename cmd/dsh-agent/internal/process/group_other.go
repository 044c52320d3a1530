//go:build !unix

package process

import (
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

// interrupt does nothing where there are no groups to ask.
func interrupt(int) {}

// kill ends the shell alone where there are no groups.
func kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func killMarked(string) {}

func signalOf(*os.ProcessState) string { return "" }
