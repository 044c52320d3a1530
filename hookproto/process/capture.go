package process

import (
	"bytes"
	"io"
)

// block is how much is read or written at once.
const block = 32 << 10

// A capture keeps the beginning of a stream and drops the rest.
type capture struct {
	keep  int
	kept  []byte
	cut   bool
	over  bool        // the stream has ended
	first chan []byte // takes the first line, if somebody wants it
}

// readAll reads until the end; an error is an end.
func (c *capture) readAll(r io.Reader) {
	buf := make([]byte, block)
	for {
		n, err := r.Read(buf)
		c.write(buf[:n])
		if err != nil {
			return
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
	if at := bytes.IndexByte(b[:n], '\n'); at >= 0 {
		c.first <- bytes.Clone(c.kept[:len(c.kept)-n+at])
		c.first = nil
	}
}
