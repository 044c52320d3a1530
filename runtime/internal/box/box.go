// Package box compares values in interfaces by the boxes that they are in. What is
// in a box never changes, so one box holds one value; to see that takes no look at
// the values, which may be large, or hold lists that Go does not compare.
package box

import "unsafe"

// Same reports whether a and b, of an interface type, are one value in one box. It
// is sure of nothing else: equal values in two boxes are not the same.
func Same[I any](a, b I) bool {
	x, y := (*[2]unsafe.Pointer)(unsafe.Pointer(&a)), (*[2]unsafe.Pointer)(unsafe.Pointer(&b))
	return x[0] == y[0] && x[1] == y[1]
}
