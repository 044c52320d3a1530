//go:build unix

package process

import (
	"math"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dsh-lua/dsh/internal/group"
)

// polled is a pump that waits for everything in one call. A thread waits for a
// process anyway; goroutines and threads that wake up for each of its streams
// cost a good part of what starting a small command does.
type polled struct {
	p      *Process
	unfed  []byte // of the standard input
	fds    [5]unix.PollFd
	buf    []byte // small first, that is enough for most
	small  [512]byte
	waited chan *ending // nil if the process has a handle

	lock sync.Mutex // guards arm
	arm  int        // what is written to it is read from the bell
}

// The places of polled.fds; those of the streams are as the command has them.
const (
	stdinAt  = 0
	stdoutAt = 1
	bellAt   = 3
	exitAt   = 4
)

// longest is how many milliseconds one call can wait for certain.
const longest = math.MaxInt32

// none stands for a descriptor that there is not. Polling passes it over.
const none = -1

func (p *Process) start(s program) error {
	if p.o.lacks == lackOfPoll {
		return p.startWithGoroutines(s)
	}
	w := &polled{p: p, unfed: s.stdin, arm: none}
	w.buf = w.small[:]
	for at := range w.fds {
		w.fds[at] = unix.PollFd{Fd: none, Events: unix.POLLIN}
	}
	w.fds[stdinAt].Events = unix.POLLOUT
	theirs := make([]uintptr, 0, 3)
	err := w.open(&theirs)
	if err == nil {
		w.feed() // most commands find all of it when they start
		err = w.launch(s, theirs)
	}
	for _, fd := range theirs {
		_ = syscall.Close(int(fd))
	}
	if err != nil {
		w.close()
		return err
	}
	w.p.o.Spare.fill(w.p.o.Sockets)
	return nil
}

// open makes the streams and the bell. What it has made when it fails is there.
func (w *polled) open(theirs *[]uintptr) error {
	for at := range maxSpare {
		p, err := w.p.o.Spare.take(w.p.o.Sockets)
		if err != nil {
			return err
		}
		r, wr := p.a, p.b
		if at == stdinAt {
			r, wr = wr, r
		}
		w.fds[at].Fd = int32(r)
		*theirs = append(*theirs, uintptr(wr))
	}
	bell, arm, err := bell()
	if err != nil {
		return err
	}
	w.fds[bellAt].Fd, w.arm = int32(bell), arm
	return syscall.SetNonblock(int(w.fds[stdinAt].Fd), true)
}

// launch starts the process and sees to it that its end is noticed: by its handle,
// or, where the system has none, by a goroutine that lives as long as the process.
// Package os does the same, but for files and processes that are harder to misuse,
// which takes time that can be measured.
func (w *polled) launch(s program, theirs []uintptr) error {
	sys, handle := group.Attributes(false), none
	if w.p.o.lacks != lackOfHandles {
		wantHandle(sys, &handle)
	}
	pid, err := syscall.ForkExec(s.path, s.argv, &syscall.ProcAttr{Dir: s.dir, Env: s.env, Files: theirs, Sys: sys})
	if err != nil {
		return &os.PathError{Op: "fork/exec", Path: s.path, Err: err}
	}
	w.p.started(pid, w, int(theirs[stdoutAt]), int(theirs[stdoutAt+1]))
	if w.fds[exitAt].Fd = int32(handle); handle == none {
		w.waited = make(chan *ending, 1)
		go func() {
			w.waited <- wait(pid)
			w.ring()
		}()
	}
	return nil
}

// wait waits for a process. It returns nil if somebody else has.
func wait(pid int) *ending {
	for {
		var status syscall.WaitStatus
		switch _, err := syscall.Wait4(pid, &status, 0, nil); {
		case err == syscall.EINTR:
		case err != nil:
			return nil
		case status.Signaled():
			return &ending{status: -1, signal: unix.SignalName(status.Signal())}
		default:
			return &ending{status: status.ExitStatus()}
		}
	}
}

func (w *polled) next(patience time.Duration) {
	w.poll(patience)
	for i := range w.p.out {
		if w.fds[stdoutAt+i].Revents != 0 {
			w.read(stdoutAt+i, &w.p.out[i])
		}
	}
	if w.fds[stdinAt].Revents != 0 {
		w.feed()
	}
	if w.fds[bellAt].Revents != 0 {
		_, _ = syscall.Read(int(w.fds[bellAt].Fd), w.buf)
	}
	if w.fds[exitAt].Revents != 0 {
		w.exit(wait(w.p.pid))
		w.drop(exitAt)
	}
	select {
	case how := <-w.waited:
		w.exit(how)
	default:
	}
}

// poll waits for the descriptors. It may end too early.
func (w *polled) poll(patience time.Duration) {
	limit := -1
	if patience >= 0 {
		limit = int(min(patience/time.Millisecond+1, longest))
	}
	for {
		_, err := unix.Poll(w.fds[:], limit)
		if err == nil {
			return
		}
		if err != unix.EINTR { // the system lacks memory, for now
			time.Sleep(time.Millisecond)
		}
	}
}

func (w *polled) exit(how *ending) { w.p.how, w.p.exited = how, true }

// read reads once. An error is an end.
func (w *polled) read(at int, c *capture) {
	n, err := syscall.Read(int(w.fds[at].Fd), w.buf)
	if err == syscall.EINTR {
		return
	}
	if n <= 0 {
		c.over = true
		w.drop(at)
		return
	}
	c.write(w.buf[:n])
	if n == len(w.buf) && n < block {
		w.buf = make([]byte, block) // it has much to say
	}
}

// feed writes what the standard input takes now, and closes it if that was all. A
// command that does not want it is no error.
func (w *polled) feed() {
	for len(w.unfed) > 0 {
		n, err := syscall.Write(int(w.fds[stdinAt].Fd), w.unfed[:min(len(w.unfed), block)])
		if err == syscall.EAGAIN || err == syscall.EINTR {
			return
		}
		if err != nil {
			break
		}
		w.unfed = w.unfed[n:]
	}
	w.drop(stdinAt)
}

// drop closes a descriptor and waits for it no longer.
func (w *polled) drop(at int) {
	if w.fds[at].Fd != none {
		_ = syscall.Close(int(w.fds[at].Fd))
	}
	w.fds[at] = unix.PollFd{Fd: none}
}

// stroke is one stroke of the bell: a number of eight bytes that is not zero.
var stroke = [8]byte{1}

func (w *polled) ring() {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.arm != none {
		_, _ = syscall.Write(w.arm, stroke[:])
	}
}

func (w *polled) close() {
	w.lock.Lock()
	if w.arm != none && w.arm != int(w.fds[bellAt].Fd) {
		_ = syscall.Close(w.arm)
	}
	w.arm = none
	w.lock.Unlock()
	for at := range w.fds {
		w.drop(at)
	}
}
