package scripttest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// Library declares the table test, for documents.
func Library() stdlib.Module { return library(nil) }

// library is Library with functions that work for f.
func library(f *fileRun) stdlib.Module {
	return stdlib.Module{
		Name:      "test",
		Doc:       "What a file of tests has beyond the language: it declares tests, puts payloads to the policies under test, and says what it expects.",
		Classes:   []stdlib.Class{outcomeClass(), expectationClass(f), turnClass(), sessionClass(f)},
		Functions: functions(f),
	}
}

func functions(f *fileRun) []stdlib.Function {
	var all []stdlib.Function
	for _, part := range [][]stdlib.Function{declaring(f), asking(f), building(f), inventing(f), playing(f), generating(f)} {
		all = append(all, part...)
	}
	return all
}

type field = stdlib.Field

func declaring(f *fileRun) []stdlib.Function {
	name := field{Name: "name", Type: "string"}
	body := field{Name: "body", Type: "function"}
	return []stdlib.Function{
		{Name: "describe", Doc: "Groups what body declares under a name. Groups may be nested.", Params: []field{name, body}, Call: f.describe},
		{Name: "it", Doc: "Declares a test. Names are unique within a group.", Params: []field{name, body}, Call: func(c *stdlib.Call) error {
			fn := c.Arg(2)
			return f.add(c, c.Str(1), func() error { _, err := f.vm.Call(fn); return err })
		}},
		{
			Name: "cases", Doc: "Declares a test for each entry of a list: body is called with the entry. A test is named by the member name of its entry, else by the entry itself or its first item.",
			Params: []field{{Name: "list", Type: "any[]"}, body}, Call: f.cases,
		},
		{Name: "before", Doc: "Has a function called before each test of the group and of the groups within.", Params: []field{body}, Call: func(c *stdlib.Call) error {
			return f.attach(&f.group.before, c.Arg(1))
		}},
		{Name: "after", Doc: "Has a function called after each test of the group and of the groups within, also if it failed.", Params: []field{body}, Call: func(c *stdlib.Call) error {
			return f.attach(&f.group.after, c.Arg(1))
		}},
		{
			Name: "policy", Doc: "Names the policies under test, by their paths from the folder of this file, in the order in which they are asked. Without it NAME_test.lua tests NAME.lua.",
			Params: []field{{Name: "...", Type: "string"}}, Call: f.name,
		},
		{Name: "grant", Doc: "Lets the policies under test do what needs a grant: preapprove.", Params: []field{{Name: "grant", Type: "string"}}, Call: f.grant},
		{Name: "expect", Doc: "Begins an expectation of a value: of what fire, hook or a session returned, or of any other. What follows with a colon says what is expected, and fails the test if it is not so.", Params: []field{{Name: "got?", Type: "any"}}, Returns: []field{{Type: "dsh.test.Expectation"}}, Call: f.expect},
		{Name: "log", Doc: "Adds a line to what is shown of a test that fails.", Params: []field{{Name: "text", Type: "string"}}, Call: func(c *stdlib.Call) error {
			file, line := luavm.Caller(c.L)
			f.log(fmt.Sprintf("%s:%d", file, line), c.Str(1))
			return nil
		}},
	}
}

var errDeclared = errors.New("it is for file level and for describe, not for a test")

func (f *fileRun) describe(c *stdlib.Call) error {
	if f.test != nil {
		return errDeclared
	}
	if err := f.group.admit(c.Str(1)); err != nil {
		return err
	}
	outer := f.group
	f.group = &group{name: c.Str(1), outer: outer, names: map[string]bool{}}
	defer func() { f.group = outer }()
	_, err := f.vm.Call(c.Arg(2))
	if err == nil && len(f.group.names) == 0 {
		return fmt.Errorf("%q has no tests", c.Str(1))
	}
	return err
}

// admit makes sure that a name says which test is meant.
func (g *group) admit(name string) error {
	switch {
	case name == "":
		return errors.New("name: want a name")
	case g.names[name]:
		return fmt.Errorf("two are called %q", name)
	}
	g.names[name] = true
	return nil
}

// add declares a test.
func (f *fileRun) add(c *stdlib.Call, name string, body func() error) error {
	if f.test != nil {
		return errDeclared
	}
	if err := f.group.admit(name); err != nil {
		return err
	}
	path := []string{name}
	for g := f.group; g.outer != nil; g = g.outer {
		path = append([]string{g.name}, path...)
	}
	file, line := luavm.Caller(c.L)
	f.tests = append(f.tests, &testCase{path: path, at: fmt.Sprintf("%s:%d", file, line), group: f.group, body: body})
	return nil
}

