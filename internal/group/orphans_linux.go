package group

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Orphans are the processes that this one became the parent of because theirs
// ended: what a command left behind, wherever it has gone and whatever it hides.
// nil are none.
type Orphans struct{ spared []int }

// Adopt makes this process the parent of all orphans among its descendants. What
// is its child already was started by whoever it was before, and is left alone.
// The first process of a system is everybody's parent, and adopts nobody.
func Adopt() (*Orphans, error) {
	if os.Getpid() == 1 {
		return nil, nil
	}
	before := children()
	o := &Orphans{spared: make([]int, len(before))}
	for i, r := range before {
		o.spared[i] = r.pid
	}
	return o, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// Kill ends all orphans, and what becomes one by that. While this process waits
// for a child it does nothing: nobody can tell who left the orphans then, and who
// calls it next ends them.
func (o *Orphans) Kill() {
	if o == nil {
		return
	}
	for range 10 * sweeps {
		orphans, busy := o.look()
		if busy || len(orphans) == 0 {
			return
		}
		for _, r := range orphans {
			_ = syscall.Kill(r.pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(r.pid, nil, syscall.WNOHANG, nil)
		}
		<-time.After(pause)
	}
}

// look lists the orphans. busy is true if a child lives that is none.
func (o *Orphans) look() (orphans []relation, busy bool) {
	// A child that is being started is no orphan, and has no handle yet.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	ours := handles()
	for _, r := range children() {
		switch {
		case slices.Contains(o.spared, r.pid):
		case slices.Contains(ours, r.pid):
			busy = busy || !r.dead
		default:
			orphans = append(orphans, r)
		}
	}
	return orphans, busy
}

// children lists the children of this process, the dead ones too.
func children() []relation {
	own := os.Getpid()
	return slices.DeleteFunc(everybody(), func(r relation) bool { return r.parent != own })
}

// handles lists the processes that this one has a handle of: those that it
// started and waits for.
func handles() (pids []int) {
	const folder = "/proc/self/fdinfo/"
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		info, _ := os.ReadFile(folder + e.Name())
		for line := range bytes.Lines(info) {
			if text, ok := bytes.CutPrefix(line, []byte("Pid:")); ok {
				pid, _ := strconv.Atoi(string(bytes.TrimSpace(text)))
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
