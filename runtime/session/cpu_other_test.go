//go:build !unix

package session_test

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
