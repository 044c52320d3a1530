//go:build !unix

package process

import "os"

func newPump(p *Process, stdin []byte) (pump, []*os.File, error) { return newGoroutines(p, stdin) }
