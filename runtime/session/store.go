package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"slices"
)

// A store keeps the lines of a log. Its methods are called under the lock of the
// log, apart from entries.
type store interface {
	// append keeps e, whole or not at all.
	append(e Entry) error
	// sync makes sure that what was appended survives a loss of power.
	sync() error
	// entries returns what was kept so far, also while more is appended.
	entries() iter.Seq2[Entry, error]
	close() error
}

// memory keeps a log that ends with the process, in pages: a list that grows
// would be copied again and again.
type memory struct{ pages [][]Entry }

const pageSize = 512

func (m *memory) append(e Entry) error {
	last := len(m.pages) - 1
	if last < 0 || len(m.pages[last]) == pageSize {
		m.pages = append(m.pages, make([]Entry, 0, pageSize))
		last++
	}
	m.pages[last] = append(m.pages[last], e)
	return nil
}

func (m *memory) sync() error  { return nil }
func (m *memory) close() error { return nil }

func (m *memory) entries() iter.Seq2[Entry, error] {
	pages := slices.Clone(m.pages)
	return func(yield func(Entry, error) bool) {
		for _, page := range pages {
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// disk keeps a log in a file, one line for each entry.
type disk struct {
	file  *os.File
	size  int64
	line  []byte // is reused
	ended error  // why nothing can be appended any more
	// folder holds the name of a new file that is not known to survive yet.
	folder string
}

// MaxEvent bounds one line of a log, in bytes: a reader must be able to hold it.
const MaxEvent = 16 << 20

// ErrTooLarge is returned for an event beyond [MaxEvent].
var ErrTooLarge = errors.New("the event is too large for a log")

// maxIdleLine is how much of a large line's buffer is kept for the next.
const maxIdleLine = 64 << 10

func (d *disk) append(e Entry) error {
	if d.ended != nil {
		return d.ended
	}
	d.line = e.append(d.line[:0])
	if len(d.line) > MaxEvent {
		d.line = nil
		return ErrTooLarge
	}
	return d.write()
}

// write appends the line. What was written of one that failed is taken back, so
// that the next one does not follow half a line.
func (d *disk) write() error {
	n, err := d.file.WriteAt(d.line, d.size)
	if err != nil {
		if n > 0 {
			if cut := d.file.Truncate(d.size); cut != nil {
				d.ended = fmt.Errorf("the log is broken: %w", errors.Join(err, cut))
			}
		}
		return err
	}
	d.size += int64(n)
	if cap(d.line) > maxIdleLine {
		d.line = nil
	}
	return nil
}

// sync ends the log if it fails: what was lost then a later call could report as
// kept, because the system forgets it once it has said so.
func (d *disk) sync() error {
	if d.ended != nil {
		return d.ended
	}
	err := d.file.Sync()
	if err == nil && d.folder != "" {
		err = syncFolder(d.folder)
		d.folder = ""
	}
	if err != nil {
		d.ended = fmt.Errorf("the log is broken: %w", err)
	}
	return err
}

// syncFolder makes the names in a folder survive a loss of power. Windows has no
// such call, and keeps names by itself.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func (d *disk) close() error {
	if d.ended == nil {
		d.ended = os.ErrClosed
	}
	return d.file.Close()
}

func (d *disk) entries() iter.Seq2[Entry, error] {
	r := newReader(io.NewSectionReader(d.file, 0, d.size))
	return func(yield func(Entry, error) bool) {
		if _, err := r.header(); err != nil {
			yield(Entry{}, err)
			return
		}
		for {
			e, err := r.next()
			if errors.Is(err, io.EOF) || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// reader reads a log line by line.
type reader struct {
	buf  *bufio.Reader
	seq  int64
	good int64 // the size of the whole lines read so far
}

func newReader(r io.Reader) *reader { return &reader{buf: bufio.NewReaderSize(r, 64<<10)} }

// errTorn marks a last line without an end: a write that was under way when the
// process died.
var errTorn = errors.New("the last line has no end")

// line returns the next line without its end.
func (r *reader) line() (string, error) {
	var long []byte
	for {
		part, err := r.buf.ReadSlice('\n')
		switch {
		case err == nil && long == nil:
			r.good += int64(len(part))
			return string(part[:len(part)-1]), nil
		case err == nil:
			long = append(long, part...)
			r.good += int64(len(long))
			return string(long[:len(long)-1]), nil
		case errors.Is(err, bufio.ErrBufferFull):
			if long = append(long, part...); len(long) > MaxEvent {
				return "", ErrTooLarge
			}
		case errors.Is(err, io.EOF) && len(long)+len(part) > 0:
			return "", errTorn
		default:
			return "", err
		}
	}
}

func (r *reader) header() (Header, error) {
	line, err := r.line()
	if errors.Is(err, io.EOF) {
		return Header{}, errors.New("the log has no header: it is empty")
	}
	if err != nil {
		return Header{}, fmt.Errorf("the log has no header: %w", err)
	}
	return decodeHeader(line)
}

// next returns the next entry, or io.EOF.
func (r *reader) next() (Entry, error) {
	line, err := r.line()
	if err != nil {
		return Entry{}, err
	}
	e, err := decodeEntry(line, r.seq)
	r.seq++
	return e, err
}
