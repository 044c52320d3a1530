package session

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/dsh-lua/dsh/runtime/value"
)

// append writes e as one line.
func (e Entry) append(b []byte) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, e.Seq, 10)
	b = append(b, `,"time":`...)
	b = strconv.AppendInt(b, e.Time, 10)
	b = append(b, `,"type":`...)
	b = value.AppendString(b, string(e.Type))
	b = append(b, `,"data":`...)
	b = e.Data.AppendJSON(b)
	switch e.Surface.Op {
	case SurfaceAppend:
		b = append(b, `,"surface":"append"`...)
	case SurfaceReplace:
		b = append(b, fmt.Sprintf(`,"surface":{"op":"replace","start":%d,"end":%d}`, e.Surface.Start, e.Surface.End)...)
	}
	if e.Sources != nil {
		b = append(b, `,"sources":[`...)
		for i, seq := range e.Sources {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, seq, 10)
		}
		b = append(b, ']')
	}
	if e.Ignorable {
		b = append(b, `,"ignorable":true`...)
	}
	return append(b, '}', '\n')
}

// decodeEntry reads one line, which must be entry number want.
func decodeEntry(line string, want int64) (Entry, error) {
	v, err := value.ParseString(line)
	if err != nil {
		return Entry{}, fmt.Errorf("event %d: %w", want, err)
	}
	seq, ok := v.Get("seq").Int()
	if !ok || seq != want {
		return Entry{}, fmt.Errorf("event %d: its sequence number is %s", want, v.Get("seq").String())
	}
	when, _ := v.Get("time").Int()
	ignorable, _ := v.Get("ignorable").Bool()
	e := Entry{Seq: seq, Time: when, Event: Event{Type: EventType(v.Get("type").String()), Data: v.Get("data"), Ignorable: ignorable}}
	e.Surface = decodeSurface(v.Get("surface"))
	if sources := v.Get("sources"); !sources.IsAbsent() {
		e.Sources = make([]int64, 0, sources.Len())
		for _, item := range sources.Items() {
			n, ok := item.Int()
			if !ok {
				return e, fmt.Errorf("event %d: sources must be sequence numbers", want)
			}
			e.Sources = append(e.Sources, n)
		}
	}
	if !e.Type.known() && !e.Ignorable {
		return e, &UnknownEventError{e.Type, seq}
	}
	return e, nil
}

func decodeSurface(v value.Value) Surface {
	if op, ok := v.Str(); ok {
		return Surface{Op: SurfaceOp(op)}
	}
	if v.Kind() != value.Object {
		return Surface{}
	}
	start, _ := v.Get("start").Int()
	end, _ := v.Get("end").Int()
	return Surface{Op: SurfaceOp(v.Get("op").String()), Start: start, End: end}
}

// An UnknownEventError refuses a log with an event that this version does not
// understand and that it may not skip.
type UnknownEventError struct {
	Type EventType
	Seq  int64
}

func (e *UnknownEventError) Error() string {
	return fmt.Sprintf("event %d: no event is called %q, and it is not marked as ignorable", e.Seq, e.Type)
}

// Header is what is true of a session from its beginning. It is the first line
// of a log.
type Header struct {
	// ID identifies the session.
	ID string
	// Created is when it began, in milliseconds since 1970.
	Created int64
	// Cwd and Project are absolute paths; see [Ref].
	Cwd, Project string
	// Parent is the session that this one was forked from or works for.
	Parent string
	// Seed is how many entries were taken over from another session.
	Seed int64
	// Origin is "subagent" for a session that works for another one.
	Origin string
	// Depth counts how many agents this one works for, one for another.
	Depth int
}

// logVersion is the version of the format. A reader refuses every other one.
const logVersion = 1

func (h Header) append(b []byte) []byte {
	b = object(
		member("dsh_session", value.OfInt(logVersion)), member("id", text(h.ID)), member("created", value.OfInt(h.Created)),
		member("cwd", optional(h.Cwd)), member("project", optional(h.Project)), member("parent", optional(h.Parent)),
		member("seed", positive(h.Seed)), member("origin", optional(h.Origin)), member("depth", positive(int64(h.Depth))),
	).AppendJSON(b)
	return append(b, '\n')
}

func decodeHeader(line string) (Header, error) {
	v, err := value.ParseString(line)
	if err != nil {
		return Header{}, fmt.Errorf("the first line is no header of a session: %w", err)
	}
	if v.Get("dsh_session").IsAbsent() {
		return Header{}, errors.New("the first line is no header of a session")
	}
	if version, ok := v.Get("dsh_session").Int(); !ok || version != logVersion {
		return Header{}, fmt.Errorf("the log has version %s; this program reads version %d", orNull(v.Get("dsh_session")), logVersion)
	}
	created, _ := v.Get("created").Int()
	seed, _ := v.Get("seed").Int()
	h := Header{
		ID: v.Get("id").String(), Created: created, Cwd: v.Get("cwd").String(), Project: v.Get("project").String(),
		Parent: v.Get("parent").String(), Seed: seed, Origin: v.Get("origin").String(), Depth: number(v, "depth"),
	}
	return h, h.validate()
}
