//go:build unix

package process

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
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
	waited chan *os.ProcessState // nil if the process has a handle

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

// none stands for a descriptor that there is not. Polling passes it over.
const none = -1

func newPump(p *Process, stdin []byte) (pump, []*os.File, error) {
	if p.o.lacks == lackOfPoll {
		return newGoroutines(p, stdin)
	}
	w := &polled{p: p, unfed: stdin, arm: none}
	w.buf = w.small[:]
	for at := range w.fds {
		w.fds[at] = unix.PollFd{Fd: none, Events: unix.POLLIN}
	}
	w.fds[stdinAt].Events = unix.POLLOUT
	theirs := make([]*os.File, 0, 3)
	if err := w.open(&theirs); err != nil {
		w.close()
		closeAll(theirs)
		return nil, nil, err
	}
	w.feed() // most commands find all of it when they start
	return w, theirs, nil
}

// open makes the streams and the bell. What it has made when it fails is there.
func (w *polled) open(theirs *[]*os.File) error {
	pair := pipe
	if w.p.o.Sockets {
		pair = socketpair
	}
	for at := range 3 {
		r, wr, err := pair()
		if err != nil {
			return err
		}
		if at == stdinAt {
			r, wr = wr, r
		}
		w.fds[at].Fd = int32(r)
		*theirs = append(*theirs, os.NewFile(uintptr(wr), "|"))
	}
	bell, arm, err := bell()
	if err != nil {
		return err
	}
	w.fds[bellAt].Fd, w.arm = int32(bell), arm
	return syscall.SetNonblock(int(w.fds[stdinAt].Fd), true)
}

// start sees to it that the end of the process is noticed: by its handle, or,
// where the system has none, by a goroutine that lives as long as the process.
func (w *polled) start() {
	if w.p.o.lacks != lackOfHandles && w.p.proc.WithHandle(func(uintptr) {}) == nil {
		return
	}
	w.waited = make(chan *os.ProcessState, 1)
	go func() {
		state, _ := w.p.proc.Wait() // fails only if it was waited for
		w.waited <- state
		w.ring()
	}()
}

func (w *polled) next() {
	if w.p.exited || w.waited != nil {
		w.poll()
	} else if err := w.p.proc.WithHandle(w.pollWith); err != nil {
		w.exit(nil) // it was waited for
		return
	}
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
		state, _ := w.p.proc.Wait() // fails only if it was waited for
		w.exit(state)
	}
	select {
	case state := <-w.waited:
		w.exit(state)
	default:
	}
}

// pollWith polls with the handle of the process, which is readable at its end.
func (w *polled) pollWith(handle uintptr) {
	w.fds[exitAt].Fd = int32(handle)
	w.poll()
}

func (w *polled) poll() {
	for {
		_, err := unix.Poll(w.fds[:], -1)
		if err == nil {
			return
		}
		if err != unix.EINTR { // the system lacks memory, for now
			time.Sleep(time.Millisecond)
		}
	}
}

func (w *polled) exit(state *os.ProcessState) {
	w.p.state, w.p.exited = state, true
	w.fds[exitAt] = unix.PollFd{Fd: none} // it is closed by whoever has waited
}

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
	for at := range exitAt {
		w.drop(at)
	}
}
