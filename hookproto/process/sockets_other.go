//go:build !unix

package process

import (
	"errors"
	"os"
)

func sockets() (ours, theirs *os.File, err error) { return nil, nil, errors.ErrUnsupported }
