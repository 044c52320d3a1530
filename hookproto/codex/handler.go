package codex

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/document"
)

// A matched group is what its handlers have in common.
type matched struct {
	event   Event
	index   int
	matcher *string
	skip    bool // told already
}

// A field is one that a kind of handler has.
type field struct {
	name     string
	alias    string
	want     string
	required bool
	nullable bool
	fits     func(*document.Node) bool
	kind     string // of the problem, if not type
}

func isString(n *document.Node) bool { return n.Kind == document.String && !n.Lone }
func isBool(n *document.Node) bool   { return n.Kind == document.Bool }

// isCount tells of a whole number that the client can keep.
func isCount(n *document.Node) bool {
	v, ok := count(n)
	return ok && v >= 0
}

func count(n *document.Node) (int64, bool) {
	if n.Kind != document.Number {
		return 0, false
	}
	v, err := strconv.ParseInt(n.Text, 10, 64)
	return v, err == nil
}

// isInput tells of an object without nulls, for which TOML has no form.
func isInput(n *document.Node) bool {
	return n.Kind == document.Object && !n.Any(func(n *document.Node) bool { return n.Kind == document.Null || n.Lone })
}

var (
	timeoutField = field{name: "timeout", want: "whole seconds", nullable: true, fits: isCount, kind: "invalid-timeout"}
	statusField  = field{name: "statusMessage", want: "a string", nullable: true, fits: isString}
)

// A shape is a kind of handler that the client parses.
type shape struct {
	kind   hookproto.HandlerKind
	fields []field
	later  bool // parsed and not run by the client
}

var shapes = []shape{
	{kind: hookproto.CommandHandler, fields: []field{
		{name: "command", want: "a string", required: true, fits: isString},
		{name: "commandWindows", alias: "command_windows", want: "a string", nullable: true, fits: isString},
		timeoutField,
		{name: "async", want: "true or false", fits: isBool},
		statusField,
		{name: "additionalContextLimit", want: "a whole number of tokens", nullable: true, fits: isCount},
	}},
	{kind: hookproto.MCPToolHandler, fields: []field{
		{name: "server", want: "a string", required: true, fits: isString},
		{name: "tool", want: "a string", required: true, fits: isString},
		{name: "input", want: "an object without null", fits: isInput},
		timeoutField,
		statusField,
	}},
	{kind: hookproto.PromptHandler, later: true},
	{kind: hookproto.AgentHandler, later: true},
}

// The client's limit on nesting, and how deep a handler stands in its file.
const (
	depthLimit   = 127
	handlerDepth = 5
)

// handler reads one handler of a group.
func (r *reader) handler(g matched, index int, n *document.Node, at spot) {
	s, ok := r.shape(n, at)
	if !ok {
		return
	}
	values, ok := r.values(s, n, at)
	if !ok || g.skip {
		return
	}
	if why := skipped(g.event, s, values); why != "" {
		kind := "unsupported-type"
		if s.kind == hookproto.CommandHandler {
			kind = "empty-command"
		}
		r.tell(hookproto.EntrySkipped, kind, at, why)
		return
	}
	r.register(g, index, s, values, at)
}

// shape finds the kind of a handler.
func (r *reader) shape(n *document.Node, at spot) (shape, bool) {
	t := n.Get("type")
	switch {
	case n.Kind == document.Array && len(n.Items) > 0:
		t = n.Items[0]
	case n.Kind != document.Object:
		r.bad("type", at, fmt.Sprintf("%s, expected a handler with a type", n.Kind))
		return shape{}, false
	case t == nil:
		r.bad("missing", at.below(n.Line, "type"), "a handler needs a type: command, mcp_tool")
		return shape{}, false
	}
	i := slices.IndexFunc(shapes, func(s shape) bool { return isString(t) && string(s.kind) == t.Text })
	if i < 0 {
		r.bad("unsupported-type", at.below(t.Line, "type"), fmt.Sprintf("%s is no type of handler; Codex knows command, mcp_tool, prompt, agent", t.JSON()))
		return shape{}, false
	}
	return shapes[i], true
}

// values returns the fields of a handler by name, each of its right type.
func (r *reader) values(s shape, n *document.Node, at spot) (map[string]*document.Node, bool) {
	names := []string{"type"}
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	members, ok := r.members(n, at, names, "a handler")
	if !ok {
		return nil, false
	}
	switch {
	case n.Any(func(n *document.Node) bool { return n.Lone }):
		r.bad("encoding", at, "half of a surrogate pair")
		return nil, false
	case r.file.Format == JSON && n.Depth() > depthLimit-handlerDepth:
		r.bad("json", at, "it nests too deeply")
		return nil, false
	}
	values := map[string]*document.Node{}
	good := true
	for _, m := range members {
		good = r.value(s, m, at, values) && good
	}
	for _, f := range s.fields {
		if f.required && values[f.name] == nil && good {
			r.bad("missing", at.below(n.Line, f.name), fmt.Sprintf("a %s handler needs %s", s.kind, f.want))
			good = false
		}
	}
	return values, good
}

