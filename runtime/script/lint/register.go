package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/script/lint/tree"
)

// A registration is one call of dsh.on, as far as it is written out.
type registration struct {
	call    *tree.Call
	name    *tree.String // of the point; nil if it is computed
	point   point.Point  // nil if there is none of that name
	filter  *tree.Table  // nil without one
	rule    string
	raw     bool
	lists   map[point.FilterField][]*tree.String
	handler *tree.Function // nil if it is not known for certain
}

// filterKeys are the members of a filter.
var filterKeys = []string{"tool", "action", "match", "rule", "raw"}

// readRegistrations finds the calls of dsh.on, and what they say about the
// parameters of handlers.
func (c *checker) readRegistrations() {
	c.walk(func(n tree.Node) {
		call, ok := n.(*tree.Call)
		if !ok || call.Method != nil {
			return
		}
		object, key, ok := member(call.Fun)
		if ok && key.Value == "on" && global(object, "dsh") && len(call.Args) > 0 {
			c.regs = append(c.regs, c.readRegistration(call))
		}
	})
	for _, r := range c.regs {
		c.typeParams(r)
	}
	clear(c.types)
}

func (c *checker) readRegistration(call *tree.Call) *registration {
	r := &registration{call: call, lists: map[point.FilterField][]*tree.String{}}
	if name, ok := literal(call.Args[0]); ok {
		r.name, r.point = name, c.points[name.Value]
	}
	rest := call.Args[1:]
	if len(rest) > 0 {
		if r.filter = c.tableIs(rest[0]); r.filter != nil {
			rest = rest[1:]
		}
	}
	if len(rest) > 0 {
		r.handler = c.functionIs(rest[0])
	}
	if r.filter == nil {
		return r
	}
	for _, field := range []point.FilterField{point.FilterTool, point.FilterAction, point.FilterMatch} {
		if value := item(r.filter, string(field)); value != nil {
			r.lists[field] = c.literals(value)
		}
	}
	if value := item(r.filter, "rule"); value != nil {
		if s, ok := literal(value); ok {
			r.rule = s.Value
		}
	}
	value := item(r.filter, "raw")
	r.raw = value != nil && isConst(value, "true")
	return r
}

// tableIs returns the table constructor that an expression is for certain.
func (c *checker) tableIs(e tree.Expr) *tree.Table {
	switch e := tree.Bare(e).(type) {
	case *tree.Table:
		return e
	case *tree.Name:
		if e.Local != nil && e.Local.Writes == 0 && e.Local.Init != nil {
			t, _ := e.Local.Init.(*tree.Table)
			return t
		}
	}
	return nil
}

// literals returns the texts in a text or a list of texts.
func (c *checker) literals(e tree.Expr) (list []*tree.String) {
	if s, ok := literal(e); ok {
		return []*tree.String{s}
	}
	if t := c.tableIs(e); t != nil {
		for _, i := range t.Items {
			if s, ok := literal(i.Value); ok && i.Key == nil {
				list = append(list, s)
			}
		}
	}
	return list
}

func texts(list []*tree.String) []string {
	var values []string
	for _, s := range list {
		values = append(values, s.Value)
	}
	return values
}

// fileKinds are the kinds of actions that one call can have at the same time: a
// patch that edits one file and deletes another passes the filter of either.
var fileKinds = []string{"write", "edit", "delete"}

func kindsOf(list []*tree.String) string {
	kinds := texts(list)
	if len(kinds) == 0 {
		return ""
	}
	if slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(fileKinds, k) }) {
		kinds = append(kinds, fileKinds...)
	}
	text := ""
	for _, k := range kinds {
		text += " " + k + " "
	}
	return text
}

// typeParams records what the parameters of a handler are. A function that is the
// handler of several points has a type only if they agree.
func (c *checker) typeParams(r *registration) {
	if r.handler == nil || r.point == nil {
		return
	}
	given := []typ{
		{sort: data, data: r.point.Payload(), point: r.point, kinds: kindsOf(r.lists[point.FilterAction])},
		{sort: nextFunc, point: r.point},
	}
	for i, l := range r.handler.Params {
		if i >= len(given) || l.Writes > 0 {
			continue
		}
		t := given[i]
		if before, ok := c.params[l]; ok {
			t = merge(before, t)
		}
		c.params[l] = t
	}
}

