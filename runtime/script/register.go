package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/schema"
)

func (r Registration) equal(o Registration) bool {
	return r.Point == o.Point && r.Rule == o.Rule && r.Raw == o.Raw && slices.Equal(r.Filter.Tool, o.Filter.Tool) &&
		slices.Equal(r.Filter.Action, o.Filter.Action) && slices.Equal(r.Filter.Match, o.Filter.Match)
}

var (
	errLate   = errors.New("dsh.on is for file level; a handler cannot register more")
	errModule = errors.New("dsh.on is for the policy's own file, not for one that it requires")
)

// on implements dsh.on(point, [filter], handler).
func (m *machine) on(L *lua.LState) int {
	handler, err := m.register(L)
	if err != nil {
		m.vm.Stop(L, err)
	}
	m.loading.handlers = append(m.loading.handlers, handler)
	return 0
}

// register reads a call of dsh.on. Once the file was read, it need only be held
// against what was registered then, as every run of a script may have a new instance.
func (m *machine) register(L *lua.LState) (*lua.LFunction, error) {
	if m.loading == nil {
		return nil, errLate
	}
	if m.module != "" {
		return nil, errModule
	}
	inst, known := m.loading, m.script.handlers
	k := len(inst.handlers)
	if k < len(known) {
		if handler, ok := m.repeats(L, &known[k]); ok {
			return handler, nil
		}
	}
	reg, handler, err := m.registration(L)
	switch {
	case err != nil:
		return nil, err
	case known == nil:
		inst.registered = append(inst.registered, reg)
	case inst.differs == nil && k < len(known) && !reg.equal(known[k]):
		inst.differs = &Error{m.script.at(reg.Line), fmt.Errorf("handler %d is registered in another way than when the file was read", k+1)}
	}
	return handler, nil
}

// repeats reports whether the call registers what it is known to, and returns its
// handler. It does not recognise every call that does.
func (m *machine) repeats(L *lua.LState, known *Registration) (*lua.LFunction, bool) {
	name, _ := L.Get(1).(lua.LString)
	last := 2
	if table, ok := L.Get(2).(*lua.LTable); ok {
		last = 3
		if m.filter == nil {
			m.filter = m.vm.Reader("filter")
		}
		if !known.repeatedBy(m.filter.Begin(table)) {
			return nil, false
		}
	} else if known.fields() > 0 {
		return nil, false
	}
	handler, ok := L.Get(last).(*lua.LFunction)
	return handler, ok && !handler.IsG && string(name) == known.Point && L.GetTop() == last
}

// repeatedBy reports whether a filter is that of r.
func (r *Registration) repeatedBy(filter *luavm.Node) bool {
	size, err := filter.Len()
	if err != nil || size != r.fields() {
		return false
	}
	for _, key := range filterKeys {
		list := filterList(&r.Filter, key)
		if list == nil || len(*list) == 0 {
			continue
		}
		if names, _ := filter.Get(key); !lists(&names, *list) {
			return false
		}
	}
	rule, _ := filter.Member("rule").(lua.LString)
	return string(rule) == r.Rule && r.Raw == (filter.Member("raw") == lua.LTrue)
}

// lists reports whether n is the list of the given names, or the only one.
func lists(n *luavm.Node, names []string) bool {
	if text, ok := n.LValue().(lua.LString); ok {
		return len(names) == 1 && string(text) == names[0]
	}
	items, err := n.Items()
	return err == nil && slices.EqualFunc(items, names, func(item luavm.Node, name string) bool {
		text, ok := item.LValue().(lua.LString)
		return ok && string(text) == name
	})
}

// fields is how many fields a filter needs to say what r says.
func (r *Registration) fields() (n int) {
	for _, said := range []bool{len(r.Filter.Tool) > 0, len(r.Filter.Action) > 0, len(r.Filter.Match) > 0, r.Rule != "", r.Raw} {
		if said {
			n++
		}
	}
	return n
}

func (m *machine) registration(L *lua.LState) (reg Registration, handler *lua.LFunction, err error) {
	name, ok := L.Get(1).(lua.LString)
	if !ok {
		return reg, nil, fmt.Errorf("dsh.on: the first argument is the name of a point, got %s", luavm.TypeName(L.Get(1)))
	}
	reg = Registration{Point: string(name), Line: where(L).line}
	last := 2
	if table, ok := L.Get(2).(*lua.LTable); ok {
		last = 3
		if err := m.readFilter(table, &reg); err != nil {
			return reg, nil, err
		}
	}
	handler, ok = L.Get(last).(*lua.LFunction)
	if !ok {
		return reg, nil, fmt.Errorf("dsh.on: want a function as handler, got %s", luavm.TypeName(L.Get(last)))
	}
	if handler.IsG {
		return reg, nil, errors.New("dsh.on: want a function of the policy as handler, got one of the library")
	}
	if L.GetTop() > last {
		return reg, nil, errors.New("dsh.on takes a point, a filter and a handler, and nothing behind")
	}
	return reg, handler, nil
}

// filterKeys are the members of a filter table.
var filterKeys = []string{"tool", "action", "match", "rule", "raw"}

func (m *machine) readFilter(table *lua.LTable, reg *Registration) error {
	node := m.vm.Reader("filter").Root(table)
	keys, err := node.Keys()
	if err != nil {
		return err
	}
	for _, key := range keys {
		member, _ := node.Get(key)
		if err := readField(key, &member, reg); err != nil {
			return err
		}
	}
	return nil
}

func readField(key string, n *luavm.Node, reg *Registration) error {
	switch list := filterList(&reg.Filter, key); {
	case list != nil:
		return readNames(n, list)
	case key == "rule" && n.Kind() == luavm.KindString:
		if reg.Rule = n.Str(); reg.Rule == "" {
			return fmt.Errorf("%s: the name of a rule is not empty", n.Path())
		}
	case key == "raw" && n.Kind() == luavm.KindBool:
		reg.Raw = n.Bool()
	case key == "rule":
		return mismatch(n, "a string")
	case key == "raw":
		return mismatch(n, "a boolean")
	default:
		return fmt.Errorf("filter.%s: no such field in a filter%s", key, schema.Hint(key, filterKeys))
	}
	return nil
}

func mismatch(n *luavm.Node, want string) error {
	return fmt.Errorf("%s: want %s, got a %s", n.Path(), want, n.TypeName())
}

func readNames(n *luavm.Node, list *[]string) error {
	if n.Kind() == luavm.KindString {
		*list = []string{n.Str()}
		return nil
	}
	items, err := n.Items()
	if err != nil || len(items) == 0 {
		return fmt.Errorf("%s: want a string or a list of strings that is not empty", n.Path())
	}
	for i := range items {
		item := &items[i]
		if item.Kind() != luavm.KindString {
			return mismatch(item, "a string")
		}
		*list = append(*list, item.Str())
	}
	return nil
}

// A place is a line of a script or of a file that it requires.
type place struct {
	file string
	line int // 0 if unknown
}

func (p place) String() string {
	if p.line <= 0 {
		return p.file
	}
	return p.file + ":" + strconv.Itoa(p.line)
}

// where returns the place from which a script called the host function under
// way.
func where(L *lua.LState) place {
	file, line := luavm.Caller(L)
	return place{file, line}
}
