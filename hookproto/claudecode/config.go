package claudecode

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/document"
)

// A Layer is where a configuration file stands among the others.
type Layer string

// The layers. All add up; [Load] keeps the order in which files are given.
const (
	Managed Layer = "managed"
	User    Layer = "user"
	Project Layer = "project"
	Local   Layer = "local"
	Flag    Layer = "flag" // --settings
	Plugin  Layer = "plugin"
)

// A File is one configuration file, already read.
type File struct {
	Path  string
	Data  []byte
	Layer Layer
	// Env holds "NAME=value" of a plugin; ${NAME} is also replaced in its
	// commands, see [Expand].
	Env []string
}

// Options say how configuration is read. The zero value is the client's way.
type Options struct {
	// Lenient keeps what is good of a file that the client refuses whole.
	Lenient bool
}

// Load reads the files of one session. It is total: what is wrong is told in
// the problems. Handlers are those that the client would register, in the order
// of the files and within them; see [Select] for those that run.
func Load(files []File, o Options) hookproto.Config {
	var all hookproto.Config
	disabled := map[bool]bool{} // by: the file is managed
	var layers []Layer
	for _, f := range files {
		r := &reader{file: f, lenient: o.Lenient}
		r.read()
		all.Problems = append(all.Problems, r.problems...)
		all.Handlers = append(all.Handlers, r.handlers...)
		for range r.handlers {
			layers = append(layers, f.Layer)
		}
		if r.disables {
			disabled[f.Layer == Managed] = true
		}
	}
	all.Disabled = disabled[true] || disabled[false]
	if all.Disabled {
		i := -1
		all.Handlers = slices.DeleteFunc(all.Handlers, func(hookproto.Handler) bool {
			i++
			return disabled[true] || layers[i] != Managed
		})
	}
	count := map[string]int{}
	for i := range all.Handlers {
		h := &all.Handlers[i]
		count[h.Event]++
		h.ID = fmt.Sprintf("%s:%s:%d", name, h.Event, count[h.Event])
	}
	return all
}

// A reader reads one file.
type reader struct {
	file     File
	lenient  bool
	handlers []hookproto.Handler
	problems []hookproto.Problem
	disables bool
	refused  bool // the client does not load the file
}

// A spot is a place within the file.
type spot struct {
	line  int
	path  string
	event string
}

func (s spot) field(name string, line int) spot {
	if s.path != "" {
		name = s.path + "." + name
	}
	return spot{line: line, path: name, event: s.event}
}

func (s spot) item(i, line int) spot {
	return spot{line: line, path: fmt.Sprintf("%s[%d]", s.path, i), event: s.event}
}

func (r *reader) tell(severity hookproto.Severity, kind string, at spot, format string, args ...any) {
	r.problems = append(r.problems, hookproto.Problem{
		At: hookproto.Place{File: r.file.Path, Line: at.line}, Severity: severity, Kind: kind, Event: at.event, Path: at.path,
		Text: fmt.Sprintf(format, args...),
	})
}

// refuse tells what makes the client drop the whole file.
func (r *reader) refuse(kind string, at spot, format string, args ...any) {
	r.refused = true
	r.tell(hookproto.FileDropped, kind, at, format, args...)
}

// bom is the byte order mark of UTF-8; the others are of UTF-16.
var (
	bom  = []byte("\xef\xbb\xbf")
	wide = [][]byte{{0xff, 0xfe}, {0xfe, 0xff}}
)

func (r *reader) read() {
	if slices.ContainsFunc(wide, func(mark []byte) bool { return bytes.HasPrefix(r.file.Data, mark) }) {
		r.refuse("encoding", spot{}, "the file is UTF-16, expected UTF-8")
		return
	}
	root, err := document.ParseJSON(bytes.TrimPrefix(r.file.Data, bom))
	if err != nil {
		r.broken(err)
		return
	}
	if root.Kind != document.Object {
		r.refuse("type", spot{line: root.Line}, "the file is %s, expected an object", root.Kind)
		return
	}
	r.duplicates(root, spot{})
	r.disableAll(root)
	r.hooks(root)
	if r.refused && !r.lenient {
		r.handlers, r.disables = nil, false
	}
}

