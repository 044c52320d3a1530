package scripttest

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// typical are the members that a payload has if the test names none, by type and
// member. Members that are not here follow from their type: a text is its own
// name, a number 1, a list empty, a union its first variant. Optional members that
// are not here are left out.
func typical() map[string]any {
	r := ref()
	shell := map[string]any{"kind": "shell", "command": "ls", "cwd": project}
	arguments := map[string]any{"command": "ls"}
	return map[string]any{
		"session.Ref.id": r.ID, "session.Ref.cwd": r.Cwd, "session.Ref.project": r.Project, "session.Ref.mode": r.Mode,
		"session.Ref.model": r.Model, "session.Ref.turn": r.Turn, "session.Ref.client": r.Client,
		"tool.Proposal.id": "call-1", "tool.Proposal.tool": "Bash", "tool.Proposal.arguments": arguments, "tool.Proposal.action": shell,
		"tool.Call.id": "call-1", "tool.Call.tool": "Bash", "tool.Call.arguments": arguments, "tool.Call.action": shell,
		"tool.Done.result": map[string]any{"kind": "success", "value": "done"}, "tool.Done.ran": true, "tool.Done.duration_ms": 12,
		"agent.Started.source": "startup", "agent.Ended.reason": "exit", "agent.Step.prompt": "hello",
		"agent.Compaction.trigger": "auto", "agent.Interrupted.cause": "user", "agent.Status.status": "idle",
		"agent.Config.model": r.Model, "agent.ModelFailure.message": "overloaded", "agent.ModelFailure.status": 529,
		"subagent.Started.id": "agent-1", "subagent.Started.type": "general-purpose",
		"subagent.Ended.id": "agent-1", "subagent.Ended.type": "general-purpose",
		"host.Event.name": "Notification", "host.Event.payload": map[string]any{"hook_event_name": "Notification"},
	}
}

// payload returns a payload of p in which given replaces what is typical.
func payload(p point.Point, given value.Value) (value.Value, error) {
	if given.Kind() != value.Object && !given.IsAbsent() {
		return value.Value{}, fmt.Errorf("payload: want a table, got a %s", given.Kind())
	}
	usual := typical()
	full := overlay(p.Payload(), standard(p.Payload(), usual), placed(p, given))
	return full, nil
}

// placed puts what a builder of calls made where p has its call.
func placed(p point.Point, given value.Value) value.Value {
	_, flat := p.Payload().Field("action")
	call, nested := p.Payload().Field("call")
	if flat || !nested || given.Get("action").IsAbsent() {
		return given
	}
	var inner, outer []value.Member
	for key, v := range given.Members() {
		if _, ok := call.Type().Field(key); ok {
			inner = append(inner, value.Member{Key: key, Value: v})
		} else {
			outer = append(outer, value.Member{Key: key, Value: v})
		}
	}
	return value.OfObject(append(outer, value.Member{Key: "call", Value: value.OfObject(inner...)})...)
}

// standard returns a value of type t as it is when nobody says more.
func standard(t *schema.Type, usual map[string]any) value.Value {
	switch t.Kind() {
	case schema.Object:
		var members []value.Member
		for _, f := range t.Fields() {
			v, known := usual[t.Name()+"."+f.Name()]
			switch {
			case known:
				members = append(members, value.Member{Key: f.Name(), Value: value.MustFrom(v)})
			case f.Optional():
			case f.Type().Kind() == schema.String && f.Type().Values() == nil:
				members = append(members, value.Member{Key: f.Name(), Value: value.OfString(f.Name())})
			default:
				members = append(members, value.Member{Key: f.Name(), Value: standard(f.Type(), usual)})
			}
		}
		return value.OfObject(members...)
	case schema.Union:
		v := t.Variants()[0]
		return with(standard(v.Type(), usual), value.Member{Key: schema.TagField, Value: value.OfString(v.Tag())})
	case schema.List:
		return value.OfList()
	case schema.String:
		return value.OfString(append(slices.Clone(t.Values()), "text")[0])
	case schema.Bool:
		return value.OfBool(false)
	case schema.Integer, schema.Number:
		return value.OfInt(1)
	case schema.JSON:
	}
	return value.OfObject()
}

// overlay replaces members of base by those of top. An object is replaced member
// by member, a union too unless it becomes another kind; a null takes a member
// away.
func overlay(t *schema.Type, base, top value.Value) value.Value {
	kind := t.Kind()
	other := kind == schema.Union && !top.Get(schema.TagField).IsAbsent() && top.Get(schema.TagField).String() != base.Get(schema.TagField).String()
	if kind != schema.Object && kind != schema.Union || other || top.Kind() != value.Object || base.Kind() != value.Object {
		if top.IsAbsent() {
			return base
		}
		return top
	}
	var members []value.Member
	for key, v := range base.Members() {
		if top.Get(key).IsAbsent() {
			members = append(members, value.Member{Key: key, Value: v})
		}
	}
	for key, v := range top.Members() {
		if v.Kind() == value.Null {
			continue
		}
		if f, ok := t.Field(key); ok {
			v = overlay(f.Type(), base.Get(key), v)
		}
		members = append(members, value.Member{Key: key, Value: v})
	}
	return value.OfObject(members...)
}

