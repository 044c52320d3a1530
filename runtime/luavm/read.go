package luavm

import (
	"fmt"
	"math"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/value"
)

// Kind classifies what a script returns.
type Kind uint8

// The kinds of a [Node].
const (
	KindNil    Kind = iota
	KindNull        // json null, see [VM.Null]
	KindBool        //
	KindNumber      //
	KindString      //
	KindEmpty       // a table without items: a list or an object, as the reader needs
	KindList        // keys 1 to n
	KindObject      // keys are strings
	KindMixed       // a table with keys of both sorts, holes, or other keys
	KindOther       // a function, a value of the host, or a table with a metatable: nothing that JSON has
)

var kindNames = [...]string{
	"nil", "null", "boolean", "number", "string", "empty table", "list", "table", "table with mixed keys", "value that is not data",
}

// String returns the name of k as messages use it.
func (k Kind) String() string { return kindNames[k] }

// Bounds of what a script may return.
const (
	maxNodes     = 10_000
	maxReadDepth = 32
)

// A Reader reads one value that came from a script. It sees raw fields only and
// runs no metamethods; a table that a script gave a metatable is no data, as what
// that adds would be lost. One Reader reads at most 10,000 values, 32 levels deep.
type Reader struct {
	vm    *VM
	what  string
	nodes int
	root  Node
	keys  int // of tables that were looked at
}

// Reader returns a reader; what names its root in the paths of errors ("decision").
func (vm *VM) Reader(what string) *Reader { return &Reader{vm: vm, what: what} }

// A Node is one value within what a Reader reads. It must stay where it is as
// long as nodes below it are in use, and tables must not change meanwhile.
type Node struct {
	r      *Reader
	v      lua.LValue
	parent *Node
	key    string // in parent, or
	index  int    // if not 0

	kind     Kind // of a table, once it was surveyed
	surveyed bool
	count    int // of its keys
}

// Work returns how many values and keys were looked at so far. Whoever reads on
// behalf of a script charges for them.
func (r *Reader) Work() int { return r.nodes + r.keys }

// Begin makes r ready to read v as the first of its values, and returns v's node.
// It ends the use of all nodes that r returned before.
func (r *Reader) Begin(v lua.LValue) *Node {
	r.nodes = 0
	return r.Root(v)
}

// Root returns the node for v. It ends the use of the one returned before.
func (r *Reader) Root(v lua.LValue) *Node {
	r.root = Node{r: r, v: v}
	return &r.root
}

// ToValue converts v to JSON; what names it in errors. An empty table that is
// not marked as a list becomes an object.
func (vm *VM) ToValue(what string, v lua.LValue) (value.Value, error) {
	return vm.Reader(what).Root(v).Value()
}

// LValue returns the Lua value itself.
func (n *Node) LValue() lua.LValue { return n.v }

// Path returns where n stands, such as "decision.contexts[2]".
func (n *Node) Path() string {
	switch {
	case n.parent == nil:
		return n.r.what
	case n.index > 0:
		return fmt.Sprintf("%s[%d]", n.parent.Path(), n.index)
	}
	return n.parent.Path() + "." + shorten(n.key)
}

func (n *Node) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %s", n.Path(), fmt.Sprintf(format, args...))
}

// TypeName returns what a script would call the type of n, and of a table that is
// no data why it is none.
func (n *Node) TypeName() string {
	if t, ok := n.v.(*lua.LTable); ok {
		if kind, _ := n.survey(t); kind == KindOther {
			return "table with a metatable"
		}
	}
	return typeName(n.v)
}

// Bool returns n if it is a boolean, else false.
func (n *Node) Bool() bool {
	b, _ := n.v.(lua.LBool)
	return bool(b)
}

// Number returns n if it is a number, else 0. It may be NaN or infinite.
func (n *Node) Number() float64 {
	f, _ := n.v.(lua.LNumber)
	return float64(f)
}

// Str returns n if it is a string, else "".
func (n *Node) Str() string {
	s, _ := n.v.(lua.LString)
	return string(s)
}

