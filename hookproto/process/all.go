package process

import (
	"context"
	"slices"
	"sync"

	"github.com/dsh-lua/dsh/hookproto"
)

// A Job is one handler of an event.
type Job struct {
	Command Command
	// Detach, if not nil, is asked about the first line of standard output.
	// When it says yes, nobody waits for the handler any longer.
	Detach func(line []byte) bool
}

// A Ran is what became of one job.
type Ran struct {
	Result     hookproto.Result
	Configured int // place among the jobs
	Rank       int // place among those that completed, from 0
	// Detached is the process of a job that nobody waits for; Result is empty
	// then. Whoever gets it must hand it to a [Background], or stop it and wait.
	Detached *Detached
}

// A Detached is a process that outlives its event.
type Detached struct {
	process *Process
	stop    context.CancelFunc
}

// Stop ends the process and waits for it.
func (d *Detached) Stop() { d.stop(); d.process.Wait() }

// RunAll runs all jobs at the same time and waits for them. The answer is in
// the order of the jobs. If enough is not nil, it is asked about every result,
// one at a time, in the order of completion; once it says yes, the jobs that
// still run are ended, as if ctx were done.
func (o Options) RunAll(ctx context.Context, jobs []Job, enough func(configured int, r hookproto.Result) bool) []Ran {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all := make([]Ran, len(jobs))
	var (
		wait sync.WaitGroup
		lock sync.Mutex // guards rank, and is held while enough is asked
		rank int
	)
	for i, job := range jobs {
		wait.Go(func() {
			ran := o.runJob(ctx, job)
			lock.Lock()
			defer lock.Unlock()
			ran.Configured, ran.Rank = i, rank
			rank++
			all[i] = ran
			if enough != nil && ran.Detached == nil && enough(i, ran.Result) {
				cancel()
			}
		})
	}
	wait.Wait()
	return all
}

func (o Options) runJob(ctx context.Context, job Job) Ran {
	if job.Detach == nil {
		return Ran{Result: o.Run(ctx, job.Command)}
	}
	own, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	bound := context.AfterFunc(ctx, func() { stop(context.Cause(ctx)) })
	p := o.Start(own, job.Command)
	select {
	case line := <-p.FirstLine():
		if job.Detach(line) && bound() {
			return Ran{Detached: &Detached{process: p, stop: func() { stop(nil) }}}
		}
	case <-p.Done():
	}
	r := p.Wait()
	bound()
	stop(nil)
	return Ran{Result: r}
}

// ByRank returns the runs in the order of completion.
func ByRank(all []Ran) []Ran {
	out := slices.Clone(all)
	slices.SortFunc(out, func(a, b Ran) int { return a.Rank - b.Rank })
	return out
}
