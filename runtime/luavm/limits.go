package luavm

import "time"

// Limits bound one run. A zero field means its default, so that the zero Limits
// are the ones to use.
type Limits struct {
	// Instructions is how many VM instructions a run may execute; library work
	// counts in proportion. Default 1,000,000, about 20 ms. It is the limit
	// that decides: it does not depend on the load of the machine.
	Instructions int64
	// Wall is the backstop for what instructions do not see; time spent in
	// [VM.Outside] does not count. Default 1 s, negative for none.
	Wall time.Duration
	// HeapBytes is how far the heap of the process may grow during a run.
	// Default 0, no watch: the heap is shared, so only a process of one
	// purpose may let it decide.
	HeapBytes uint64
	// StringBytes is the length of the longest string a script may build.
	// Default 4 MiB.
	StringBytes int
	// AllocBytes is the sum of what strings and large tables built in one run
	// may take. Default 64 MiB.
	AllocBytes int64
	// CallDepth is how deeply calls may nest. Default 200.
	CallDepth int
	// Registry is how many values the stack of a run may hold. Default 65,536.
	Registry int
}

func (l Limits) withDefaults() Limits {
	setDefault(&l.Instructions, 1_000_000)
	setDefault(&l.Wall, time.Second)
	setDefault(&l.StringBytes, 4<<20)
	setDefault(&l.AllocBytes, 64<<20)
	setDefault(&l.CallDepth, 200)
	setDefault(&l.Registry, 64<<10)
	return l
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Fixed bounds of the language and the library.
const (
	maxSource      = 256 << 10 // bytes of one source
	maxConstants   = 4096      // in one function
	maxListItems   = 25_000    // in one table constructor; gopher-lua loses more
	maxUpvalues    = 200       // of one function; gopher-lua's counter wraps at 256
	maxArrayIndex  = 1 << 18   // largest array part of a table
	maxUnpack      = 8192      // results of unpack and string.byte
	maxCaptures    = 32        // of a pattern
	maxMatchDepth  = 200       // of a pattern's recursion
	maxTraceFrames = 12
	maxTraceSearch = 40 // levels looked at for a trace: elided tail calls count as levels

	hostCallCost = 100 // instructions that a call of a host function is worth
)
