package process

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
)

// A Process is a command that was started, or could not be.
type Process struct {
	o      Options
	mark   string
	pid    int
	held   [2]stream // standard output and error, as the command has them
	pump   pump
	out    [2]capture // standard output, standard error
	began  time.Time
	raised atomic.Uint32 // reasons for an end, as bits
	due    [reasons]time.Time
	exited bool    // the command itself is over
	how    *ending // how it ended; nil if somebody else waited for it
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
		o: o, mark: c.Mark, ended: make(chan struct{}),
		out: [2]capture{{keep: o.keep()}, {keep: o.keep()}},
	}
	p.began = o.now()
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

// started takes note of what runs, by whose output it can be told.
func (p *Process) started(pid int, w pump, out, err int) {
	p.pid, p.pump, p.held = pid, w, [2]stream{identify(out), identify(err)}
}

// took is the time since the start; clocks can be turned back.
func (p *Process) took() time.Duration { return max(0, p.o.now().Sub(p.began)) }
