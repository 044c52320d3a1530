package process

import (
	"context"
	"os"
	"sync/atomic"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/internal/group"
)

// A Process is a command that was started, or could not be.
type Process struct {
	o      Options
	clock  Clock
	mark   string
	proc   *os.Process
	tree   *group.Tree
	pump   pump
	out    [2]capture // standard output, standard error
	began  time.Time
	raised atomic.Uint32 // reasons for an end, as bits
	exited bool          // the command itself is over, and state is its
	state  *os.ProcessState
	first  chan []byte
	ended  chan struct{} // closed at the end, after result
	result hookproto.Result
}

// Run runs c and waits for its end. It is total: what goes wrong is in the
// result. If ctx is done, the command is ended like one whose time is up.
func (o Options) Run(ctx context.Context, c Command) hookproto.Result {
	p := o.begin(ctx, c)
	p.supervise(ctx, c.Timeout)
	return p.result
}

// Start starts c. The caller must Wait. The process tells the first line of its
// standard output, too.
func (o Options) Start(ctx context.Context, c Command) *Process {
	p := o.begin(ctx, c)
	p.out[0].first = make(chan []byte, 1)
	p.first = p.out[0].first
	go p.supervise(ctx, c.Timeout)
	return p
}

// begin starts c. If that fails, there is a result at once, and no pump.
func (o Options) begin(ctx context.Context, c Command) *Process {
	p := &Process{
		o: o, clock: o.clock(), mark: c.Mark, ended: make(chan struct{}),
		out: [2]capture{{keep: o.keep()}, {keep: o.keep()}},
	}
	p.began = p.clock.Now()
	err := context.Cause(ctx)
	late := err != nil
	if !late {
		err = p.launch(c)
	}
	if err != nil {
		p.result = hookproto.Result{Exit: -1, Canceled: late, Err: err, Took: p.took()}
	}
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
	pump, theirs, err := newPump(p, c.Stdin)
	if err != nil {
		return err
	}
	defer closeAll(theirs)
	p.proc, err = os.StartProcess(path, argv, &os.ProcAttr{Dir: c.Dir, Env: env, Files: theirs, Sys: group.Attributes(false)})
	if err != nil {
		pump.close()
		return err
	}
	p.tree, p.pump = group.NewTree(p.proc.Pid, holders(theirs[1:])...), pump
	return nil
}

// took is the time since the start; clocks can be turned back.
func (p *Process) took() time.Duration { return max(0, p.clock.Now().Sub(p.began)) }
