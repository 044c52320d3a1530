// Package stack makes the stack of the main goroutine as large as a hook needs,
// before other packages initialise themselves on it. Import it for that alone.
//
// A stack otherwise grows in steps, each of which copies it and looks up every
// function on it in tables that are read from disk for nothing else, and are resident
// in every hook then. The package imports nothing, so that it comes before all that do
// in the order of initialisation.
package stack

// room is how much a hook needs, in bytes.
const room = 32 << 10

var _ = grow(0)

// grow has a large frame, of which it touches nothing when n is 0: to have entered
// it is enough.
//
//go:noinline
func grow(n int) byte {
	if n == 0 {
		return 0
	}
	var frame [room]byte
	fill(&frame, byte(n))
	return frame[n%room]
}

//go:noinline
func fill(frame *[room]byte, with byte) {
	for i := range frame {
		frame[i] = with
	}
}