// checkRegistrations holds the calls of dsh.on against the points.
func (c *checker) checkRegistrations() {
	rules := map[string]*registration{}
	for _, r := range c.regs {
		if c.functionOf(r.call) != c.file.Main {
			c.add("late-registration", r.call, "dsh.on is for file level; a handler cannot register more", "call it when the file runs")
		}
		c.checkPoint(r)
		c.checkFilter(r)
		if r.rule == "" {
			continue
		}
		if first, ok := rules[r.rule]; ok {
			line, _ := c.file.Position(first.call.Pos())
			c.add("same-rule", r.call, fmt.Sprintf("rule %q is already the name of the one in line %d", r.rule, line), "reports could not tell them apart")
		}
		rules[r.rule] = r
	}
	c.checkShadowed()
	c.checkComputed()
	if len(c.regs) == 0 && c.opts.Globals == nil && !c.mentionsOn() && !c.isModule() {
		c.add("no-registration", tree.Span{From: 0, To: min(len(c.source), 1)}, "the file registers nothing: it guards nothing", "a policy calls dsh.on at file level; a file that others require is no policy")
	}
}

// mentionsOn reports whether dsh is used in a way that may register something.
func (c *checker) mentionsOn() bool {
	return slices.ContainsFunc(c.file.Globals, func(n *tree.Name) bool {
		if n.Text == "_G" {
			return true
		}
		index, ok := c.parents[n].(*tree.Index)
		if n.Text != "dsh" || ok && index.Dot && index.Key.(*tree.String).Value != "on" {
			return false
		}
		return true
	})
}

// checkComputed tells of registrations that cannot be read off the file.
func (c *checker) checkComputed() {
	for _, r := range c.regs {
		_, statement := c.parents[r.call].(*tree.CallStmt)
		level := statement && c.parents[c.parents[r.call]] == tree.Node(c.file.Body)
		written := r.filter == nil || len(r.call.Args) > 1 && tree.Bare(r.call.Args[1]) == tree.Expr(r.filter)
		if c.functionOf(r.call) == c.file.Main && (!level || r.name == nil || !written) {
			c.add("computed-registration", r.call, "this registration cannot be read off the file, so the file runs at every event", "write the call at file level, with literals")
		}
	}
}

func (c *checker) checkPoint(r *registration) {
	if r.name == nil {
		if t := c.typeOf(r.call.Args[0]); t.sort == funcValue || t.sort == tableValue {
			c.add("unknown-point", r.call.Args[0], "dsh.on: the first argument is the name of a point, got "+sortNames[t.sort], "")
		}
		return
	}
	if r.point == nil {
		names := make([]string, len(c.opts.Points))
		for i, p := range c.opts.Points {
			names[i] = p.Name()
		}
		c.add("unknown-point", r.name, "no extension point "+quote(r.name.Value), schema.Hint(r.name.Value, names))
		return
	}
	c.checkFires(r)
}

