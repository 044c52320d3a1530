package process

import (
	"os"
	"strconv"
	"syscall"
)

// holders returns how the descriptors of processes show that they hold one of
// files.
func holders(files []*os.File) []string {
	forms := make([]string, 0, len(files))
	for _, f := range files {
		var stat syscall.Stat_t
		if syscall.Fstat(int(f.Fd()), &stat) != nil {
			continue
		}
		form := "pipe:["
		if stat.Mode&syscall.S_IFMT == syscall.S_IFSOCK {
			form = "socket:["
		}
		forms = append(forms, form+strconv.FormatUint(stat.Ino, 10)+"]")
	}
	return forms
}
