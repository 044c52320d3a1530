package process

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/internal/group"
)

// drain is how long to wait for the rest of the output of what was ended.
const drain = 200 * time.Millisecond

// Run runs c and waits for its end. It is total: what goes wrong is in the
// result. If ctx is done, the command is ended like one whose time is up.
func (o Options) Run(ctx context.Context, c Command) hookproto.Result {
	return o.Start(ctx, c, false).Wait()
}

// A Process is a command that was started, or could not be.
type Process struct {
	o       Options
	clock   Clock
	mark    string
	proc    *os.Process
	streams *streams
	tree    *group.Tree
	out     [2]*capture // standard output, standard error
	began   time.Time
	unfed   []byte        // of standard input when the command started
	fed     chan struct{} // closed when standard input is written
	exited  chan struct{} // closed when the command itself is over, after state
	state   *os.ProcessState
	first   chan []byte
	ended   chan struct{} // closed at the end, after result
	result  hookproto.Result
}

// Start starts c. The caller must Wait. With firstLine the process also tells
// its first line of standard output.
func (o Options) Start(ctx context.Context, c Command, firstLine bool) *Process {
	p := &Process{
		o: o, clock: o.clock(), mark: c.Mark, ended: make(chan struct{}), exited: make(chan struct{}), fed: make(chan struct{}),
		first: make(chan []byte, 1),
	}
	p.began = p.clock.Now()
	err := context.Cause(ctx)
	late := err != nil
	if !late {
		err = p.launch(c)
	}
	if err != nil {
		p.result = hookproto.Result{Exit: -1, Canceled: late, Err: err, Took: p.took()}
		close(p.ended)
		return p
	}
	if firstLine {
		p.out[0].first = p.first
	}
	if p.unfed == nil {
		close(p.fed)
	} else {
		go func() {
			defer close(p.fed)
			p.streams.feed(p.unfed)
		}()
	}
	go p.out[0].run(p.streams.ours[1])
	go p.out[1].run(p.streams.ours[2])
	go func() {
		defer close(p.exited)
		p.state, _ = p.proc.Wait() // fails only if it was waited for
	}()
	go p.supervise(ctx, c.Timeout)
	return p
}

// Wait waits for the end and returns the result.
func (p *Process) Wait() hookproto.Result {
	<-p.ended
	return p.result
}

// Done is closed at the end of the process.
func (p *Process) Done() <-chan struct{} { return p.ended }

// FirstLine gets the first line of standard output, without its end, if it is
// within what is kept. It gets nothing if there is none.
func (p *Process) FirstLine() <-chan []byte { return p.first }

func (p *Process) launch(c Command) error {
	env := p.o.environment(c)
	path, argv, err := p.o.program(c, env)
	if err != nil {
		return err
	}
	s, err := p.o.open()
	if err != nil {
		return err
	}
	if p.unfed = s.prefill(c.Stdin); len(p.unfed) == 0 {
		p.unfed = nil
		s.ours[0].Close()
	}
	held := append(holders(s.theirs[1]), holders(s.theirs[2])...)
	p.proc, err = os.StartProcess(path, argv, &os.ProcAttr{Dir: c.Dir, Env: env, Files: s.theirs[:], Sys: group.Attributes(false)})
	s.close(s.theirs[:])
	if err != nil {
		s.close(s.ours[:])
		return err
	}
	p.streams, p.tree = s, group.NewTree(p.proc.Pid, held...)
	p.out = [2]*capture{newCapture(p.o.keep()), newCapture(p.o.keep())}
	return nil
}

// why is the reason for which a command was not left to itself.
type why int

const (
	byItself why = iota
	timeUp
	canceled
	outputHeld // it is over, but a child of it still could print
)

// supervise sees the command to its end.
func (p *Process) supervise(ctx context.Context, limit time.Duration) {
	defer close(p.ended)
	var expired <-chan time.Time
	if limit > 0 {
		var stop func()
		expired, stop = p.clock.After(limit)
		defer stop()
	}
	cause := byItself
	select {
	case <-p.exited:
		cause = p.awaitOutput(ctx, expired)
	case <-ctx.Done():
		cause = canceled
	case <-expired:
		cause = timeUp
	}
	if cause != byItself {
		p.end()
	}
	p.collect(cause)
}

// awaitOutput waits for the end of the output of a command that is over.
func (p *Process) awaitOutput(ctx context.Context, expired <-chan time.Time) why {
	var enough <-chan time.Time
	if p.o.Held >= 0 {
		var stop func()
		enough, stop = p.clock.After(p.o.Held)
		defer stop()
	}
	for _, c := range p.out {
		select {
		case <-c.done:
		case <-enough:
			return outputHeld
		case <-ctx.Done():
			return canceled
		case <-expired:
			return timeUp
		}
	}
	return byItself
}

// end ends the command with all that it started.
func (p *Process) end() {
	p.tree.Look()
	if p.o.Polite > 0 && !closed(p.exited) {
		group.Interrupt(p.proc.Pid)
		patience, stop := p.clock.After(p.o.Polite)
		select {
		case <-p.exited:
		case <-patience:
		}
		stop()
	}
	p.tree.Kill()
	if p.mark != "" {
		group.KillMarked(p.mark)
	}
	<-p.exited
}

// collect makes the result. A process that nobody can find may still hold a
// stream: it is not waited for.
func (p *Process) collect(cause why) {
	if cause != byItself {
		timer := time.NewTimer(drain)
		defer timer.Stop()
		for _, c := range p.out {
			select {
			case <-c.done:
			case <-timer.C:
			}
		}
	}
	p.streams.close(p.streams.ours[:])
	<-p.fed
	<-p.out[0].done
	<-p.out[1].done
	p.result = hookproto.Result{
		Exit: -1, Stdout: p.out[0].kept, Stderr: p.out[1].kept, Cut: p.out[0].cut || p.out[1].cut,
		TimedOut: cause == timeUp, Canceled: cause == canceled, Took: p.took(),
	}
	if p.state == nil {
		p.result.Err = errors.New("the process was waited for by somebody else")
		return
	}
	p.result.Exit = p.state.ExitCode()
	p.result.Signal, _ = group.Signal(p.state)
}

// took is the time since the start; clocks can be turned back.
func (p *Process) took() time.Duration { return max(0, p.clock.Now().Sub(p.began)) }

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
