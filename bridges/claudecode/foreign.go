package claudecode

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/bridges/internal/hooks"
	clients "github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A field is one argument of a client's tool, and the names that other tools give
// it. What has no name there is found by its value, which the action tells.
type field struct {
	name   string
	others []string
	value  func(a tool.Action) (string, bool)
}

// A twin is a tool of the client that does what a tool of another name does.
type twin struct {
	name   string
	does   func(a tool.Action) bool
	fields []field
	shape  func(d tool.Done, input value.Value) value.Value // of results; nil: as they are
}

var (
	pathField = field{"file_path", []string{"path", "file", "filename", "filepath"}, filePath}
	twins     = []twin{
		{"Bash", isShell, []field{{"command", []string{"cmd", "line", "script"}, command}}, shellShape},
		{"Write", single[tool.Write], []field{pathField, {"content", []string{"text", "contents"}, nil}}, writeShape},
		{"Edit", single[tool.Edit], []field{
			pathField,
			{"old_string", []string{"old", "old_text", "old_str"}, nil},
			{"new_string", []string{"new", "new_text", "new_str"}, nil},
			{"replace_all", []string{"all"}, nil},
		}, editShape},
		{"Read", single[tool.Read], []field{pathField, {"offset", nil, nil}, {"limit", nil, nil}}, readShape},
		{"Glob", isSearch, []field{{"pattern", nil, pattern}, {"path", []string{"directory", "dir"}, nil}}, nil},
		{"Grep", isSearch, []field{{"pattern", []string{"regex", "query"}, pattern}, {"path", []string{"directory", "dir"}, nil}}, nil},
		{"WebFetch", isFetch, []field{{"url", []string{"address"}, address}, {"prompt", nil, nil}}, nil},
		{"WebSearch", isWebSearch, []field{{"query", []string{"q"}, query}}, nil},
		{"Agent", is[tool.Agent], []field{
			{"description", nil, nil}, {"prompt", []string{"task", "message"}, task}, {"subagent_type", []string{"type", "agent_type"}, nil},
		}, agentShape},
	}
)

func is[A tool.Action](a tool.Action) bool { _, yes := a.(A); return yes }

func isShell(a tool.Action) bool { s, yes := a.(tool.Shell); return yes && !s.Partial }

func isSearch(a tool.Action) bool { s, yes := a.(tool.Search); return yes && s.Pattern != "" }

func isFetch(a tool.Action) bool { f, yes := a.(tool.Fetch); return yes && f.URL != "" }

func isWebSearch(a tool.Action) bool { f, yes := a.(tool.Fetch); return yes && f.Query != "" }

func single[A tool.Action](a tool.Action) bool {
	_, one := filePath(a)
	return is[A](a) && one
}

func command(a tool.Action) (string, bool) { s, ok := a.(tool.Shell); return s.Command, ok }
func pattern(a tool.Action) (string, bool) { s, ok := a.(tool.Search); return s.Pattern, ok }
func address(a tool.Action) (string, bool) { f, ok := a.(tool.Fetch); return f.URL, ok }
func query(a tool.Action) (string, bool)   { f, ok := a.(tool.Fetch); return f.Query, ok }
func task(a tool.Action) (string, bool)    { t, ok := a.(tool.Agent); return t.Prompt, ok }

// filePath returns the one file that an action touches.
func filePath(a tool.Action) (string, bool) {
	var files []tool.File
	switch a := a.(type) {
	case tool.Write:
		files = a.Files
	case tool.Edit:
		files = a.Files
	case tool.Read:
		files = a.Files
	case tool.Shell, tool.Delete, tool.Search, tool.Fetch, tool.MCP, tool.Agent, tool.Other:
	}
	if len(files) != 1 {
		return "", false
	}
	return files[0].Path, true
}

// foreign returns a call of a tool that the client does not have as one of the
// tool that does the same there.
func foreign(c hooks.Seen) (hooks.Shown, bool) {
	if m, ok := c.Action.(tool.MCP); ok {
		return hooks.Shown{Name: "mcp__" + m.Server + "__" + m.Name, Input: c.Arguments, Response: response, Replace: replaceText}, true
	}
	t, ok := twinOf(c)
	if !ok || c.Arguments.Kind() != value.Object {
		return hooks.Shown{}, false
	}
	keys, input := t.translate(c)
	return hooks.Shown{
		Name: t.name, Input: input, Cwd: shellCwd(c.Action),
		Back:     func(v value.Value) (value.Value, error) { return back(c, keys, input, v) },
		Response: func(d tool.Done) value.Value { return t.response(d, input) },
		Replace: func(d tool.Done, v value.Value, mcpOnly bool) (tool.Accept, error) {
			if mcpOnly {
				return tool.Accept{}, errNotMCP
			}
			d.Call.Tool = t.name
			d.Result = tool.Success{Value: t.response(d, input)}
			return replaceText(d, v, false)
		},
	}, true
}

