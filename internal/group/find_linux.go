package group

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// Attributes puts a process into a session, and so a group, of its own, where no
// terminal can be reached. If it is bound, it dies with this process, so that
// nothing goes on acting for an agent that was killed; it also dies with the
// thread that started it, so a program that ends threads must not bind.
func Attributes(bound bool) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if bound {
		attr.Pdeathsig = syscall.SIGKILL
	}
	return attr
}

// sweeps bounds how often processes are looked for: one that starts others all
// the time can be a step ahead.
const sweeps = 20

// A process has no environment to look at while it becomes another program, so
// one look that finds nothing proves nothing.
const (
	quietLooks = 4
	pause      = 3 * time.Millisecond
)

// KillMarked ends the processes that have mark in their environment, until
// several looks in a row find none.
func KillMarked(mark string) {
	quiet := 0
	for range sweeps {
		found := Marked(mark)
		for _, pid := range found {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if quiet++; len(found) > 0 {
			quiet = 0
		}
		if quiet == quietLooks {
			return
		}
		<-time.After(pause)
	}
}

// Marked lists the living processes of this user that have mark, "NAME=value", in
// their environment.
func Marked(mark string) (list []int) {
	for _, pid := range processes() {
		// The environment of a dead process that nobody waited for is empty.
		env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil {
			continue
		}
		for pair := range bytes.SplitSeq(env, []byte{0}) {
			if string(pair) == mark {
				list = append(list, pid)
				break
			}
		}
	}
	return list
}

// processes lists the others that run.
func processes() (list []int) {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() && pid != 1 {
			list = append(list, pid)
		}
	}
	return list
}
