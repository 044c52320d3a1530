package process

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// capped keeps the beginning and the end of what is written to it. It belongs to
// one goroutine until that is done.
type capped struct {
	half  int
	head  []byte
	ring  []byte // the end, once the head is full
	at    int    // where the next byte of the ring goes
	total int64
}

func newCapped(keep int) *capped { return &capped{half: max(keep/2, 1)} }

// readFrom takes everything that r yields; an error is an end.
func (c *capped) readFrom(r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		c.write(buf[:n])
		if err != nil {
			return
		}
	}
}

func (c *capped) write(b []byte) {
	c.total += int64(len(b))
	n := min(len(b), c.half-len(c.head))
	c.head = append(c.head, b[:n]...)
	b = b[n:]
	if len(b) > c.half {
		b = b[len(b)-c.half:]
	}
	for len(b) > 0 {
		if len(c.ring) < c.half {
			n := min(len(b), c.half-len(c.ring))
			c.ring = append(c.ring, b[:n]...)
			b = b[n:]
			continue
		}
		n := copy(c.ring[c.at:], b)
		c.at = (c.at + n) % c.half
		b = b[n:]
	}
}

// text returns what was kept, as valid text, with a line between its halves that
// says how much is missing.
func (c *capped) text() (text string, dropped int64) {
	tail := string(c.ring[c.at:]) + string(c.ring[:c.at])
	dropped = c.total - int64(len(c.head)+len(tail))
	if dropped == 0 {
		return clean(string(c.head) + tail), 0
	}
	head := string(c.head)
	for i := 0; i < utf8.UTFMax && head != "" && !utf8.ValidString(head[max(0, len(head)-utf8.UTFMax):]); i++ {
		head = head[:len(head)-1]
	}
	for i := 0; i < utf8.UTFMax && tail != "" && !utf8.RuneStart(tail[0]); i++ {
		tail = tail[1:]
	}
	dropped = c.total - int64(len(head)+len(tail))
	return clean(head) + fmt.Sprintf("\n[… %d bytes of output left out …]\n", dropped) + clean(tail), dropped
}

func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
