package process

import (
	"io"
	"os"
)

// goroutines is the pump of systems that cannot wait for several things at once:
// one goroutine waits for each. The streams are pipes.
type goroutines struct {
	p     *Process
	stdin []byte
	ours  [3]*os.File
	ended chan func() // what has ended, as what is to be noted of it
	owed  int         // how many will still come from ended
	bell  chan struct{}
}

func newGoroutines(p *Process, stdin []byte) (pump, []*os.File, error) {
	g := &goroutines{p: p, stdin: stdin, ended: make(chan func()), bell: make(chan struct{}, 1)}
	theirs := make([]*os.File, len(g.ours))
	for i := range theirs {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(g.ours[:])
			closeAll(theirs)
			return nil, nil, err
		}
		g.ours[i], theirs[i] = r, w
		if i == 0 {
			g.ours[i], theirs[i] = w, r
		}
	}
	return g, theirs, nil
}

func (g *goroutines) start() {
	g.run(func() func() {
		state, _ := g.p.proc.Wait() // fails only if it was waited for
		return func() { g.p.state, g.p.exited = state, true }
	})
	for i := range g.p.out {
		out := &g.p.out[i]
		g.run(func() func() {
			out.readAll(g.ours[i+1])
			return func() { out.over = true }
		})
	}
	g.run(func() func() {
		feed(g.ours[0], g.stdin)
		return func() {}
	})
}

func (g *goroutines) run(wait func() (note func())) {
	g.owed++
	go func() { g.ended <- wait() }()
}

func (g *goroutines) next() {
	select {
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
		g.next()
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