// Kind returns the kind of n. For a table it looks at every key.
func (n *Node) Kind() Kind {
	switch v := n.v.(type) {
	case *lua.LNilType:
		return KindNil
	case lua.LBool:
		return KindBool
	case lua.LNumber:
		return KindNumber
	case lua.LString:
		return KindString
	case *lua.LTable:
		kind, _ := n.survey(v)
		return kind
	case *lua.LUserData:
		if v == n.r.vm.null {
			return KindNull
		}
		if f := viewOf(v); f != nil {
			switch {
			case f.isList():
				return KindList
			default:
				return KindObject
			}
		}
	}
	return KindOther
}

// survey is that of the table t, which n is, done once.
func (n *Node) survey(t *lua.LTable) (kind Kind, count int) {
	switch p := n.r.vm.pendingOf(t); {
	case n.surveyed:
	case p != nil:
		n.kind, n.count = KindObject, p.size()
	default:
		n.kind, n.count = n.r.survey(n.r.vm.data(t))
	}
	n.surveyed = true
	return n.kind, n.count
}

// survey classifies a table and counts its keys.
func (r *Reader) survey(t *lua.LTable) (kind Kind, count int) {
	numbers, strings := 0, 0
	largest := 0.0
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		r.keys++
		switch k := k.(type) {
		case lua.LString:
			strings++
		case lua.LNumber:
			numbers++
			largest = math.Max(largest, float64(k))
			if f := float64(k); f < 1 || f != math.Trunc(f) {
				return KindMixed, numbers + strings
			}
		default:
			return KindMixed, numbers + strings
		}
	}
	count = numbers + strings
	switch {
	case t.Metatable != lua.LNil && t.Metatable != r.vm.listMeta:
		return KindOther, count
	case count == 0 && t.Metatable == r.vm.listMeta:
		return KindList, 0
	case count == 0:
		return KindEmpty, 0
	case numbers == 0:
		return KindObject, count
	case strings == 0 && largest == float64(numbers):
		return KindList, count
	}
	return KindMixed, count
}

// Get returns the member named key of a table or view, without metamethods;
// false if it is nil.
func (n *Node) Get(key string) (Node, bool) {
	v := n.Member(key)
	return Node{r: n.r, v: v, parent: n, key: key}, v != lua.LNil
}

// Member is [Node.Get] for the Lua value alone; nil if there is none.
func (n *Node) Member(key string) lua.LValue {
	switch t := n.v.(type) {
	case *lua.LTable:
		if p := n.r.vm.pendingOf(t); p != nil {
			return p.get(key)
		}
		return n.r.vm.data(t).RawGetString(key)
	case *lua.LUserData:
		if f := viewOf(t); f != nil {
			return n.r.vm.freeze(f.whole().Get(key), nil)
		}
	}
	return lua.LNil
}

// Len returns the number of members of a table or view: as many as [Node.Keys]
// lists, with the same errors.
func (n *Node) Len() (int, error) {
	if err := n.take(); err != nil {
		return 0, err
	}
	if f := viewOf(n.v); f != nil {
		return f.size(), nil
	}
	return n.fields()
}

// fields counts the keys of a table, which must be strings.
func (n *Node) fields() (int, error) {
	t, ok := n.v.(*lua.LTable)
	if !ok {
		return 0, n.expected("table")
	}
	kind, count := n.survey(t)
	switch {
	case kind != KindObject && kind != KindEmpty:
		return 0, n.expected("table with named fields")
	case count > maxNodes:
		return 0, n.errorf("more than %d values", maxNodes)
	}
	return count, nil
}

