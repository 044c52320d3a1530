package codex

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/document"
)

// A reader reads the hooks of one file.
type reader struct {
	file     File
	lenient  bool
	refused  bool // the client does not load the file
	problems []hookproto.Problem
	found    []Hook
}

// A spot is a place within the file.
type spot struct {
	line  int
	path  string
	event string
}

func (s spot) below(line int, step any) spot {
	s.line = line
	if s.path == "" {
		s.path = document.Path(step)
	} else {
		s.path = document.Path(s.path, step)
	}
	return s
}

func (r *reader) tell(sev hookproto.Severity, kind string, s spot, text string) {
	r.problems = append(r.problems, hookproto.Problem{
		At: hookproto.Place{File: r.file.Path, Line: s.line}, Severity: sev, Kind: kind, Event: s.event, Path: s.path, Text: text,
	})
}

// bad tells of a mistake for which the client drops the whole file.
func (r *reader) bad(kind string, s spot, text string) {
	r.refused = true
	sev := hookproto.FileDropped
	if r.lenient {
		sev = hookproto.EntrySkipped
	}
	r.tell(sev, kind, s, text)
}

var bom = []byte("\ufeff")

// parse returns the file's root, or nil after telling why there is none.
func (r *reader) parse() *document.Node {
	data := r.file.Data
	if r.file.Format == JSON && bytes.HasPrefix(data, bom) {
		r.bad("encoding", spot{line: 1}, "the file begins with a byte order mark, which Codex refuses")
		data = bytes.TrimPrefix(data, bom)
		if !r.lenient {
			return nil
		}
	}
	parse := document.ParseTOML
	if r.file.Format == JSON {
		parse = document.ParseJSON
	}
	root, err := parse(data)
	if err == nil {
		return root
	}
	var at *document.Error
	where, text := spot{}, err.Error()
	if errors.As(err, &at) {
		where.line, text = at.Line, at.Text
	}
	r.refused = true
	r.tell(hookproto.FileDropped, string(r.file.Format), where, text+hint(data))
	return nil
}

// hint guesses why a file cannot be read.
func hint(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return "; it looks like UTF-16"
	case bytes.IndexByte(data, 0) >= 0:
		return "; it holds NUL bytes"
	}
	return ""
}

// hooks reads all handlers of the file.
func (r *reader) hooks(root *document.Node) {
	if r.file.Format == JSON {
		r.jsonFile(root)
		return
	}
	if n := root.Get("hooks"); n != nil {
		r.events(n, spot{line: n.Line, path: "hooks"})
	}
}

var fileFields = []string{"description", "hooks"}

func (r *reader) jsonFile(root *document.Node) {
	members, ok := r.members(root, spot{line: root.Line}, fileFields, "an object with hooks")
	if !ok {
		return
	}
	for _, m := range members {
		at := spot{line: m.Line, path: m.Name}
		switch {
		case m.Name == "description" && m.Value.Kind != document.String && m.Value.Kind != document.Null:
			r.bad("type", at, fmt.Sprintf("%s, expected a string", m.Value.Kind))
		case m.Name == "hooks":
			r.events(m.Value, at)
		case !slices.Contains(fileFields, m.Name):
			r.foreign(m, at)
		}
	}
	if root.Get("hooks") == nil && root.Kind == document.Object && len(root.Members) == 0 {
		r.tell(hookproto.LikelyMistaken, "empty", spot{line: root.Line}, "the file registers nothing")
	}
}

// foreign tells of a top-level key that the client does not know. Events belong
// below hooks; a lenient reader takes them from here too.
func (r *reader) foreign(m document.Member, at spot) {
	if _, ok := Lookup(m.Name); !ok {
		text := "no such key; Codex knows description and hooks here"
		if slices.Contains(claudeKeys, m.Name) {
			text += "; this looks like a claude-code file"
		}
		r.bad("unknown-key", at, text)
		return
	}
	r.bad("unknown-key", at, "events stand below hooks: {\"hooks\": {…}}")
	if r.lenient {
		r.event(m, spot{path: ""})
	}
}

var claudeKeys = []string{"permissions", "env", "model", "disableAllHooks", "statusLine", "enabledPlugins", "$schema"}

