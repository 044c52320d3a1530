package process

import (
	"strconv"
	"syscall"
)

// A stream is what the system knows an end of a stream by.
type stream struct {
	socket bool
	inode  uint64 // 0 if it is not known
}

func identify(fd int) stream {
	var stat syscall.Stat_t
	if syscall.Fstat(fd, &stat) != nil {
		return stream{}
	}
	return stream{socket: stat.Mode&syscall.S_IFMT == syscall.S_IFSOCK, inode: stat.Ino}
}

// holders returns how the descriptors of processes show that they hold one of
// streams.
func holders(streams []stream) []string {
	forms := make([]string, 0, len(streams))
	for _, s := range streams {
		form := "pipe:["
		if s.socket {
			form = "socket:["
		}
		if s.inode != 0 {
			forms = append(forms, form+strconv.FormatUint(s.inode, 10)+"]")
		}
	}
	return forms
}
