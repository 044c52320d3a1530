package claudecode

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode/rule"
	"github.com/dsh-lua/dsh/hookproto/document"
)

func (r *reader) group(e Event, n *document.Node, at spot) {
	if n.Kind != document.Object {
		r.bad(e, "type", at, "%s, expected a group with hooks", n.Kind)
		return
	}
	r.duplicates(n, at)
	r.unknown(n, at, []string{"matcher", "hooks"})
	hooks := n.Get("hooks")
	if hooks == nil {
		r.bad(e, "missing", at.field("hooks", n.Line), "missing, expected a list of handlers")
		return
	}
	if hooks.Kind != document.Array {
		r.bad(e, "type", at.field("hooks", hooks.Line), "%s, expected a list of handlers", hooks.Kind)
		return
	}
	matcher, ok := r.matcher(e, n.Get("matcher"), at)
	if !ok {
		return
	}
	if len(hooks.Items) == 0 {
		r.tell(hookproto.FieldIgnored, "empty", at.field("hooks", hooks.Line), "an empty list registers nothing")
	}
	for i, h := range hooks.Items {
		r.handler(e, matcher, h, at.field("hooks", hooks.Line).item(i, h.Line))
	}
}

// matcher reads the matcher of a group; not ok is a group to skip.
func (r *reader) matcher(e Event, n *document.Node, at spot) (*string, bool) {
	if n == nil {
		return nil, true
	}
	at = at.field("matcher", n.Line)
	if n.Kind != document.String {
		r.bad(e, "type", at, "%s, expected a string", n.Kind)
		return nil, r.lenient && n.Kind == document.Null
	}
	if e.Subject != "" {
		r.lintMatcher(e, n.Text, at)
	} else if n.Text != "" && n.Text != "*" {
		r.tell(hookproto.FieldIgnored, "matcher-ignored", at, "%s has nothing to match; the hooks always run", e.Name)
	}
	return &n.Text, true
}

// A kindRow is what the client knows of one type of handler.
type kindRow struct {
	kind   hookproto.HandlerKind
	needs  []string // strings that must be there
	notRun string
}

var kinds = []kindRow{
	{kind: hookproto.CommandHandler, needs: []string{"command"}},
	{kind: hookproto.MCPToolHandler, needs: []string{"server", "tool"}},
	{kind: hookproto.HTTPHandler, needs: []string{"url"}, notRun: "http hooks are not run here: no hook reaches the network"},
	{kind: hookproto.PromptHandler, needs: []string{"prompt"}, notRun: "prompt hooks are not run here: they ask a model of the client's"},
	{kind: hookproto.AgentHandler, needs: []string{"prompt"}, notRun: "agent hooks are not run here: they need an agent of the client's"},
}

// An option is one optional field of a handler.
type option struct {
	name   string
	expect string
	holds  func(*document.Node) bool
	set    func(*hookproto.Handler, *document.Node)
}

func isKind(kind document.Kind) func(*document.Node) bool {
	return func(n *document.Node) bool { return n.Kind == kind }
}

var options = []option{
	{"timeout", "a positive number of seconds", isTimeout, func(h *hookproto.Handler, n *document.Node) { h.Timeout = seconds(n) }},
	{"shell", "bash or powershell", func(n *document.Node) bool {
		return n.Kind == document.String && (n.Text == "bash" || n.Text == "powershell")
	}, func(h *hookproto.Handler, n *document.Node) { h.Shell = n.Text }},
	{"if", "a string", isKind(document.String), func(h *hookproto.Handler, n *document.Node) { h.If, h.HasIf = n.Text, true }},
	{"async", "true or false", isKind(document.Bool), func(h *hookproto.Handler, n *document.Node) { h.Async = n.Is("true") }},
	{"asyncRewake", "true or false", isKind(document.Bool), func(h *hookproto.Handler, n *document.Node) { h.AsyncRewake = n.Is("true") }},
	{"once", "true or false", isKind(document.Bool), func(h *hookproto.Handler, n *document.Node) { h.Once = n.Is("true") }},
	{"statusMessage", "a string", isKind(document.String), func(h *hookproto.Handler, n *document.Node) { h.StatusMessage = n.Text }},
	{"args", "a list of strings", stringsField.holds, func(h *hookproto.Handler, n *document.Node) {
		h.Args = []string{}
		for _, item := range n.Items {
			h.Args = append(h.Args, item.Text)
		}
	}},
	{"input", "an object", isKind(document.Object), func(h *hookproto.Handler, n *document.Node) { h.Input = n.JSON() }},
}

