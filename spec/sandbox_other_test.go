//go:build !unix

package spec_test

func limitProcess() {}

// peakMemory is not known here.
func peakMemory() float64 { return 0 }
