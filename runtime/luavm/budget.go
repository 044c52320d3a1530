package luavm

import (
	"context"
	"runtime"
	"time"
)

// A budget counts the work of one run. It stands in for the context of the Lua
// machine, which asks Done before each instruction.
//
// Instructions are handed out in slices. Only at the end of a slice, about ten
// thousand times a second, does the budget look at the clock, the heap and the
// caller's context; so it needs neither a timer nor a goroutine, a short run
// never pays for them, and nothing here is shared between goroutines. The size
// of a slice adapts to how long slices take, and never changes what is counted.
type budget struct {
	vm     *VM
	ctx    context.Context
	slice  int64 // instructions left in this slice
	left   int64 // instructions left after this slice
	total  int64
	alloc  int64 // bytes left
	size   int64 // of the next slice
	weight int64 // of one instruction; see heavier
	used   int64 // when the run was stopped
	cause  error // why the run was stopped
	limits *Limits

	start    time.Time // of the run's own time; zero until the first slice has ended
	last     time.Time // when the last slice ended
	heapBase uint64    // zero until first read
	heapRead time.Time
}

const (
	firstSlice   = 1024
	minSlice     = 32
	maxSlice     = 4096
	shortSlice   = 100 * time.Microsecond
	longSlice    = time.Millisecond
	heapInterval = 4 * time.Millisecond // a read stops the whole process for some microseconds
)

var stopped = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// begin resets b for a run; it does not allocate.
func (b *budget) begin(ctx context.Context) {
	b.ctx = ctx
	b.slice, b.left, b.total = 0, b.limits.Instructions, b.limits.Instructions
	b.alloc, b.size, b.weight = b.limits.AllocBytes, firstSlice, 1
	b.used, b.cause = 0, nil
	b.start, b.last = time.Time{}, time.Time{}
	b.heapBase, b.heapRead = 0, time.Time{}
}

// Done implements context.Context for the Lua machine: it takes one instruction
// and returns a channel that is ready if there was none left.
func (b *budget) Done() <-chan struct{} {
	b.slice -= b.weight
	if b.slice >= 0 || b.refill() {
		return nil
	}
	return stopped
}

// Err implements context.Context.
func (b *budget) Err() error { return b.cause }

// Deadline implements context.Context; the machine does not use it.
func (b *budget) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context.
func (b *budget) Value(key any) any {
	if b.ctx == nil {
		return nil
	}
	return b.ctx.Value(key)
}

// refill hands out slices until the debt of the last one is paid. It reports
// whether the run may go on.
func (b *budget) refill() bool {
	for b.slice < 0 {
		if b.cause == nil {
			b.look()
		}
		if b.cause == nil && b.left <= 0 {
			b.stop(ErrInstructions)
		}
		if b.cause != nil {
			return false
		}
		n := min(b.size, b.left)
		if debt := -b.slice; debt > n { // one large charge: a single step
			n = min(debt, b.left)
		}
		b.slice += n
		b.left -= n
	}
	return true
}

// look compares clock, heap and the caller's context with their limits.
func (b *budget) look() {
	if b.ctx != nil && b.ctx.Err() != nil {
		b.stop(context.Cause(b.ctx))
		return
	}
	now := time.Now()
	if b.start.IsZero() {
		b.start, b.last, b.heapRead = now, now, now
		return
	}
	if b.limits.Wall > 0 && now.Sub(b.start) >= b.limits.Wall {
		b.stop(ErrWall)
		return
	}
	switch took := now.Sub(b.last); {
	case took > longSlice:
		b.size = max(minSlice, b.size/4)
	case took < shortSlice:
		b.size = min(maxSlice, b.size*2)
	}
	b.last = now
	if b.limits.HeapBytes > 0 && now.Sub(b.heapRead) >= heapInterval {
		b.heapRead = now
		b.lookAtHeap()
	}
}

func (b *budget) lookAtHeap() {
	h := b.heap()
	if b.heapBase == 0 || h < b.heapBase {
		b.heapBase = h
	}
	if h-b.heapBase > b.limits.HeapBytes {
		b.stop(ErrHeap)
	}
}

func (b *budget) heap() uint64 {
	// runtime/metrics reads cheaper, but the tables that it builds when the
	// process starts cost a hook more than its whole run.
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// stop ends the run: from now on no instruction is granted.
func (b *budget) stop(cause error) {
	if b.cause != nil {
		return
	}
	b.used = b.spent()
	b.cause = cause
	b.slice, b.left = 0, 0
}

// spent is how many instructions were used so far.
func (b *budget) spent() int64 {
	if b.cause != nil {
		return b.used
	}
	return min(b.total, b.total-b.left-b.slice)
}

// spend takes n instructions for work of the library. It reports whether the
// run may go on.
func (b *budget) spend(n int64) bool {
	if b.cause != nil {
		return false
	}
	b.slice -= n
	return b.slice >= 0 || b.refill()
}

const (
	lightBytes  = 64 << 10 // a string of this length takes as long as an instruction
	bytesWeight = 16 << 10 // further bytes that add an instruction's worth
	lightValues = 256      // likewise for values that are passed at once
	valueWeight = 128
)

// heavier raises the price of all further instructions of the run. The machine
// compares, hashes and copies in one instruction, whatever the length of a
// string or a list of values; so a run that made a long one pays for each
// instruction as if it handled that.
func (b *budget) heavier(length, light, step int) {
	if length > light {
		b.weight = max(b.weight, 1+int64(length/step))
	}
}

// build takes n bytes for new data, and the instructions that writing them is worth.
func (b *budget) build(n int64) bool {
	b.alloc -= n
	if b.alloc < 0 {
		b.stop(ErrAlloc)
		return false
	}
	return b.spend(n >> 6)
}

// pause stops clock and heap watch around what the script is not to answer for;
// the function it returns starts them again.
func (b *budget) pause() (resume func()) {
	from := time.Now()
	var before uint64
	if b.heapBase != 0 {
		before = b.heap()
	}
	return func() {
		if !b.start.IsZero() {
			away := time.Since(from)
			b.start, b.last = b.start.Add(away), b.last.Add(away)
		}
		if before != 0 {
			b.heapBase += b.heap() - before // wraps correctly if the heap has shrunk
		}
	}
}
