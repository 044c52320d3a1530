package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// functions are the members of dsh that make no answer.
func functions() map[string]func(*machine, *lua.LState) int {
	return map[string]func(*machine, *lua.LState) int{
		"on": (*machine).on, "with": (*machine).with, "log": (*machine).log, "granted": (*machine).granted,
	}
}

// Members lists what scripts can call as dsh.NAME on points whose answers have
// the given tags.
func Members(tags []string) []string {
	names := slices.Sorted(maps.Keys(functions()))
	for _, tag := range tags {
		names = append(names, strings.ReplaceAll(tag, "-", "_"))
	}
	return names
}

// library makes the table dsh of one state: on, with, log, granted, and for every kind of
// answer its constructor, which is found when it is used.
func (m *machine) library() lua.LValue {
	members := map[string]lua.LValue{}
	for name, f := range functions() {
		members[name] = m.vm.Func("dsh."+name, func(L *lua.LState) int { return f(m, L) })
	}
	return m.vm.LazyLibrary(members, m.constructor)
}

// constructor returns the constructor that scripts call name, or an error that
// names the nearest.
func (m *machine) constructor(name string) (lua.LValue, error) {
	tag := strings.ReplaceAll(name, "_", "-")
	if !slices.ContainsFunc(m.script.opts.Points, func(p point.Point) bool { return slices.Contains(p.Tags(), tag) }) {
		return nil, m.noMember(name)
	}
	kind := luavm.Member{Key: schema.TagField, Value: lua.LString(tag)}
	return m.vm.Func("dsh."+name, func(L *lua.LState) int {
		answer, err := m.build(L, name, tag, kind)
		if err != nil {
			luavm.Raise(L, err)
		}
		m.mark(L, answer)
		L.Push(answer)
		return 1
	}), nil
}

// noMember says that the points of the script have no answer named name, though
// those of another script in this state may.
func (m *machine) noMember(name string) error {
	return fmt.Errorf("dsh has no %q%s", name, schema.Hint(name, Members(m.script.tags())))
}

// tags lists the kinds of answers of all points.
func (s *Script) tags() []string {
	var tags []string
	for _, p := range s.opts.Points {
		tags = append(tags, p.Tags()...)
	}
	return tags
}

// variants returns what answers with the given tag look like, over all points.
func (s *Script) variants(tag string) []*schema.Type {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, ok := s.answers[tag]
	if ok {
		return list
	}
	for _, p := range s.opts.Points {
		if !slices.Contains(p.Tags(), tag) {
			continue
		}
		if v, ok := p.Decision().Variant(tag); ok && !slices.Contains(list, v.Type()) {
			list = append(list, v.Type())
		}
	}
	if s.answers == nil {
		s.answers = map[string][]*schema.Type{}
	}
	s.answers[tag] = list
	return list
}

// build makes an answer from a constructor's argument: a table of its fields, or
// the text of its first field.
func (m *machine) build(L *lua.LState, name, tag string, kind luavm.Member) (*lua.LTable, error) {
	if L.GetTop() > 1 {
		return nil, fmt.Errorf("dsh.%s takes one argument, a text or a table", name)
	}
	variants := m.script.variants(tag)
	if len(variants) == 0 {
		return nil, m.noMember(name)
	}
	switch arg := L.Get(1).(type) {
	case *lua.LNilType:
		return m.short(L, kind, luavm.Member{}), nil
	case lua.LString:
		field, ok := textField(variants)
		if !ok {
			return nil, fmt.Errorf("dsh.%s takes a table, not a text", name)
		}
		return m.short(L, kind, luavm.Member{Key: field, Value: arg}), nil
	default:
		if luavm.TypeName(arg) != "table" {
			return nil, fmt.Errorf("dsh.%s takes a text or a table, got %s", name, luavm.TypeName(arg))
		}
		answer := table(L, kind, luavm.Member{})
		return answer, m.copyFields(answer, arg, "dsh."+name, variants)
	}
}

// short makes an answer of a kind and at most one field. One that the main chunk
// makes may outlive its run, so it must be whole.
func (m *machine) short(L *lua.LState, kind, field luavm.Member) *lua.LTable {
	if m.loading != nil {
		return table(L, kind, field)
	}
	return m.vm.Pending(kind, field)
}

func table(L *lua.LState, kind, field luavm.Member) *lua.LTable {
	t := L.CreateTable(0, 4)
	t.RawSetString(kind.Key, kind.Value)
	if field.Key != "" {
		t.RawSetString(field.Key, field.Value)
	}
	return t
}

