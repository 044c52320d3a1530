package point

import "unsafe"

// Of a long chain all handlers are on the stack at once. A stack that is too
// small is replaced by one of twice the size, again and again, and each time all
// frames are moved, which takes longer than the handlers do. It happens at more
// calls than the first: the collector halves every stack that it finds hardly
// used. So a long chain makes room before there is anything to move.

// shortChain is the most stack, in bytes, that a chain can do with as it comes.
const shortChain = 120 << 10

// perHandler estimates how much stack each handler of a waterfall takes: two
// copies of the payload, and two frames.
func perHandler[P any]() uintptr {
	var payload P
	return 2*unsafe.Sizeof(payload) + 256
}

// makeRoom makes the stack large enough for need bytes more, or for as many as
// the longest chain needs that is likely.
func makeRoom(need uintptr) {
	switch {
	case need <= shortChain:
	case need <= 2*unsafe.Sizeof(space{}):
		room248(false)
	default:
		room992(false)
	}
}

// A function that is called has room for its whole frame, even if it returns at
// once. These frames, in KiB, are a little smaller than sizes that stacks have.

// space is almost as much as the compiler keeps on a stack in one piece.
type space [124 << 10]byte

//go:noinline
func room248(use bool) {
	if use {
		var a, b space
		together(a[:], b[:])
	}
}

//go:noinline
func room992(use bool) {
	if use {
		var a, b, c, d, e, f, g, h space
		together(a[:], b[:], c[:], d[:], e[:], f[:], g[:], h[:])
	}
}

// together needs all that it is given at the same time.
//
//go:noinline
func together(...[]byte) {}
