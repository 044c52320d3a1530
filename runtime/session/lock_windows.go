package session

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock makes this process the only writer of file. The lock ends with the file's
// handle, so a process that is killed leaves none behind. Locks of Windows keep
// others from reading too, so the byte that is locked lies where no log ends.
func lock(file *os.File) error {
	place := &windows.Overlapped{OffsetHigh: 1 << 30}
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	if err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, place); err != nil {
		return ErrLocked
	}
	return nil
}
