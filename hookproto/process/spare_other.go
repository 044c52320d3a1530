//go:build !unix

package process

// A Spare keeps streams for the next command where the system has them before it
// starts one: not here.
type Spare struct{}

// Close does nothing.
func (s *Spare) Close() {}