// others lists the fields of handlers that are not run here.
var others = []string{"type", "command", "server", "tool", "url", "prompt", "model", "headers", "allowedEnvVars", "continueOnBlock"}

func isTimeout(n *document.Node) bool {
	v, err := strconv.ParseFloat(n.Text, 64)
	return n.Kind == document.Number && (err == nil || math.IsInf(v, 1)) && v > 0
}

func seconds(n *document.Node) time.Duration {
	v, _ := strconv.ParseFloat(n.Text, 64)
	if v >= float64(math.MaxInt64)/float64(time.Second) {
		return math.MaxInt64
	}
	return max(1, time.Duration(v*float64(time.Second)))
}

func (r *reader) handler(e Event, matcher *string, n *document.Node, at spot) {
	if n.Kind != document.Object {
		r.bad(e, "type", at, "%s, expected a handler", n.Kind)
		return
	}
	r.duplicates(n, at)
	row, ok := r.kind(e, n, at)
	if !ok {
		return
	}
	h := hookproto.Handler{
		Event: e.Name, Kind: row.kind, Matcher: matcher, At: hookproto.Place{File: r.file.Path, Line: n.Line},
		Command: cmp.Or(text(n, "command"), text(n, "url"), text(n, "prompt")), Server: text(n, "server"), Tool: text(n, "tool"),
		Timeout: e.timeout(), ContextLimit: -1, Env: r.file.Env, NotRun: row.notRun,
	}
	if !r.options(e, &h, n, at) {
		return
	}
	names := slices.Clone(others)
	for _, o := range options {
		names = append(names, o.name)
	}
	r.unknown(n, at, names)
	r.lint(e, &h, n, at)
	r.handlers = append(r.handlers, h)
}

// kind reads the type of a handler and what the type needs.
func (r *reader) kind(e Event, n *document.Node, at spot) (kindRow, bool) {
	kind := n.Get("type")
	if kind == nil {
		r.bad(e, "missing", at.field("type", n.Line), `missing, expected "command"`)
		return kindRow{}, false
	}
	i := slices.IndexFunc(kinds, func(k kindRow) bool { return kind.Kind == document.String && string(k.kind) == kind.Text })
	if i < 0 {
		r.bad(e, "unsupported-type", at.field("type", kind.Line), "%s, expected command, mcp_tool, http, prompt or agent", kind.JSON())
		return kindRow{}, false
	}
	for _, name := range kinds[i].needs {
		switch v := n.Get(name); {
		case v == nil:
			r.bad(e, "missing", at.field(name, n.Line), "missing, expected a string")
			return kindRow{}, false
		case v.Kind != document.String:
			r.bad(e, "type", at.field(name, v.Line), "%s, expected a string", v.Kind)
			return kindRow{}, false
		}
	}
	if kinds[i].notRun != "" {
		r.tell(hookproto.HandlerNotRun, "unsupported-type", at, "%s", kinds[i].notRun)
	}
	return kinds[i], true
}

// options reads the optional fields. A lenient reader leaves out what is wrong,
// unless the handler would then run where it should not.
func (r *reader) options(e Event, h *hookproto.Handler, n *document.Node, at spot) bool {
	for _, o := range options {
		v := n.Get(o.name)
		if v == nil {
			continue
		}
		if o.holds(v) {
			o.set(h, v)
			continue
		}
		kind := "type"
		if o.name == "timeout" {
			kind = "invalid-timeout"
		}
		r.bad(e, kind, at.field(o.name, v.Line), "%s, expected %s", v.JSON(), o.expect)
		if !r.lenient || o.name == "if" || o.name == "args" {
			return false
		}
	}
	return true
}

