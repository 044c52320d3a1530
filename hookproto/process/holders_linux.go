package process

import (
	"fmt"
	"os"
	"syscall"
)

// holders returns how the descriptors of processes show that they hold f, in
// one of two forms.
func holders(f *os.File) []string {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	var stat syscall.Stat_t
	if conn.Control(func(fd uintptr) { err = syscall.Fstat(int(fd), &stat) }) != nil || err != nil {
		return nil
	}
	form := "pipe:[%d]"
	if stat.Mode&syscall.S_IFMT == syscall.S_IFSOCK {
		form = "socket:[%d]"
	}
	return []string{fmt.Sprintf(form, stat.Ino)}
}
