package terminal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"
)

// maxLine bounds a line, in bytes.
const maxLine = 1 << 20

// ErrLong is returned for a line beyond the limit. The next line follows.
var ErrLong = errors.New("the line is too long")

// Lines reads lines one by one, each when it is wanted, so that a wait for one
// can be given up. Its methods must not overlap.
type Lines struct {
	source  io.Reader
	want    chan struct{}
	got     chan line
	done    chan struct{} // closed when the reader has ended
	pending bool          // a line is wanted and was not taken
}

type line struct {
	text string
	err  error
}

// NewLines returns the lines of r. Close it.
func NewLines(r io.Reader) *Lines {
	l := &Lines{source: r, want: make(chan struct{}, 1), got: make(chan line, 1), done: make(chan struct{})}
	go l.read()
	return l
}

func (l *Lines) read() {
	defer close(l.done)
	in := bufio.NewReader(l.source)
	for range l.want {
		text, err := readLine(in)
		l.got <- line{text, err}
	}
}

func readLine(in *bufio.Reader) (string, error) {
	var text []byte
	long := false
	for {
		part, more, err := in.ReadLine()
		if err != nil {
			if errors.Is(err, io.EOF) && len(text) > 0 {
				return string(text), nil
			}
			return "", err
		}
		if long = long || len(text)+len(part) > maxLine; !long {
			text = append(text, part...)
		}
		if !more {
			break
		}
	}
	if long {
		return "", ErrLong
	}
	return strings.ToValidUTF8(string(text), "\uFFFD"), nil
}

// Next returns the next line without its end, or io.EOF. If ctx is done first,
// the line stays for the next call.
func (l *Lines) Next(ctx context.Context) (string, error) {
	if !l.pending {
		l.want <- struct{}{}
		l.pending = true
	}
	select {
	case got := <-l.got:
		l.pending = false
		return got.text, got.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// discard drops a line that came and was not asked for. An end stays.
func (l *Lines) discard() {
	select {
	case got := <-l.got:
		if l.pending = got.err != nil; l.pending {
			l.got <- got
		}
	default:
	}
}

// Close ends reading. Where the system cannot interrupt a read that is under
// way, it ends with the process.
func (l *Lines) Close() {
	close(l.want)
	if l.pending {
		f, ok := l.source.(*os.File)
		if !ok || f.SetReadDeadline(time.Now()) != nil {
			return
		}
	}
	<-l.done
}
