//go:build !unix

package policies

import (
	"io"
	"os"
)

// readFile reads a file that [fits] as a policy, and at most one byte more than a
// policy may have. Only a file is opened: a pipe would keep whoever opens it waiting.
func readFile(file File) ([]byte, error) {
	info, err := os.Stat(file.Path)
	if err != nil {
		return nil, err
	}
	if err := fits(file, info.Mode().Type(), info.Size()); err != nil {
		return nil, err
	}
	opened, err := os.Open(file.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }() // nothing was written
	return io.ReadAll(io.LimitReader(opened, maxPolicySize+1))
}