func (f *fileRun) attach(list *[]lua.LValue, fn lua.LValue) error {
	if f.test != nil {
		return errDeclared
	}
	*list = append(*list, fn)
	return nil
}

func (f *fileRun) cases(c *stdlib.Call) error {
	items, err := f.vm.Reader("list").Root(c.Arg(1)).Items()
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return errors.New("list: has no cases")
	}
	body := c.Arg(2)
	for i := range items {
		entry := items[i].LValue()
		err := f.add(c, nameOf(&items[i], i), func() error { _, err := f.vm.Call(body, entry); return err })
		if err != nil {
			return err
		}
	}
	return nil
}

// nameOf names the test of an entry.
func nameOf(n *luavm.Node, i int) string {
	switch n.Kind() {
	case luavm.KindString:
		return n.Str()
	case luavm.KindObject:
		if name, ok := n.Get("name"); ok && name.Kind() == luavm.KindString {
			return name.Str()
		}
	case luavm.KindList:
		if items, err := n.Items(); err == nil && items[0].Kind() == luavm.KindString {
			return items[0].Str()
		}
	case luavm.KindMixed:
		if t, ok := n.LValue().(*lua.LTable); ok {
			for _, key := range []lua.LValue{lua.LString("name"), lua.LNumber(1)} {
				if s, ok := t.RawGet(key).(lua.LString); ok {
					return string(s)
				}
			}
		}
	case luavm.KindNil, luavm.KindNull, luavm.KindBool, luavm.KindNumber, luavm.KindEmpty, luavm.KindOther:
	}
	return fmt.Sprintf("case %d", i+1)
}

func (f *fileRun) name(c *stdlib.Call) error {
	if f.test != nil {
		return errDeclared
	}
	if c.Len() == 0 {
		return errors.New("want the path of a policy")
	}
	for i := 1; i <= c.Len(); i++ {
		f.policies = append(f.policies, filepath.Join(filepath.Dir(f.path), filepath.FromSlash(c.Str(i))))
	}
	return nil
}

func (f *fileRun) grant(c *stdlib.Call) error {
	if f.test != nil {
		return errDeclared
	}
	if c.Str(1) != string(tool.Preapprove) {
		return fmt.Errorf("no grant %q; there is %q", c.Str(1), tool.Preapprove)
	}
	f.grants = append(f.grants, point.Grant(c.Str(1)))
	return nil
}

func asking(f *fileRun) []stdlib.Function {
	return []stdlib.Function{
		{
			Name: "fire", Doc: "Puts a payload to an extension point and returns what the policies made of it. Members that the payload lacks are typical ones: the session is session-1 of claude-code in " + project + ".",
			Params: []field{{Name: "point", Type: "string"}, {Name: "payload?", Type: "table"}}, Returns: []field{{Type: "dsh.test.Outcome"}},
			Call: func(c *stdlib.Call) error {
				given, err := f.given(c, 2)
				if err != nil {
					return err
				}
				o, err := f.fire(c.Str(1), given)
				return f.hand(c, o, err)
			},
		},
		{
			Name: "hook", Doc: "Puts what a client sends to its hook, as dsh hook reads it: the table of an event with hook_event_name, whose missing members are typical ones; a call from test.shell and its like, which becomes that client's own call before a tool, and is an error if the client has no such call; or the very text of a payload, as it is.",
			Params: []field{{Name: "client", Type: "string", Doc: "claude-code or codex"}, {Name: "payload", Type: "any"}}, Returns: []field{{Type: "dsh.test.Outcome"}},
			Call: f.callHook,
		},
		{
			Name: "payload", Doc: "Returns the payload that fire would put to a point.",
			Params: []field{{Name: "point", Type: "string"}, {Name: "payload?", Type: "table"}}, Returns: []field{{Type: "table"}},
			Call: func(c *stdlib.Call) error {
				p := catalog.Find(c.Str(1))
				if p == nil {
					return fmt.Errorf("no extension point %q%s", c.Str(1), luavm.Hint(c.Str(1), catalog.Names()))
				}
				given, err := f.given(c, 2)
				if err != nil {
					return err
				}
				full, err := payload(p, given)
				if err != nil {
					return err
				}
				return c.Return(f.vm.Thaw(f.vm.Freeze(full, nil, nil)))
			},
		},
		{
			Name: "captured", Doc: "Returns the text of a payload file, by its path from the folder of this file, for fire (as a table, through json.decode) or hook (as it is).",
			Params: []field{{Name: "path", Type: "string"}}, Returns: []field{{Type: "string"}},
			Call: func(c *stdlib.Call) error {
				text, err := f.captured(c.Str(1))
				if err != nil {
					return err
				}
				return c.ReturnText(string(text))
			},
		},
	}
}