// textField returns the field that a text alone stands for: the first one.
func textField(variants []*schema.Type) (string, bool) {
	for _, t := range variants {
		if fields := t.Fields(); len(fields) > 0 && fields[0].Type().TakesText() {
			return fields[0].Name(), true
		}
	}
	return "", false
}

func (m *machine) copyFields(answer *lua.LTable, from lua.LValue, what string, variants []*schema.Type) error {
	node, keys, err := m.keys(what, from)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := knownField(what, key, variants); err != nil {
			return err
		}
		member, _ := node.Get(key)
		answer.RawSetString(key, member.LValue())
	}
	return nil
}

func knownField(what, key string, variants []*schema.Type) error {
	var names []string
	for _, t := range variants {
		if _, ok := t.Field(key); ok {
			return nil
		}
		for _, f := range t.Fields() {
			names = append(names, f.Name())
		}
	}
	return fmt.Errorf("%s.%s: no such field%s", what, key, schema.Hint(key, names))
}

// built is an answer from a constructor, and where it was built.
type built struct {
	table *lua.LTable
	at    place
}

// placeOf finds a table in list. The last ones are the likely ones.
func placeOf(table *lua.LTable, list []built) (at place, ok bool) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].table == table {
			return list[i].at, true
		}
	}
	return place{}, false
}

// mark remembers where an answer was built.
func (m *machine) mark(L *lua.LState, answer *lua.LTable) {
	m.built = append(m.built, built{answer, where(L)})
}

var errWith = errors.New("dsh.with takes an answer and a table of the fields to change")

// with implements dsh.with(answer, changes): a new answer with some fields
// changed.
func (m *machine) with(L *lua.LState) int {
	out := L.CreateTable(0, 8)
	err := errWith
	if changes, ok := L.Get(2).(*lua.LTable); ok && L.GetTop() == 2 {
		err = m.merge(out, L.Get(1), changes)
	}
	if err != nil {
		luavm.Raise(L, err)
	}
	m.mark(L, out)
	L.Push(out)
	return 1
}

func (m *machine) merge(out *lua.LTable, answer lua.LValue, changes *lua.LTable) error {
	for _, source := range []lua.LValue{answer, changes} {
		node, keys, err := m.keys("answer", source)
		if err != nil {
			return errWith
		}
		for _, key := range keys {
			member, _ := node.Get(key)
			out.RawSetString(key, member.LValue())
		}
		m.keepNulls(out, source)
	}
	return nil
}

// keepNulls copies the members of a view that read as nil because they are null.
func (m *machine) keepNulls(out *lua.LTable, source lua.LValue) {
	doc, _ := luavm.ValueOf(source)
	m.spendItems(doc.Len())
	for key, member := range doc.Members() {
		if member.Kind() == value.Null {
			out.RawSetString(key, m.vm.Null())
		}
	}
}

// log implements dsh.log(text).
func (m *machine) log(L *lua.LState) int {
	text, ok := L.Get(1).(lua.LString)
	switch {
	case L.GetTop() > 1:
		luavm.Raise(L, fmt.Errorf("dsh.log takes one text, got %d values; .. joins them", L.GetTop()))
	case !ok:
		luavm.Raise(L, fmt.Errorf("dsh.log takes one text, got %s; tostring makes one", luavm.TypeName(L.Get(1))))
	}
	m.spendLog(L, string(text))
	if m.script.opts.Log != nil {
		at := where(L).String()
		m.vm.Outside(func() { m.script.opts.Log(at, string(text)) })
	}
	return 0
}

// granted implements dsh.granted(name). A file that runs at its top level has no
// grants yet: they belong to an installation, of which there may be several.
func (m *machine) granted(L *lua.LState) int {
	name, ok := L.Get(1).(lua.LString)
	switch {
	case !ok || L.GetTop() != 1:
		luavm.Raise(L, fmt.Errorf("dsh.granted takes the name of one grant, got %s", luavm.TypeName(L.Get(1))))
	case m.loading != nil:
		luavm.Raise(L, errors.New("dsh.granted is for handlers: what a file may do is known when it is asked"))
	}
	has, known := slices.Contains(m.grants, point.Grant(name)), m.script.opts.Grants
	if !has && known != nil && !slices.Contains(known, point.Grant(name)) {
		names := make([]string, len(known))
		for i, grant := range known {
			names[i] = string(grant)
		}
		luavm.Raise(L, fmt.Errorf("dsh.granted: there is no grant %q%s", string(name), luavm.Hint(string(name), names)))
	}
	L.Push(lua.LBool(has))
	return 1
}