func (r *reader) broken(err error) {
	line, text := 0, err.Error()
	if e, is := err.(*document.Error); is { //nolint:errorlint // the reader returns nothing else
		line, text = e.Line, e.Text
	}
	kind := "json"
	if strings.Contains(text, "UTF-8") {
		kind = "encoding"
	}
	r.refuse(kind, spot{line: line}, "%s", text)
}

// duplicates tells of names that an object has twice: the client sees the last.
func (r *reader) duplicates(n *document.Node, at spot) {
	for _, m := range n.Duplicates() {
		r.tell(hookproto.FieldIgnored, "duplicate-key", at.field(m.Name, m.Line), "%q is written more than once; only the last counts", m.Name)
	}
}

func (r *reader) disableAll(root *document.Node) {
	n := root.Get("disableAllHooks")
	switch {
	case n == nil:
	case n.Kind != document.Bool:
		r.refuse("type", spot{}.field("disableAllHooks", n.Line), "%s, expected true or false", n.Kind)
	default:
		r.disables = n.Is("true")
	}
}

func (r *reader) hooks(root *document.Node) {
	n := root.Get("hooks")
	at := spot{}.field("hooks", 0)
	if n != nil {
		at.line = n.Line
	}
	switch {
	case n == nil:
		r.flat(root)
	case n.Kind == document.Array:
		r.refuse("type", at, "an array, expected an object of events")
	case n.Kind != document.Object:
		r.tell(hookproto.FieldIgnored, "hooks-not-object", at, "%s, expected an object of events; there are no hooks", n.Kind)
		r.flat(root)
	default:
		r.duplicates(n, at)
		for _, m := range n.Members {
			if n.Get(m.Name) == m.Value { // not one that a duplicate hides
				r.event(m, at)
			}
		}
	}
}

// flat tells of what most likely should be below "hooks": events, and a name that is
// nearly that. The client does not read it.
func (r *reader) flat(root *document.Node) {
	for _, m := range root.Members {
		if name := strings.ToLower(m.Name); name == "hooks" || name == "hook" {
			r.tell(hookproto.FieldIgnored, "unknown-key", spot{}.field(m.Name, m.Line), "it is not read; did you mean hooks?")
		}
		if _, is := Lookup(m.Name); is {
			r.tell(hookproto.FieldIgnored, "unknown-key", spot{event: m.Name}.field(m.Name, m.Line), `an event outside of "hooks" is not read`)
		}
	}
}

func (r *reader) event(m document.Member, parent spot) {
	at := parent.field(m.Name, m.Line)
	at.event = m.Name
	event, known := Lookup(m.Name)
	switch {
	case !known && m.Value.Kind != document.Array:
		r.tell(hookproto.FieldIgnored, "unknown-key", at, "no event; its value means nothing")
	case !known:
		r.tell(hookproto.EntrySkipped, "unknown-event", at, "Claude Code has no such event%s", suggest(m.Name))
	case m.Value.Kind != document.Array:
		r.tell(hookproto.EntrySkipped, "type", at, "%s, expected a list of groups; the event is ignored", m.Value.Kind)
	default:
		if len(m.Value.Items) == 0 {
			r.tell(hookproto.FieldIgnored, "empty", at, "an empty list registers nothing")
		}
		for i, g := range m.Value.Items {
			r.group(event, g, at.item(i, g.Line))
		}
	}
}

// bad tells what is wrong with an entry. The client drops the whole file if
// the event is strict or the file a plugin's, else the entry alone.
func (r *reader) bad(e Event, kind string, at spot, format string, args ...any) {
	if whole := e.Strict || r.file.Layer == Plugin; whole && r.lenient {
		format += "; Claude Code would drop the whole file"
	} else if whole {
		r.refuse(kind, at, format+"; Claude Code then drops the whole file", args...)
		return
	}
	r.tell(hookproto.EntrySkipped, kind, at, format, args...)
}
