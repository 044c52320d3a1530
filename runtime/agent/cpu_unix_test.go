//go:build unix

package agent_test

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that the process took: the number that a busy
// machine does not change.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
