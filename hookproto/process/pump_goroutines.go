package process

import (
	"io"
	"os"
	"time"

	"github.com/dsh-lua/dsh/internal/group"
)

// goroutines is the pump of systems that cannot wait for several things at once:
// one goroutine waits for each. The streams are pipes.
type goroutines struct {
	p     *Process
	ours  [3]*os.File
	ended chan func() // what has ended, as what is to be noted of it
	owed  int         // how many will still come from ended
	bell  chan struct{}
}

func (p *Process) startWithGoroutines(s program) error {
	g := &goroutines{p: p, ended: make(chan func()), bell: make(chan struct{}, 1)}
	theirs := make([]*os.File, len(g.ours))
	defer func() { closeAll(theirs) }()
	err := g.open(theirs)
	var proc *os.Process
	if err == nil {
		proc, err = os.StartProcess(s.path, s.argv, &os.ProcAttr{Dir: s.dir, Env: s.env, Files: theirs, Sys: group.Attributes(false)})
	}
	if err != nil {
		closeAll(g.ours[:])
		return err
	}
	p.started(proc.Pid, g, int(theirs[1].Fd()), int(theirs[2].Fd()))
	g.watch(proc, s.stdin)
	return nil
}

// open makes the streams. What it has made when it fails is there.
func (g *goroutines) open(theirs []*os.File) error {
	for i := range theirs {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		g.ours[i], theirs[i] = r, w
		if i == 0 {
			g.ours[i], theirs[i] = w, r
		}
	}
	return nil
}

func (g *goroutines) watch(proc *os.Process, stdin []byte) {
	g.run(func() func() {
		state, err := proc.Wait() // fails only if it was waited for
		return func() {
			if g.p.exited = true; err == nil {
				signal, _ := group.Signal(state)
				g.p.how = &ending{state.ExitCode(), signal}
			}
		}
	})
	for i := range g.p.out {
		out := &g.p.out[i]
		g.run(func() func() {
			out.readAll(g.ours[i+1])
			return func() { out.over = true }
		})
	}
	g.run(func() func() {
		feed(g.ours[0], stdin)
		return func() {}
	})
}

func (g *goroutines) run(wait func() (note func())) {
	g.owed++
	go func() { g.ended <- wait() }()
}

func (g *goroutines) next(patience time.Duration) {
	var late <-chan time.Time
	if patience >= 0 {
		t := time.NewTimer(patience)
		defer t.Stop()
		late = t.C
	}
	select {
	case <-late:
	case note := <-g.ended:
		g.owed--
		note()
	case <-g.bell:
	}
}

func (g *goroutines) ring() {
	select {
	case g.bell <- struct{}{}:
	default: // it rings already
	}
}

func (g *goroutines) close() {
	closeAll(g.ours[:])
	for g.owed > 0 {
		g.next(-1)
	}
}

// feed writes the standard input and closes it. A command that does not want it is
// no error.
func feed(w io.WriteCloser, stdin []byte) {
	for len(stdin) > 0 {
		n, err := w.Write(stdin[:min(len(stdin), block)])
		if err != nil {
			break
		}
		stdin = stdin[n:]
	}
	_ = w.Close()
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
