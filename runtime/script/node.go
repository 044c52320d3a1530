package script

import (
	"errors"
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// An answer is what one handler returned, while it is read. A machine uses one
// for all its runs.
type answer struct {
	reader *luavm.Reader
	nodes  []node // handed out; what does not fit is allocated one by one
	bytes  int    // of texts
	err    error  // where they became too long
}

// maxTexts bounds the texts of one answer, in bytes. What a point takes as JSON
// of any shape, such as arguments, does not count.
const maxTexts = 256 << 10

// firstNodes is how many nodes an answer has room for from the start.
const firstNodes = 8

// begin makes a ready to read v, and returns its root.
func (a *answer) begin(vm *luavm.VM, v lua.LValue) *node {
	if a.reader == nil {
		a.reader, a.nodes = vm.Reader(point.DecisionPath), make([]node, 0, firstNodes)
	}
	a.bytes, a.err = 0, nil
	return a.node(*a.reader.Begin(v))
}

// end forgets what was read: its nodes hold values of the run.
func (a *answer) end() {
	if a.reader != nil {
		a.reader.Begin(lua.LNil)
	}
	clear(a.nodes)
	a.nodes, a.err = a.nodes[:0], nil
}

// node hands out a node that stays where it is.
func (a *answer) node(n luavm.Node) *node {
	if len(a.nodes) == cap(a.nodes) {
		return &node{n, a}
	}
	a.nodes = append(a.nodes, node{n, a})
	return &a.nodes[len(a.nodes)-1]
}

// fits adds a text to those of the answer, if it fits. What does not is read by
// [node.Scalar], which can say where it is.
func (a *answer) fits(text value.Value) bool {
	s, _ := text.Str()
	if a.bytes+len(s) > maxTexts {
		return false
	}
	a.bytes += len(s)
	return true
}

// node reads a Lua value as a [schema.Node].
type node struct {
	n      luavm.Node
	answer *answer
}

// jsonKinds maps kinds of Lua values to those of JSON.
var jsonKinds = [...]value.Kind{
	luavm.KindNil: value.Absent, luavm.KindNull: value.Null, luavm.KindBool: value.Bool, luavm.KindNumber: value.Number,
	luavm.KindString: value.String, luavm.KindList: value.List, luavm.KindObject: value.Object,
	luavm.KindMixed: value.Absent, luavm.KindOther: value.Absent,
}

func (n *node) Kind(want value.Kind) value.Kind {
	switch kind := n.n.Kind(); {
	case kind == luavm.KindEmpty && want == value.List:
		return value.List
	case kind == luavm.KindEmpty:
		return value.Object
	default:
		return jsonKinds[kind]
	}
}

func (n *node) Scalar() value.Value {
	v, text := scalar(n.n.LValue())
	switch {
	case text && !n.answer.fits(v) && n.answer.err == nil:
		n.answer.err = fmt.Errorf("%s: the text of the answer is longer than %d bytes", n.n.Path(), maxTexts)
	case n.n.Kind() == luavm.KindNull:
		return value.NullValue()
	}
	return v
}

// scalar returns v if it is a boolean, a number that JSON has, or a text.
func scalar(v lua.LValue) (scalar value.Value, text bool) {
	switch v := v.(type) {
	case lua.LBool:
		return value.OfBool(bool(v)), false
	case lua.LNumber:
		return value.OfFloat(float64(v)), false
	case lua.LString:
		return value.OfString(string(v)), true
	}
	return value.Value{}, false
}

func (n *node) Member(key string) (v value.Value, ok bool) {
	member := n.n.Member(key)
	if member == lua.LNil {
		return v, true
	}
	v, text := scalar(member)
	if text {
		return v, n.answer.fits(v)
	}
	return v, !v.IsAbsent()
}

func (n *node) Get(key string) schema.Node {
	member, ok := n.n.Get(key)
	if !ok {
		return nil
	}
	return n.answer.node(member)
}

func (n *node) Len() (int, error) { return n.n.Len() }

func (n *node) Keys() ([]string, error) {
	keys, err := n.n.Keys()
	return keys, n.placeless(err)
}

// placeless takes the path off an error about n: whoever asked puts it in front.
func (n *node) placeless(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), n.n.Path()+": "))
}

func (n *node) Items() ([]schema.Node, error) {
	items, err := n.n.Items()
	if err != nil {
		return nil, n.placeless(err)
	}
	nodes := make([]schema.Node, len(items))
	for i := range items {
		nodes[i] = &node{items[i], n.answer}
	}
	return nodes, nil
}

func (n *node) JSON() (value.Value, error) { return n.n.Value() }

func (n *node) Text() string {
	switch n.n.Kind() {
	case luavm.KindEmpty:
		return "an empty table"
	case luavm.KindNumber:
		return numberText(n.n.Number())
	case luavm.KindString, luavm.KindBool, luavm.KindNull:
		return schema.Shorten(string(n.Scalar().AppendJSON(nil)))
	case luavm.KindList, luavm.KindObject:
		if v, err := n.n.Value(); err == nil {
			return schema.Shorten(string(v.AppendJSON(nil)))
		}
	case luavm.KindNil, luavm.KindMixed, luavm.KindOther:
	}
	return n.n.TypeName()
}

// numberText shows a number, also those that JSON does not have.
func numberText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return string(value.OfFloat(f).AppendJSON(nil))
}

var _ schema.Node = (*node)(nil)