// checkFires tells of points that hosts do not fire.
func (c *checker) checkFires(r *registration) {
	var never []string
	for _, h := range c.opts.Hosts {
		if h.Fires != nil && !slices.Contains(h.Fires, r.point.Name()) {
			never = append(never, h.Name)
		}
	}
	switch {
	case len(never) == 0:
	case len(never) == len(c.opts.Hosts):
		c.add("never-fired", r.name, "no host fires "+r.point.Name()+": the handler never runs", "looked at "+strings.Join(never, ", "))
	default:
		c.add("not-everywhere", r.name, strings.Join(never, " and ")+plural(len(never), " never fires ", " never fire ")+r.point.Name(), "the handler runs at other hosts only")
	}
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

func (c *checker) checkFilter(r *registration) {
	if r.filter == nil {
		return
	}
	for _, i := range r.filter.Items {
		key, ok := tree.Expr(nil), false
		if i.Key != nil {
			key = i.Key
		}
		var name *tree.String
		if key != nil {
			name, ok = literal(key)
		}
		switch {
		case key == nil:
			c.add("unknown-filter", i.Value, "a filter has named fields only", "such as tool = "+c.file.Text(i.Value))
		case ok && !slices.Contains(filterKeys, name.Value):
			c.add("unknown-filter", key, "no field "+quote(name.Value)+" in a filter", schema.Hint(name.Value, filterKeys))
		case ok:
			c.checkFilterValue(r, name, i.Value)
		}
	}
}

func (c *checker) checkFilterValue(r *registration, key *tree.String, value tree.Expr) {
	t := c.typeOf(value)
	switch name := key.Value; {
	case name == "rule":
		if s, ok := literal(value); ok && s.Value == "" || t.sort != unknown && !t.isText() {
			c.add("filter-value", value, "the name of a rule is a string that is not empty", "")
		}
	case name == "raw":
		if t.sort != unknown && t.sort != boolValue {
			c.add("filter-value", value, "raw is true or false", "")
		} else if r.raw && r.point != nil && !r.point.Joined() {
			c.add("useless-raw", key, "raw changes nothing at "+r.point.Name()+", where answers are not joined", "leave it out")
		}
	case r.point != nil && !slices.Contains(r.point.Filters(), point.FilterField(name)):
		hint := "it has none"
		if len(r.point.Filters()) > 0 {
			hint = fmt.Sprintf("it has %q", r.point.Filters())
		}
		c.add("unfit-filter", key, r.point.Name()+" has no filter "+quote(name), hint)
	default:
		c.checkNames(r, point.FilterField(name), value, t)
	}
}

func (c *checker) checkNames(r *registration, field point.FilterField, value tree.Expr, t typ) {
	table := c.tableIs(value)
	if t.sort != unknown && t.sort != data && !t.isText() && (table == nil || len(table.Items) == 0) {
		c.add("filter-value", value, string(field)+" is a string or a list of strings that is not empty", "")
		return
	}
	for _, s := range c.literals(value) {
		switch field {
		case point.FilterTool:
			c.checkTool(s)
		case point.FilterAction:
			if c.opts.Actions != nil && !slices.Contains(c.opts.Actions, s.Value) {
				c.add("unknown-action", s, "no action is of kind "+quote(s.Value), schema.Hint(s.Value, c.opts.Actions))
			}
		case point.FilterMatch:
			c.checkMatch(r, s)
		}
	}
}

// tools lists the tools of all hosts; known is false if one does not tell.
func (c *checker) tools() (list []string, known bool) {
	for _, h := range c.opts.Hosts {
		if h.Tools == nil {
			return nil, false
		}
		list = append(list, h.Tools...)
	}
	return list, len(list) > 0
}

// mcpPattern is what the tools of MCP servers are called: they come with the
// session, so no host lists them.
const mcpPattern = "mcp__*"

// checkTool holds the name of a tool against what the hosts have.
func (c *checker) checkTool(s *tree.String) {
	list, known := c.tools()
	if mcp, _ := path.Match(mcpPattern, s.Value); !known || mcp || slices.Contains(list, s.Value) {
		return
	}
	hint := schema.Hint(s.Value, list)
	if hint == "" {
		hint = "an action fits every host: action = \"shell\""
	}
	if strings.ContainsAny(s.Value, "*?[") {
		hint = "patterns stand in match; tool takes exact names"
	}
	c.add("unknown-tool", s, "no host has a tool "+quote(s.Value), hint)
}

// checkMatch looks at a pattern. Where it is about tools, it has to fit one.
func (c *checker) checkMatch(r *registration, s *tree.String) {
	if _, err := path.Match(s.Value, ""); err != nil {
		c.add("bad-match", s, "match "+quote(s.Value)+": "+err.Error(), "patterns have *, ? and [ ]")
		return
	}
	list, known := c.tools()
	tools := r.point != nil && slices.Contains(r.point.Filters(), point.FilterTool)
	if !known || !tools || strings.HasPrefix(s.Value, "mcp") || strings.HasPrefix(s.Value, "*") {
		return
	}
	if !slices.ContainsFunc(list, func(name string) bool { ok, _ := path.Match(s.Value, name); return ok }) {
		hint := schema.Hint(s.Value, list)
		if strings.ContainsAny(s.Value, "|^$.%+") {
			hint = "it is no regular expression: patterns have *, ? and [ ], and are lists"
		}
		c.add("unknown-tool", s, "no host has a tool that fits "+quote(s.Value), hint)
	}
}
