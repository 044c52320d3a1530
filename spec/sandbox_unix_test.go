//go:build unix

package spec_test

import (
	"os"
	"syscall"
	"time"
)

// limitProcess keeps a successful attack from taking the machine with it, also
// when the test that started it is gone.
func limitProcess() {
	seconds := uint64(2 * attackTime / time.Second)
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds + 1})
	if slowdown > 1 { // the race detector reserves terabytes of addresses
		return
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 12_000_000_000, Max: 12_000_000_000})
}

// peakMemory returns the largest resident size of this process, in MB.
func peakMemory() float64 { return megabytes(usage()) }

// peakMemoryOf returns the largest resident size of a process that ended, in MB.
func peakMemoryOf(ended *os.ProcessState) float64 {
	return megabytes(ended.SysUsage().(*syscall.Rusage))
}

// stopwatch returns a function that says how much time passed since: on the clock,
// or of this process on processors, whichever is less.
func stopwatch() func() time.Duration {
	start, used := time.Now(), processorTime()
	return func() time.Duration { return min(time.Since(start), processorTime()-used) }
}

func processorTime() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func usage() *syscall.Rusage {
	u := new(syscall.Rusage)
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, u) // cannot fail for the process itself
	return u
}

func megabytes(u *syscall.Rusage) float64 { return float64(u.Maxrss) / 1024 }