// unknown tells of fields that mean nothing.
func (r *reader) unknown(n *document.Node, at spot, known []string) {
	for _, m := range n.Members {
		if !slices.Contains(known, m.Name) {
			r.tell(hookproto.FieldIgnored, "unknown-key", at.field(m.Name, m.Line), "no field of it; it means nothing%s", near(m.Name, known))
		}
	}
}

// lint tells of what is registered and hardly was meant so.
func (r *reader) lint(e Event, h *hookproto.Handler, n *document.Node, at spot) {
	if h.HasIf && h.If != "" {
		where := at.field("if", n.Get("if").Line)
		if _, err := rule.Parse(h.If); err != nil {
			r.tell(hookproto.LikelyMistaken, "rule", where, "the hook never runs: %s", err)
		} else if !e.Tool {
			r.tell(hookproto.LikelyMistaken, "rule", where, "the hook never runs: %s is about no tool call", e.Name)
		}
	}
	if h.Once {
		r.tell(hookproto.FieldIgnored, "once", at.field("once", n.Get("once").Line), "it has no effect in a file of hooks: the hook runs every time")
	}
	if h.Shell == "bash" && h.Args == nil {
		r.tell(hookproto.FieldIgnored, "shell", at.field("shell", n.Get("shell").Line), "the hook runs in /bin/sh all the same, as it does at Claude Code; begin with bash -c for bash")
	}
	if h.Kind == hookproto.CommandHandler {
		r.lintCommand(h, n, at)
	}
	if i := slices.IndexFunc(r.handlers, func(o hookproto.Handler) bool {
		return o.Event == h.Event && o.Command == h.Command && same(o.Matcher, h.Matcher) && key(o) == key(*h)
	}); i >= 0 {
		r.tell(hookproto.FieldIgnored, "duplicate-handler", at, "the same as that of line %d; it runs once", r.handlers[i].At.Line)
	}
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// milliseconds is from when on a time-out in seconds looks like one in
// thousandths.
const milliseconds = 1000 * time.Second

func (r *reader) lintCommand(h *hookproto.Handler, n *document.Node, at spot) {
	at = at.field("command", n.Get("command").Line)
	program, _, _ := strings.Cut(strings.TrimSpace(h.Command), " ")
	program = strings.Trim(program, `"'`)
	switch {
	case strings.ContainsRune(h.Command, 0):
		r.tell(hookproto.HandlerNotRun, "nul", at, "a NUL character cannot be part of a command")
		h.NotRun = "the command has a NUL character"
	case program == "":
		r.tell(hookproto.LikelyMistaken, "empty-command", at, "an empty command decides nothing")
	case r.file.Layer != Plugin && slices.ContainsFunc(Variables(), func(v Variable) bool { return v.Plugin && strings.Contains(h.Command, "${"+v.Name+"}") }):
		r.tell(hookproto.HandlerNotRun, "env-not-provided", at, "a plugin's variable is set in the hooks of a plugin alone; Claude Code does not run this hook")
		h.NotRun = "the command names a plugin's variable, and it is no plugin's"
	case strings.HasPrefix(program, "~") || strings.HasPrefix(program, "$") || strings.HasPrefix(program, "/"):
	case strings.Contains(program, "/") && !strings.Contains(program, ":"):
		r.tell(hookproto.LikelyMistaken, "relative-path", at, "%s is looked for in the folder where the agent is at the time; begin with \"$CLAUDE_PROJECT_DIR\"/", program)
	}
	if h.Timeout >= milliseconds && n.Get("timeout") != nil {
		r.tell(hookproto.LikelyMistaken, "invalid-timeout", at, "a time-out of %s; it counts in seconds", h.Timeout)
	}
}
