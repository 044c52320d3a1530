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
	reg, handler, err := m.registration(L)
	if err != nil {
		m.vm.Stop(L, err)
	}
	inst := m.loading
	inst.registered = append(inst.registered, reg)
	inst.handlers = append(inst.handlers, handler)
	return 0
}

func (m *machine) registration(L *lua.LState) (reg Registration, handler *lua.LFunction, err error) {
	if m.loading == nil {
		return reg, nil, errLate
	}
	if m.module != "" {
		return reg, nil, errModule
	}
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
	return fmt.Errorf("%s: want %s, got a %s", n.Path(), want, luavm.TypeName(n.LValue()))
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
