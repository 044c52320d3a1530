//go:build unix && !linux

package group

import "syscall"

// Attributes puts a process into a session, and so a group, of its own. There is
// no way to bind it to this one.
func Attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