// value takes one member in. A lenient reader goes on without a wrong field that
// the handler can do without.
func (r *reader) value(s shape, m document.Member, at spot, values map[string]*document.Node) bool {
	where := at.below(m.Line, m.Name)
	i := slices.IndexFunc(s.fields, func(f field) bool { return f.name == m.Name || f.alias == m.Name && f.alias != "" })
	if i < 0 {
		if m.Name != "type" && !s.later {
			r.tell(hookproto.FieldIgnored, "unknown-key", where, fmt.Sprintf("no field of a %s handler%s", s.kind, s.suggest(m.Name)))
		}
		return true
	}
	f := s.fields[i]
	switch {
	case f.fits(m.Value):
		if f.alias != "" && values[f.name] != nil {
			r.bad("duplicate-key", where, f.name+" occurs twice")
		}
		values[f.name] = m.Value
		return true
	case f.nullable && m.Value.Kind == document.Null:
		return true
	}
	kind := f.kind
	if kind == "" {
		kind = "type"
	}
	r.bad(kind, where, fmt.Sprintf("%s, expected %s", show(m.Value), f.want))
	return r.lenient && !f.required
}

func show(n *document.Node) string {
	if n.Kind == document.Number || n.Kind == document.Bool {
		return n.Text
	}
	return string(n.Kind)
}

// formerly lists names of other clients and versions with the one that holds.
var formerly = [][2]string{
	{"timeoutSec", "timeout"}, {"timeout_sec", "timeout"}, {"timeoutMs", "timeout"}, {"timeout_ms", "timeout"}, {"args", "command"},
}

func (s shape) suggest(name string) string {
	for _, f := range formerly {
		if f[0] == name {
			return "; it is called " + f[1] + " here"
		}
	}
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	return nearest(name, names)
}

// skipped tells why the client leaves a well-formed handler out; "" if it runs.
func skipped(e Event, s shape, values map[string]*document.Node) string {
	blank := func(name string) bool { return strings.TrimSpace(values[name].Text) == "" }
	switch {
	case s.later:
		return fmt.Sprintf("Codex does not run %s handlers yet", s.kind)
	case s.kind == hookproto.CommandHandler && blank("command"):
		return "the command is blank"
	case s.kind == hookproto.MCPToolHandler && (blank("server") || blank("tool")):
		return "server and tool must not be blank"
	case s.kind == hookproto.MCPToolHandler && e.NoMCP:
		return e.Name + " runs no MCP tools"
	}
	return ""
}

func (r *reader) register(g matched, index int, s shape, values map[string]*document.Node, at spot) {
	h := hookproto.Handler{
		Event: g.event.Name, Kind: s.kind, Matcher: g.matcher, ContextLimit: -1,
		At: hookproto.Place{File: r.file.Path, Line: at.line}, Env: r.file.Env,
	}
	id := identity{event: g.event, matcher: g.matcher, input: values["input"]}
	h.Timeout = r.timeout(g.event, values["timeout"], at)
	if n := values["statusMessage"]; n != nil {
		h.StatusMessage, id.status = n.Text, &n.Text
	}
	if n := values["additionalContextLimit"]; n != nil {
		limit, _ := count(n)
		h.ContextLimit = int(min(limit, math.MaxInt32))
	}
	if n := values["async"]; n != nil {
		id.async = n.Text == "true"
	}
	h.Async = id.async && !g.event.Sync
	if id.async && g.event.Sync {
		r.tell(hookproto.FieldIgnored, "async", at.below(at.line, "async"), g.event.Name+" hooks always run synchronously")
	}
	if s.kind == hookproto.CommandHandler {
		h.Command = values["command"].Text
	} else {
		h.Server, h.Tool, h.Input = values["server"].Text, values["tool"].Text, []byte("{}")
		if id.input != nil {
			h.Input = id.input.JSON()
		}
	}
	id.handler = h
	r.found = append(r.found, r.hook(g, index, h, id))
}

func (r *reader) hook(g matched, index int, h hookproto.Handler, id identity) Hook {
	key := r.file.Key
	if key == "" {
		key = r.file.Path
	}
	for _, v := range r.file.Env {
		name, value, _ := strings.Cut(v, "=")
		h.Command = strings.ReplaceAll(h.Command, "${"+name+"}", value)
	}
	return Hook{
		Handler: h, Source: r.file.Source, Hash: id.hash(), Enabled: true, group: g.index, index: index,
		Key: StateKey(key, h.Event, g.index, index),
	}
}

// timeout returns the time-out that holds: at least a second, at most what the
// event allows.
func (r *reader) timeout(e Event, n *document.Node, at spot) time.Duration {
	if n == nil {
		return e.Timeout
	}
	seconds, _ := count(n)
	at = at.below(n.Line, "timeout")
	limit := int64(math.MaxInt64 / time.Second)
	if e.MaxTimeout > 0 {
		limit = int64(e.MaxTimeout / time.Second)
	}
	switch {
	case seconds < 1:
		r.tell(hookproto.LikelyMistaken, "invalid-timeout", at, "the least time-out is 1 second, which holds")
	case seconds > limit:
		r.tell(hookproto.LikelyMistaken, "invalid-timeout", at, fmt.Sprintf("%s hooks get at most %d seconds, which holds", e.Name, limit))
	}
	return time.Duration(min(max(seconds, 1), limit)) * time.Second
}
