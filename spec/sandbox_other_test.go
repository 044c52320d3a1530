//go:build !unix

package spec_test

import (
	"os"
	"time"
)

func limitProcess() {}

// peakMemory is not known here.
func peakMemory() float64 { return 0 }

// peakMemoryOf is not known here.
func peakMemoryOf(*os.ProcessState) float64 { return 0 }

// stopwatch returns a function that says how much time passed since.
func stopwatch() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
