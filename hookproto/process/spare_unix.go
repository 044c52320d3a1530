//go:build unix

package process

import (
	"sync"
	"syscall"
)

// A Spare keeps streams for the next command. They are made while another one
// runs, which takes its time anyway, and not before the next, which somebody waits
// for. The zero value is ready, and serves any number of commands at once. It
// holds six descriptors that no child inherits; whoever has it must Close it.
type Spare struct {
	lock   sync.Mutex
	pairs  []pair
	closed bool
}

// A pair is the two ends of a stream.
type pair struct {
	a, b    int
	sockets bool
}

func (p pair) close() {
	_ = syscall.Close(p.a)
	_ = syscall.Close(p.b)
}

// maxSpare is how many streams are kept: those of one command.
const maxSpare = 3

func newPair(sockets bool) (p pair, err error) {
	p.sockets = sockets
	if sockets {
		p.a, p.b, err = socketpair()
	} else {
		p.a, p.b, err = pipe()
	}
	return p, err
}

// take returns a kept stream, or makes one. A nil Spare keeps none.
func (s *Spare) take(sockets bool) (pair, error) {
	if s != nil {
		s.lock.Lock()
		defer s.lock.Unlock()
		if n := len(s.pairs); n > 0 && s.pairs[n-1].sockets == sockets {
			p := s.pairs[n-1]
			s.pairs = s.pairs[:n-1]
			return p, nil
		}
	}
	return newPair(sockets)
}

// fill makes streams until there are enough. That it cannot is told by the command
// that needs one.
func (s *Spare) fill(sockets bool) {
	if s == nil {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	for !s.closed && len(s.pairs) < maxSpare {
		p, err := newPair(sockets)
		if err != nil {
			return
		}
		s.pairs = append(s.pairs, p)
	}
}

// Close closes what is kept. Commands may go on, and keep nothing any longer.
func (s *Spare) Close() {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.closed = true
	for _, p := range s.pairs {
		p.close()
	}
	s.pairs = nil
}
