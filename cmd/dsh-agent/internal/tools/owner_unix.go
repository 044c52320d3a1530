//go:build unix

package tools

import (
	"os"
	"syscall"
)

// giveTo gives f the owner of the file that it replaces, where this user may.
func giveTo(f *os.File, of any) {
	if s, ok := of.(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}
