// Package process runs one command line of a shell so that nothing of it is left
// when it is over.
//
// The shell leads a session and a process group of its own. When it ends, when its time is up
// or when it is cancelled, everything that it started is ended too: the group,
// and where the system tells, processes that left the group. What they print is
// kept up to a limit, its beginning and its end. Nothing waits for a process
// that holds on to the output, and there is no terminal and no input to wait for.
package process

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/dsh-lua/dsh/internal/group"
)

// A Command is what to run.
type Command struct {
	// Line is given to the shell.
	Line string
	// Dir is where it starts.
	Dir string
	// Env is its environment, as "name=value".
	Env []string
	// Timeout is how long it may take; 0 means for ever.
	Timeout time.Duration
	// Keep is how much of the output is kept, in bytes: half of it from the
	// beginning, half from the end.
	Keep int
	// Orphans are what else to end when it is over; nil is nothing.
	Orphans *group.Orphans
}

// An Outcome is how a command ended.
type Outcome struct {
	// Output is what it printed, to whichever stream, in order.
	Output string
	// Dropped is how many bytes of the output are missing in the middle.
	Dropped int64
	// Exit is its exit status; -1 if a signal ended it.
	Exit int
	// Signal names the signal that ended it; empty if none did.
	Signal string
	// TimedOut is true if it was ended because its time was up.
	TimedOut bool
	// Took is how long it ran.
	Took time.Duration
}

const (
	// politeness is how long processes have to end after they are asked to.
	politeness = 300 * time.Millisecond
	// drain is how long to wait for the rest of the output of what was ended.
	drain = 200 * time.Millisecond
)

// mark is the variable in the environment by which processes are found that left
// the group of their shell. Its value is different for every command.
const mark = "DSH_AGENT_CALL"

// Run runs c and waits for its end. The error says that it could not be started
// or that ctx is done; there is an outcome in the second case too.
func Run(ctx context.Context, c Command) (Outcome, error) {
	if ctx.Err() != nil {
		return Outcome{}, context.Cause(ctx)
	}
	r, err := start(c)
	if err != nil {
		return Outcome{}, err
	}
	stopped, timedOut := r.await(ctx, c.Timeout)
	r.sweep()
	out := r.collect()
	out.TimedOut = timedOut
	if stopped && !timedOut {
		return out, context.Cause(ctx)
	}
	return out, nil
}

// running is a command that was started.
type running struct {
	cmd     *exec.Cmd
	mark    string // as it stands in the environment
	began   time.Time
	output  *capped
	pipe    *os.File
	orphans *group.Orphans
	copied  chan struct{} // closed at the end of the output
	ended   chan struct{} // closed when the shell is
	waitErr error
}

// shells lists what runs a command line, the best first.
var shells = []string{"/bin/bash", "/usr/bin/bash", "bash", "/bin/sh", "sh"}

func shell() (string, error) {
	for _, name := range shells {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is neither bash nor sh to run the command")
}

func start(c Command) (*running, error) {
	path, err := shell()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	var id [12]byte
	_, _ = rand.Read(id[:]) // never fails
	r := &running{
		cmd:  &exec.Cmd{Path: path, Args: []string{path, "-c", c.Line}, Dir: c.Dir, Stdout: write, Stderr: write, SysProcAttr: group.Attributes(true)},
		mark: mark + "=" + hex.EncodeToString(id[:]), began: time.Now(), output: newCapped(c.Keep), pipe: read,
		orphans: c.Orphans,
		copied:  make(chan struct{}), ended: make(chan struct{}),
	}
	r.cmd.Env = append(append([]string{}, c.Env...), r.mark)
	if err := r.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("the command cannot be started: %w", err), read.Close(), write.Close())
	}
	write.Close()
	if r.cmd.Process.WithHandle(func(uintptr) {}) != nil {
		r.orphans = nil // without handles nobody can tell them from other children
	}
	go func() {
		defer close(r.copied)
		r.output.readFrom(read)
	}()
	go func() {
		defer close(r.ended)
		r.waitErr = r.cmd.Wait()
	}()
	return r, nil
}

// await waits for the shell. If ctx or its time ends first, it is asked to end,
// and then made to.
func (r *running) await(ctx context.Context, limit time.Duration) (stopped, timedOut bool) {
	var expired <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-r.ended:
		return false, false
	case <-ctx.Done():
	case <-expired:
		timedOut = true
	}
	group.Interrupt(r.cmd.Process.Pid)
	timer := time.NewTimer(politeness)
	defer timer.Stop()
	select {
	case <-r.ended:
	case <-timer.C:
		group.Kill(r.cmd.Process.Pid)
		<-r.ended
	}
	return true, timedOut
}

// sweep ends whatever the shell left behind: the group, who left it, and who hides
// where he comes from.
func (r *running) sweep() {
	group.Kill(r.cmd.Process.Pid)
	group.KillMarked(r.mark)
	r.orphans.Kill()
}

// collect returns the outcome. A process that nobody can find may still hold the
// output: it is not waited for.
func (r *running) collect() Outcome {
	timer := time.NewTimer(drain)
	defer timer.Stop()
	select {
	case <-r.copied:
	case <-timer.C:
	}
	r.pipe.Close()
	<-r.copied
	out := Outcome{Took: time.Since(r.began), Exit: r.cmd.ProcessState.ExitCode()}
	_, out.Signal = group.Signal(r.cmd.ProcessState)
	out.Output, out.Dropped = r.output.text()
	return out
}
