package point

import "unsafe"

// same reports whether a and b are one value in one box, which a handler that
// hands on what next said returns. It is sure of nothing else: equal values in
// two boxes are not the same. The values of Decisions cannot be compared, because
// most hold lists.
func same(a, b any) bool {
	x, y := (*[2]unsafe.Pointer)(unsafe.Pointer(&a)), (*[2]unsafe.Pointer)(unsafe.Pointer(&b))
	return x[0] == y[0] && x[1] == y[1]
}
