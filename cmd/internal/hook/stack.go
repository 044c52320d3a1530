package hook

import "runtime"

// growStack makes the goroutine's stack as large as a hook needs. It otherwise
// grows in steps, each of which copies it and looks up every function on it in
// tables that are read from disk for that alone: a tenth of the process's memory.
//
//go:noinline
func growStack(n int) {
	var frame [32 << 10]byte
	frame[n&(len(frame)-1)] = byte(n)
	runtime.KeepAlive(&frame)
}
