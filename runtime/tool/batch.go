package tool

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/runtime/value"
)

// A Batch runs the calls of one answer of a model: policy in the model's order
// around bodies that may overlap. An exclusive call runs alone. Parallel calls
// that follow each other form a rolling pool; each is proposed, recorded and
// prepared when it starts, one at a time and in order, and judged and recorded
// in order once those before it are.
type Batch struct {
	Runtime *Runtime
	// Limit is how many bodies may run at once; 0 means [DefaultParallel].
	Limit int
	// Journal is told of every call and every result. It must be there.
	Journal Journal
}

var errBatch = errors.New("a batch needs a runtime and a journal")

// DefaultParallel is how many calls of a batch run at once by default.
const DefaultParallel = 10

// A Journal records a batch. Its methods are called one at a time. An error ends
// the batch: nothing more is started or recorded, and what runs is waited for.
type Journal interface {
	// Called records a call before policy sees it. original are its arguments
	// before they were rewritten, and reason is why they were, where that was said.
	Called(call Call, original value.Value, reason string) error
	// Returned records the result of a call. Results come in the order of their
	// calls.
	Returned(call Call, r Result) error
}

// Run runs the calls and returns when all have a result. When ctx is done, calls
// that run are waited for and judged, and each that has not begun is recorded
// with a failure that says so; that is no error. The error is the Journal's.
func (b Batch) Run(ctx context.Context, calls []Input) error {
	if b.Runtime == nil || b.Journal == nil {
		return errBatch
	}
	r := &batchRun{Batch: b, ctx: ctx, landed: make(chan *flight, len(calls))}
	if r.Limit <= 0 {
		r.Limit = DefaultParallel
	}
	defer r.await()
	for _, in := range calls {
		r.run(in)
	}
	r.drain()
	return r.err
}

// await waits for what still runs when a handler or the journal ends the
// goroutine of the batch.
func (r *batchRun) await() {
	for r.flying > 0 {
		r.land()
	}
}

// batchRun is one run of a batch. All of it belongs to the caller's goroutine.
type batchRun struct {
	Batch
	ctx    context.Context
	open   []*flight       // started and not recorded, in order
	flying int             // bodies that run
	late   context.Context //nolint:containedctx // what is left of ctx once it is done
	landed chan *flight
	err    error
}

// A flight is one started call.
type flight struct {
	settled *Settled
	ended   bool // known to the batch: settled may be read
}

// run takes one call as far as its start, and an exclusive one to its end.
func (r *batchRun) run(in Input) {
	exclusive := !r.Runtime.Parallel(in)
	r.makeRoom(exclusive)
	if r.over() {
		r.skip(r.Runtime.open(in), in)
		return
	}
	proposed, settled := r.Runtime.Propose(r.ctx, in)
	x := (*execution)(proposed)
	if proposed == nil {
		x = (*execution)(settled)
	} else if !exclusive && !proposed.Parallel() {
		exclusive = true // it was rewritten into one
		r.drain()
	}
	if r.over() {
		r.skip(x, in)
		return
	}
	if r.err = r.Journal.Called(x.shown(), x.original, x.reason); r.err != nil {
		return
	}
	r.start(proposed, settled, exclusive)
	if exclusive {
		r.drain()
	}
}

func (r *batchRun) over() bool { return r.err != nil || r.ctx.Err() != nil }

// skip records a call that is not started any more. It passes no phase.
func (r *batchRun) skip(x *execution, in Input) {
	r.drain()
	if r.err != nil {
		return
	}
	if x.call.Arguments.IsAbsent() {
		x.original, _ = Snapshot(in.Arguments)
		x.takes(x.original)
	}
	if r.err = r.Journal.Called(x.shown(), x.original, x.reason); r.err == nil {
		r.err = r.Journal.Returned(x.shown(), Aborted(false))
	}
}

// start prepares a call and lets its body fly; that of an exclusive one has
// nothing to overlap with.
func (r *batchRun) start(proposed *Proposed, settled *Settled, exclusive bool) {
	var prepared *Prepared
	if settled == nil {
		prepared, settled = proposed.Prepare(r.ctx)
	}
	if settled == nil && exclusive {
		settled = prepared.Dispatch(r.ctx)
	}
	if settled != nil {
		r.open = append(r.open, &flight{settled, true})
		r.commit()
		return
	}
	f := new(flight)
	r.open = append(r.open, f)
	r.flying++
	go func() {
		defer r.handIn(f, prepared)
		f.settled = prepared.Dispatch(r.ctx)
	}()
}

// handIn hands in a call whose body has ended, or has ended its goroutine.
func (r *batchRun) handIn(f *flight, p *Prepared) {
	if f.settled == nil {
		f.settled = (*execution)(p).refuse(failed(goroutineEnded, "", ""))
	}
	r.landed <- f
}

// makeRoom waits until one more call may start.
func (r *batchRun) makeRoom(exclusive bool) {
	if exclusive {
		r.drain()
		return
	}
	for r.flying >= r.Limit {
		r.land()
		r.commit()
	}
}

// land waits for one body to end.
func (r *batchRun) land() {
	f := <-r.landed
	f.ended = true
	r.flying--
}

// drain waits for every body and records what is open, each as soon as those
// before it are.
func (r *batchRun) drain() {
	r.commit()
	for r.flying > 0 {
		r.land()
		r.commit()
	}
}

// commit judges and records the calls that have ended, in order.
func (r *batchRun) commit() {
	for len(r.open) > 0 && r.err == nil && r.open[0].ended {
		f := r.open[0]
		r.open = r.open[1:]
		r.err = r.Journal.Returned(f.settled.Call(), f.settled.Finish(r.judging()))
	}
}

// judging returns the context in which a result is judged. Once the batch is
// cancelled, all results share what time there is.
func (r *batchRun) judging() context.Context {
	if r.ctx.Err() == nil {
		return r.ctx
	}
	if r.late == nil {
		r.late = context.WithValue(r.ctx, untilKey{}, time.Now().Add(batchGrace))
	}
	return r.late
}

// ParseArguments reads the text that a model wrote as arguments: an empty one is
// an object without members, and what is not JSON is passed on as the string
// that it is.
func ParseArguments(text string) value.Value {
	if strings.TrimSpace(text) == "" {
		return value.OfObject()
	}
	v, err := value.ParseString(text)
	if err != nil {
		return value.OfString(text)
	}
	return v
}