// Keys returns the member names of a table or view, sorted. A table with other
// keys than strings is an error.
func (n *Node) Keys() ([]string, error) {
	if err := n.take(); err != nil {
		return nil, err
	}
	if f := viewOf(n.v); f != nil {
		doc := f.whole()
		keys := make([]string, 0, doc.Len())
		for key, member := range doc.Members() {
			if member.Kind() != value.Null {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		return keys, nil
	}
	count, err := n.fields()
	if err != nil {
		return nil, err
	}
	t := n.r.vm.data(n.v.(*lua.LTable))
	keys := make([]string, 0, count)
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		keys = append(keys, string(k.(lua.LString)))
	}
	slices.Sort(keys)
	return keys, nil
}

// Items returns the items of a list; an empty table is an empty list.
func (n *Node) Items() ([]Node, error) {
	if err := n.take(); err != nil {
		return nil, err
	}
	var at func(i int) lua.LValue
	count := 0
	if f := viewOf(n.v); f != nil && f.isList() {
		doc := f.whole()
		count = doc.Len()
		at = func(i int) lua.LValue { return n.r.vm.freeze(doc.At(i-1), nil) }
	} else if t, ok := n.v.(*lua.LTable); ok {
		var kind Kind
		if kind, count = n.survey(t); kind != KindList && kind != KindEmpty {
			return nil, n.expected("list")
		}
		t = n.r.vm.data(t)
		at = func(i int) lua.LValue { return t.RawGet(lua.LNumber(i)) }
	} else {
		return nil, n.expected("list")
	}
	if count > maxNodes {
		return nil, n.errorf("more than %d values", maxNodes)
	}
	items := make([]Node, count)
	for i := range items {
		items[i] = Node{r: n.r, v: at(i + 1), parent: n, index: i + 1}
	}
	return items, nil
}

func (n *Node) expected(want string) error {
	return n.errorf("expected %s, got %s", want, n.Describe())
}

// Describe names the kind of n for a message, with the value of a scalar.
func (n *Node) Describe() string {
	switch kind := n.Kind(); kind {
	case KindBool, KindNumber, KindString:
		return kind.String() + " " + scalarText(n.v)
	case KindOther:
		return n.TypeName()
	default:
		return kind.String()
	}
}

// take counts one value, and the depth at which it stands.
func (n *Node) take() error {
	n.r.nodes++
	if n.r.nodes > maxNodes {
		return n.errorf("more than %d values", maxNodes)
	}
	depth := 0
	for p := n.parent; p != nil; p = p.parent {
		if p.v == n.v && n.v.Type() == lua.LTTable {
			return n.errorf("the table contains itself")
		}
		if depth++; depth > maxReadDepth {
			return n.errorf("nested deeper than %d", maxReadDepth)
		}
	}
	return nil
}

// Value converts n, with all below it, to JSON. A view becomes the very value it
// shows; nil becomes null; an empty table becomes an object unless it is marked
// as a list. Numbers must be finite. Errors read "path: what is wrong".
func (n *Node) Value() (value.Value, error) {
	if f := viewOf(n.v); f != nil {
		return f.whole(), nil
	}
	switch kind := n.Kind(); kind {
	case KindNil, KindNull:
		return value.NullValue(), nil
	case KindBool:
		return value.OfBool(n.Bool()), nil
	case KindNumber:
		return n.number()
	case KindString:
		return n.text()
	case KindEmpty, KindObject:
		return n.object()
	case KindList:
		return n.list()
	case KindMixed:
		return value.Value{}, n.errorf("expected a list or named fields, got a %s", kind)
	case KindOther:
	}
	return value.Value{}, n.errorf("expected JSON, got a %s", n.TypeName())
}

func (n *Node) number() (value.Value, error) {
	f := n.Number()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return value.Value{}, n.errorf("expected a finite number, got %s", numberText(lua.LNumber(f)))
	}
	if f == 0 {
		f = 0 // JSON readers disagree about -0
	}
	return value.OfFloat(f), n.take()
}

func (n *Node) text() (value.Value, error) {
	s := n.Str()
	if n.r.vm.wasBig(s) {
		if v, err := value.ParseString(s); err == nil {
			return v, n.take()
		}
	}
	return value.OfString(s), n.take()
}

func (n *Node) object() (value.Value, error) {
	keys, err := n.Keys()
	if err != nil {
		return value.Value{}, err
	}
	members := make([]value.Member, len(keys))
	for i, key := range keys {
		child, _ := n.Get(key)
		v, err := child.Value()
		if err != nil {
			return value.Value{}, err
		}
		members[i] = value.Member{Key: key, Value: v}
	}
	return value.OfObject(members...), nil
}

func (n *Node) list() (value.Value, error) {
	nodes, err := n.Items()
	if err != nil {
		return value.Value{}, err
	}
	items := make([]value.Value, len(nodes))
	for i := range nodes {
		if items[i], err = nodes[i].Value(); err != nil {
			return value.Value{}, err
		}
	}
	return value.OfList(items...), nil
}
