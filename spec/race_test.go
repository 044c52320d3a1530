//go:build race

package spec_test

// slowdown is how much more time and memory attacks may take: the race detector
// needs both itself.
const slowdown = 6
