//go:build unix

// Command peak runs a program and prints the most memory it had resident, in KiB.
//
// The system counts a new process's peak from the memory of the process that
// started it, so a large parent hides a small child. This program is kept
// small and starts the child itself: what it prints cannot go below its own
// size, about 2 MiB. It prints nothing and exits 1 when the program fails.
package main

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
)

func main() {
	peak, ok := run(os.Args[1:])
	if !ok {
		os.Exit(1)
	}
	if _, err := os.Stdout.WriteString(strconv.FormatInt(peak, 10) + "\n"); err != nil {
		os.Exit(1)
	}
}

// run starts argv with this process's standard input, its output discarded.
func run(argv []string) (kib int64, ok bool) {
	if len(argv) == 0 {
		return 0, false
	}
	null, err := syscall.Open("/dev/null", syscall.O_WRONLY, 0)
	if err != nil {
		return 0, false
	}
	discard := uintptr(null)
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, discard, discard}})
	if err != nil {
		return 0, false
	}
	var status syscall.WaitStatus
	var usage syscall.Rusage
	for {
		_, err = syscall.Wait4(pid, &status, 0, &usage)
		if err != syscall.EINTR {
			break
		}
	}
	return usage.Maxrss / unit(), err == nil && status.ExitStatus() == 0
}

// unit is how many of the system's units of memory make one KiB.
func unit() int64 {
	if runtime.GOOS == "darwin" {
		return 1024
	}
	return 1
}