// given reads a payload, which may be left out.
func (f *fileRun) given(c *stdlib.Call, i int) (value.Value, error) {
	if c.Arg(i) == lua.LNil {
		return value.Value{}, nil
	}
	return c.Value(i, "payload")
}

func (f *fileRun) callHook(c *stdlib.Call) error {
	sent := []byte(c.Str(2))
	if _, text := c.Arg(2).(lua.LString); !text {
		given, err := f.given(c, 2)
		if err != nil {
			return err
		}
		client, err := findClient(c.Str(1))
		if err != nil {
			return err
		}
		if sent, err = client.bytes(given); err != nil {
			return err
		}
	}
	o, err := f.hook(c.Str(1), sent)
	return f.hand(c, o, err)
}

// hand returns an outcome to the test.
func (f *fileRun) hand(c *stdlib.Call, o *outcome, err error) error {
	if err != nil {
		return err
	}
	return c.Return(f.vm.Freeze(o.value(), outcomeShape{}, o))
}

// outcomeShape is the shape of an outcome: a misspelt member is an error.
type outcomeShape struct{}

// Field implements [luavm.Shape].
func (outcomeShape) Field(name string) (luavm.Shape, error) {
	for _, known := range outcomeFields {
		if known == name {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("an outcome has no %q%s", name, luavm.Hint(name, outcomeFields))
}

// Elem implements [luavm.Shape].
func (outcomeShape) Elem() luavm.Shape { return nil }

func outcomeClass() stdlib.Class {
	return stdlib.Class{Name: "dsh.test.Outcome", Doc: "What the policies made of a payload.", Fields: []field{
		{Name: "kind", Type: "string", Doc: "of the answer; fault, told or none where there is none"},
		{Name: "decided", Type: "boolean", Doc: "whether a policy gave it"},
		{Name: "reason?", Type: "string", Doc: "of the answer or the fault"},
		{Name: "rule?", Type: "string", Doc: "that decided"},
		{Name: "at?", Type: "string", Doc: "the file:line that built the answer"},
		{Name: "extension?", Type: "string", Doc: "the file of the policy that decided"},
		{Name: "point?", Type: "string", Doc: "whose answer it is"},
		{Name: "answer?", Type: "table", Doc: "the whole answer"},
		{Name: "arguments?", Type: "table", Doc: "that a client's call runs with instead of its own"},
		{Name: "contexts?", Type: "string[]", Doc: "that the model is told"},
		{Name: "effects?", Type: "table<string, string[]>", Doc: "texts by inject, steer, halt and tell"},
		{Name: "fault?", Type: "string", Doc: "what went wrong in a policy"},
		{Name: "stdout?", Type: "string", Doc: "of a client's hook"},
		{Name: "stderr?", Type: "string", Doc: "of a client's hook"},
		{Name: "exit?", Type: "integer", Doc: "of a client's hook"},
	}}
}

func building(f *fileRun) []stdlib.Function {
	var list []stdlib.Function
	for _, b := range builders() {
		params := []field{{Name: b.subject, Type: "string"}}
		if b.many {
			params = append(params[:oneIf(b.action != nil)], field{Name: "...", Type: "string", Doc: "paths; what is not absolute lies in the project, ~/ in the home"})
		}
		list = append(list, stdlib.Function{
			Name: b.kind, Doc: "Returns the payload of a call " + b.doc + ". " + b.more(), Params: params, Returns: []field{{Type: "table"}},
			Call: func(c *stdlib.Call) error {
				var subjects []string
				for i := 1; i <= c.Len(); i++ {
					subjects = append(subjects, c.Str(i))
				}
				if len(subjects) == 0 {
					return fmt.Errorf("want a %s", b.subject)
				}
				return c.Return(f.vm.Thaw(f.vm.Freeze(f.world.resolved(b.call(subjects)), nil, nil)))
			},
		})
	}
	return append(list, stdlib.Function{
		Name: "mcp", Doc: "Returns the payload of a call of a tool of an MCP server.",
		Params: []field{{Name: "server", Type: "string"}, {Name: "name", Type: "string"}, {Name: "arguments?", Type: "table"}}, Returns: []field{{Type: "table"}},
		Call: func(c *stdlib.Call) error {
			arguments, err := f.given(c, 3)
			if err != nil {
				return err
			}
			return c.Return(f.vm.Thaw(f.vm.Freeze(mcpCall(c.Str(1), c.Str(2), arguments), nil, nil)))
		},
	})
}

func inventing(f *fileRun) []stdlib.Function {
	shelf := []field{{Name: "store", Type: "string", Doc: "session or project"}, {Name: "key", Type: "string"}}
	return []stdlib.Function{
		{Name: "clock", Doc: "Sets the time of the events that follow: seconds since 1970, or a time of RFC 3339. A test begins at " + dawn.Format(time.RFC3339) + ".", Params: []field{{Name: "time", Type: "string|number"}}, Call: f.clock},
		{Name: "advance", Doc: "Moves the time forward.", Params: []field{{Name: "seconds", Type: "number"}}, Call: func(c *stdlib.Call) error {
			n, _ := c.Arg(1).(lua.LNumber)
			f.world.setTime(f.world.time().Add(time.Duration(float64(n) * float64(time.Second))))
			return nil
		}},
		{
			Name: "files", Doc: "Makes files, by path: a text is the content of a file, true makes a folder, and { link = TARGET } a symbolic link. Paths are as for test.read.",
			Params: []field{{Name: "files", Type: "table"}}, Call: f.makeFiles,
		},
		{Name: "keep", Doc: "Sets a value in the state of the policies under test, as if they had kept it in session-1 or in its project.", Params: append(shelf, field{Name: "value", Type: "any"}), Call: f.keepState},
		{Name: "kept", Doc: "Returns what a policy under test keeps under a key, or nil: of the first that keeps something there.", Params: shelf, Returns: []field{{Type: "any"}}, Call: f.keptState},
	}
}

func (f *fileRun) clock(c *stdlib.Call) error {
	switch v := c.Arg(1).(type) {
	case lua.LNumber:
		f.world.setTime(time.UnixMilli(int64(float64(v) * 1000)).UTC())
		return nil
	case lua.LString:
		t, err := time.Parse(time.RFC3339, string(v))
		f.world.setTime(t)
		return err
	}
	return errors.New("want seconds or a text")
}

func (f *fileRun) makeFiles(c *stdlib.Call) error {
	root := f.vm.Reader("files").Root(c.Arg(1))
	names, err := root.Keys()
	if err != nil {
		return err
	}
	for _, name := range names {
		member, _ := root.Get(name)
		n := node{mode: 0o644}
		switch member.Kind() {
		case luavm.KindString:
			n.text = member.Str()
		case luavm.KindBool:
			n.mode = fs.ModeDir | 0o755
		default:
			target, ok := member.Get("link")
			if !ok || target.Kind() != luavm.KindString {
				return fmt.Errorf("%s: want a text, true, or a table with link", member.Path())
			}
			n = node{mode: fs.ModeSymlink | 0o777, text: target.Str()}
		}
		f.world.files.put(inProject(name), n)
	}
	return nil
}

// shelves are where the policies under test keep things.
func (f *fileRun) shelves(store string) ([]stdlib.Shelf, error) {
	ids := map[string]string{"session": ref().ID, "project": ref().Project}
	if ids[store] == "" {
		return nil, fmt.Errorf("no store %q; there are session and project", store)
	}
	if f.loaded == nil {
		return nil, errOutsideTest
	}
	var list []stdlib.Shelf
	for _, s := range f.loaded.Scripts {
		list = append(list, stdlib.Shelf{Store: store, ID: ids[store], Script: s.Name()})
	}
	return list, nil
}

func (f *fileRun) keepState(c *stdlib.Call) error {
	doc, err := c.Value(3, "value")
	if err != nil {
		return err
	}
	shelves, err := f.shelves(c.Str(1))
	for _, shelf := range shelves {
		err = errors.Join(err, stdlib.Keep(f.ctx, f.world.state, shelf, c.Str(2), doc))
	}
	return err
}

func (f *fileRun) keptState(c *stdlib.Call) error {
	shelves, err := f.shelves(c.Str(1))
	for _, shelf := range shelves {
		doc, failed := stdlib.Kept(f.ctx, f.world.state, shelf, c.Str(2))
		if failed != nil || !doc.IsAbsent() {
			return errors.Join(failed, c.Return(f.vm.Freeze(doc, nil, nil)))
		}
	}
	if err != nil {
		return err
	}
	return c.Return(lua.LNil)
}