func shellCwd(a tool.Action) string { s, _ := a.(tool.Shell); return s.Cwd }

// twinOf prefers the client's tool of the same name, but for upper and lower
// case.
func twinOf(c hooks.Seen) (best twin, found bool) {
	for _, t := range twins {
		if !t.does(c.Action) {
			continue
		}
		if !found || strings.EqualFold(t.name, c.Tool) {
			best, found = t, true
		}
	}
	return best, found
}

// translate returns the client's input, and which of our arguments each of its
// fields is. Arguments that the client does not have stay as they are.
func (t twin) translate(c hooks.Seen) (keys map[string]string, input value.Value) {
	keys, input = map[string]string{}, value.OfObject()
	taken := map[string]bool{}
	for _, f := range t.fields {
		key := f.find(c)
		told, known := "", false
		if f.value != nil {
			told, known = f.value(c.Action)
		}
		switch {
		case known:
			input = input.With(f.name, value.OfString(told))
		case key != "":
			input = input.With(f.name, c.Arguments.Get(key))
		}
		if key != "" {
			keys[f.name], taken[key] = key, true
		}
	}
	for key, v := range c.Arguments.Members() {
		if !taken[key] && input.Get(key).IsAbsent() {
			input, keys[key] = input.With(key, v), key
		}
	}
	return keys, input
}

// find returns the argument of a call that is the field; "" if there is none.
func (f field) find(c hooks.Seen) string {
	for _, name := range append([]string{f.name}, f.others...) {
		if !c.Arguments.Get(name).IsAbsent() {
			return name
		}
	}
	if f.value == nil {
		return ""
	}
	told, _ := f.value(c.Action)
	for key, v := range c.Arguments.Members() {
		if s, is := v.Str(); is && s == told {
			return key
		}
	}
	return ""
}

// back turns a new input of the client's tool into arguments of ours. What the
// input leaves as it was keeps the spelling that the model gave it.
func back(c hooks.Seen, keys map[string]string, before, after value.Value) (value.Value, error) {
	if after.Kind() != value.Object {
		return value.Value{}, fmt.Errorf("want an object, got %s", after.Kind())
	}
	out := value.OfObject()
	for name, v := range after.Members() {
		key, known := keys[name]
		switch {
		case !known && v.Equal(before.Get(name)):
		case !known && !before.Get(name).IsAbsent():
			return value.Value{}, fmt.Errorf("%s: it is not known which argument of %s this is", name, c.Tool)
		case !known:
			out = out.With(name, v)
		case v.Equal(before.Get(name)):
			out = out.With(key, c.Arguments.Get(key))
		default:
			out = out.With(key, v)
		}
	}
	return out, nil
}

func absolute(path, cwd string) string {
	if filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
		return path
	}
	return filepath.Join(cwd, path)
}

var errNotMCP = errors.New("the tool is not one of an MCP server")

// required lists the members that the client wants to see in a replaced result;
// of tools that are not listed it wants all that the result has.
var required = map[string][]string{"Bash": {"stdout", "stderr", "interrupted", "isImage"}}

// fitsShape says why the client would not take v for a result of a tool.
func fitsShape(name string, result, v value.Value) error {
	if v.Kind() != result.Kind() {
		return fmt.Errorf("want %s as the tool returns it, got %s", result.Kind(), v.Kind())
	}
	for key, x := range result.Members() {
		must := required[name] == nil || slices.Contains(required[name], key)
		switch own := v.Get(key); {
		case own.IsAbsent() && must:
			return fmt.Errorf("%s is missing", key)
		case !own.IsAbsent() && own.Kind() != x.Kind() && x.Kind() != value.Null:
			return fmt.Errorf("%s: want %s, got %s", key, x.Kind(), own.Kind())
		}
	}
	return nil
}

// replaceOwn replaces the result of a tool that the client has too.
func replaceOwn(d tool.Done, v value.Value, mcpOnly bool) (tool.Accept, error) {
	if isMCP(d.Call.Tool) {
		return tool.Accept{Content: textParts(v)}, nil
	}
	if mcpOnly {
		return tool.Accept{}, errNotMCP
	}
	if err := fitsShape(d.Call.Tool, clients.ResultOf(d), v); err != nil {
		return tool.Accept{}, err
	}
	return tool.Accept{Value: v}, nil
}

func isMCP(name string) bool { return strings.HasPrefix(name, "mcp__") }
