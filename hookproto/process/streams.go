package process

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// block is how much is read or written at once.
const block = 32 << 10

// streams are the ends of the standard streams of a command, ours and its own.
type streams struct {
	ours   [3]*os.File
	theirs [3]*os.File
}

// open makes the three streams.
func (o Options) open() (*streams, error) {
	s := new(streams)
	for i := range s.ours {
		in, out, err := o.pair(i > 0)
		if err != nil {
			s.close(s.ours[:])
			s.close(s.theirs[:])
			return nil, err
		}
		s.ours[i], s.theirs[i] = in, out
	}
	return s, nil
}

// pair makes one stream.
func (o Options) pair(read bool) (ours, theirs *os.File, err error) {
	if o.Sockets {
		ours, theirs, err = sockets()
		if !errors.Is(err, errors.ErrUnsupported) {
			return ours, theirs, err
		}
	}
	r, w, err := os.Pipe()
	if read {
		return r, w, err
	}
	return w, r, err
}

func (s *streams) close(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// prefill writes what the command's standard input takes at once, so that most
// commands find all of it when they start. It returns the rest.
func (s *streams) prefill(stdin []byte) []byte {
	conn, err := s.ours[0].SyscallConn()
	if err != nil {
		return stdin
	}
	_ = conn.Write(func(fd uintptr) bool {
		for len(stdin) > 0 {
			n, err := writeNow(fd, stdin[:min(len(stdin), block)])
			if err != nil || n <= 0 {
				break
			}
			stdin = stdin[n:]
		}
		return true // what is left is written when it can be
	})
	return stdin
}

// feed writes the rest of the standard input and closes it. A command that does
// not want it is no error.
func (s *streams) feed(stdin []byte) {
	for len(stdin) > 0 {
		n, err := s.ours[0].Write(stdin[:min(len(stdin), block)])
		if err != nil {
			break
		}
		stdin = stdin[n:]
	}
	s.ours[0].Close()
}

// A capture keeps the beginning of a stream and drops the rest. Its fields may
// be read once done is closed.
type capture struct {
	keep  int
	kept  []byte
	cut   bool
	first chan []byte // takes the first line, if somebody wants it
	done  chan struct{}
}

func newCapture(keep int) *capture {
	return &capture{keep: keep, done: make(chan struct{})}
}

// run reads until the end; an error is an end.
func (c *capture) run(r io.Reader) {
	defer close(c.done)
	buf := make([]byte, 4<<10)
	for {
		n, err := r.Read(buf)
		c.write(buf[:n])
		if err != nil {
			return
		}
		if n == len(buf) && n < block {
			buf = make([]byte, block) // it has much to say
		}
	}
}

func (c *capture) write(b []byte) {
	n := min(len(b), c.keep-len(c.kept))
	c.cut = c.cut || n < len(b)
	c.kept = append(c.kept, b[:n]...)
	if c.first == nil || n == 0 {
		return
	}
	if at := bytes.IndexByte(c.kept, '\n'); at >= 0 {
		c.first <- bytes.Clone(c.kept[:at])
		c.first = nil
	}
}