// with returns v with some members replaced or added.
func with(v value.Value, changes ...value.Member) value.Value {
	var members []value.Member
	for key, old := range v.Members() {
		if !slices.ContainsFunc(changes, func(m value.Member) bool { return m.Key == key }) {
			members = append(members, value.Member{Key: key, Value: old})
		}
	}
	return value.OfObject(append(members, changes...)...)
}

// resolved fills the member real of the files that actions within v touch, as the
// client's own command does.
func (w *world) resolved(v value.Value) value.Value {
	switch v.Kind() {
	case value.List:
		items := make([]value.Value, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, w.resolved(item))
		}
		return value.OfList(items...)
	case value.Object:
		var members []value.Member
		for key, m := range v.Members() {
			if key == "action" || key == "call" || key == "files" {
				m = w.resolved(m)
			}
			members = append(members, value.Member{Key: key, Value: m})
		}
		if name, ok := v.Get("path").Str(); ok && !v.Get("change").IsAbsent() && v.Get("real").IsAbsent() {
			if real, ok := w.resolve(name); ok {
				members = append(members, value.Member{Key: "real", Value: value.OfString(real)})
			}
		}
		return value.OfObject(members...)
	case value.Absent, value.Null, value.Bool, value.Number, value.String:
	}
	return v
}

// A builder makes the call of one kind of action, as Claude Code makes it.
type builder struct {
	kind, tool, doc, subject string
	many                     bool // takes several paths; behind the subject if there is an action
	change                   string
	arguments                func(subject string) map[string]any
	action                   func(subject string) map[string]any
	place                    string // the argument that is the first path; empty if it is the subject
}

// more says what the builder adds of its own.
func (b builder) more() string {
	if b.many {
		return "Their real paths are those of the invented files, as they are when it is called."
	}
	return "It is one of Claude Code; test.hook makes it one of another client."
}

// one is the object with the subject as its one member.
func one(key string) func(string) map[string]any {
	return func(subject string) map[string]any { return map[string]any{key: subject} }
}

// builders are the kinds of calls that tests can name with a word.
func builders() []builder {
	absolute := func(key string) func(string) map[string]any {
		return func(subject string) map[string]any { return map[string]any{key: inProject(subject)} }
	}
	return []builder{
		{kind: "shell", tool: "Bash", subject: "command", doc: "of a command line", arguments: one("command"), action: func(s string) map[string]any {
			return map[string]any{"command": s, "cwd": project}
		}},
		{kind: "write", tool: "Write", subject: "path", many: true, change: "write", doc: "that writes files", arguments: func(s string) map[string]any {
			return map[string]any{"file_path": inProject(s), "content": "text\n"}
		}},
		{kind: "edit", tool: "Edit", subject: "path", many: true, change: "edit", doc: "that changes parts of files", arguments: func(s string) map[string]any {
			return map[string]any{"file_path": inProject(s), "old_string": "old", "new_string": "new"}
		}},
		{kind: "read", tool: "Read", subject: "path", many: true, change: "read", doc: "that reads files", arguments: absolute("file_path")},
		{kind: "delete", tool: "Delete", subject: "path", many: true, change: "delete", doc: "that removes files", arguments: absolute("file_path")},
		{kind: "search", tool: "Grep", subject: "pattern", many: true, change: "read", place: "path", doc: "that searches files, or folders of them; the project if none are named", action: one("pattern"), arguments: one("pattern")},
		{kind: "fetch", tool: "WebFetch", subject: "url", doc: "that gets something from the network", action: one("url"), arguments: func(s string) map[string]any {
			return map[string]any{"url": s, "prompt": "read it"}
		}},
		{kind: "agent", tool: "Agent", subject: "prompt", doc: "that starts a subagent", action: one("prompt"), arguments: func(s string) map[string]any {
			return map[string]any{"subagent_type": "general-purpose", "prompt": s}
		}},
	}
}

// inProject is a path as clients report it: absolute.
func inProject(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return path.Join(home, rest)
	}
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(project, name)
}

// call builds the call of b on subjects.
func (b builder) call(subjects []string) value.Value {
	action, arguments, paths := map[string]any{}, b.arguments(subjects[0]), subjects
	if b.action != nil {
		action, paths = b.action(subjects[0]), subjects[1:]
	}
	if b.place != "" {
		if len(paths) == 0 {
			paths = []string{project}
		}
		arguments[b.place] = inProject(paths[0])
	}
	if b.many {
		var list []any
		for _, s := range paths {
			list = append(list, map[string]any{"path": inProject(s), "change": b.change})
		}
		action["files"] = list
	}
	action["kind"] = b.kind
	return value.MustFrom(map[string]any{"tool": b.tool, "arguments": arguments, "action": action})
}

// mcpCall builds the call of a tool of an MCP server.
func mcpCall(server, name string, arguments value.Value) value.Value {
	if arguments.IsAbsent() {
		arguments = value.OfObject()
	}
	return value.OfObject(
		value.Member{Key: "tool", Value: value.OfString("mcp__" + server + "__" + name)},
		value.Member{Key: "arguments", Value: arguments},
		value.Member{Key: "action", Value: value.MustFrom(map[string]any{"kind": "mcp", "server": server, "name": name})},
	)
}
