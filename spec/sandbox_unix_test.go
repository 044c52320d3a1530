//go:build unix

package spec_test

import "syscall"

// limitProcess keeps a successful attack from taking the machine with it.
func limitProcess() {
	if slowdown > 1 { // the race detector reserves terabytes of addresses
		return
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 12_000_000_000, Max: 12_000_000_000})
}

// peakMemory returns the largest resident size of the process, in MB.
func peakMemory() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return float64(usage.Maxrss) / 1024
}
