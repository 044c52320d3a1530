package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardInput drops what was typed and not read yet.
func discardInput(f *os.File) {
	control(f, func(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) })
}