// members returns the members of an object, or of an array that stands for one by
// the places of its fields. Known names that occur twice are mistakes.
func (r *reader) members(n *document.Node, at spot, fields []string, want string) ([]document.Member, bool) {
	switch {
	case n.Kind == document.Object:
		r.duplicates(n, at, fields)
		return n.Members, true
	case n.Kind != document.Array:
		r.bad("type", at, fmt.Sprintf("%s, expected %s", n.Kind, want))
		return nil, false
	case len(n.Items) > len(fields):
		r.bad("type", at, fmt.Sprintf("an array of %d, expected %s", len(n.Items), want))
		return nil, false
	}
	var members []document.Member
	for i, item := range n.Items {
		members = append(members, document.Member{Name: fields[i], Line: item.Line, Value: item})
	}
	return members, true
}

func (r *reader) duplicates(n *document.Node, at spot, fields []string) {
	const text = "the name occurs twice"
	for _, m := range n.Duplicates() {
		if slices.Contains(fields, m.Name) {
			r.bad("duplicate-key", at.below(m.Line, m.Name), text)
			continue
		}
		r.tell(hookproto.FieldIgnored, "duplicate-key", at.below(m.Line, m.Name), text)
	}
}

// besides lists names below hooks that are no events.
var besides = []string{"state", "managed_dir", "windows_managed_dir"}

func (r *reader) events(n *document.Node, at spot) {
	members, ok := r.members(n, at, Names(), "an object of events")
	if !ok {
		return
	}
	for _, m := range members {
		r.event(m, at)
	}
}

func (r *reader) event(m document.Member, at spot) {
	e, ok := Lookup(m.Name)
	at = at.below(m.Line, m.Name)
	if !ok {
		if !slices.Contains(besides, m.Name) {
			r.tell(hookproto.FieldIgnored, "unknown-event", at, "Codex has no such event"+nearest(m.Name, Names()))
		}
		return
	}
	at.event = e.Name
	if m.Value.Kind != document.Array {
		r.bad("type", at, fmt.Sprintf("%s, expected an array of groups", m.Value.Kind))
		return
	}
	for i, g := range m.Value.Items {
		r.group(e, i, g, at.below(g.Line, i))
	}
}

// nearest suggests the name that differs in case and separators alone, or that
// begins like it.
func nearest(name string, known []string) string {
	fold := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	for _, k := range known {
		if fold(k) == fold(name) {
			return "; did you mean " + k + "?"
		}
	}
	return ""
}

var groupFields = []string{"matcher", "hooks"}

func (r *reader) group(e Event, index int, n *document.Node, at spot) {
	members, ok := r.members(n, at, groupFields, "a group with hooks")
	if !ok {
		return
	}
	g := matched{event: e, index: index}
	var handlers *document.Node
	for _, m := range members {
		where := at.below(m.Line, m.Name)
		switch m.Name {
		case "matcher":
			g.matcher, g.skip = r.matcher(e, m.Value, where)
		case "hooks":
			handlers = m.Value
		default:
			r.tell(hookproto.FieldIgnored, "unknown-key", where, "no field of a group"+flat(m.Name)+nearest(m.Name, groupFields))
		}
	}
	switch {
	case handlers == nil:
		r.tell(hookproto.FieldIgnored, "empty", at, "a group without hooks registers nothing")
	case handlers.Kind != document.Array:
		r.bad("type", at.below(handlers.Line, "hooks"), fmt.Sprintf("%s, expected an array of handlers", handlers.Kind))
	default:
		for i, h := range handlers.Items {
			r.handler(g, i, h, at.below(h.Line, "hooks").below(h.Line, i))
		}
	}
}

func flat(name string) string {
	if name == "type" || name == "command" {
		return "; handlers stand in its hooks array"
	}
	return ""
}

// matcher returns the matcher of a group as far as the event has one, and
// whether the client skips the group for it.
func (r *reader) matcher(e Event, n *document.Node, at spot) (*string, bool) {
	switch {
	case n.Kind == document.Null:
		return nil, false
	case n.Kind != document.String || n.Lone:
		r.bad("type", at, fmt.Sprintf("%s, expected a string", n.Kind))
		return nil, true
	case e.Subject == "":
		if n.Text != "" && n.Text != "*" {
			r.tell(hookproto.FieldIgnored, "matcher-ignored", at, e.Name+" has nothing to match; the hooks always run")
		}
		return nil, false
	}
	_, err := Compile(&n.Text)
	var p *PatternError
	if !errors.As(err, &p) {
		return &n.Text, false
	}
	if p.Ours {
		r.tell(hookproto.HandlerNotRun, "regex", at, p.Error())
		return &n.Text, false
	}
	r.tell(hookproto.EntrySkipped, "regex", at, p.Error()+" ("+e.Name+")")
	return &n.Text, true
}
