//go:build !unix

package process

import "errors"

// writeNow writes nothing where descriptors block.
func writeNow(uintptr, []byte) (int, error) { return 0, errors.ErrUnsupported }
