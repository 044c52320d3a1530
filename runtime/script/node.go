package script

import (
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// node reads a Lua value as a [schema.Node].
type node struct{ n luavm.Node }

// jsonKinds maps kinds of Lua values to those of JSON.
var jsonKinds = map[luavm.Kind]value.Kind{
	luavm.KindNil: value.Absent, luavm.KindNull: value.Null, luavm.KindBool: value.Bool, luavm.KindNumber: value.Number,
	luavm.KindString: value.String, luavm.KindList: value.List, luavm.KindObject: value.Object,
}

func (n node) Kind(want value.Kind) value.Kind {
	switch kind := n.n.Kind(); {
	case kind == luavm.KindEmpty && want == value.List:
		return value.List
	case kind == luavm.KindEmpty:
		return value.Object
	default:
		return jsonKinds[kind]
	}
}

func (n node) Scalar() value.Value {
	switch n.n.Kind() {
	case luavm.KindNull:
		return value.NullValue()
	case luavm.KindBool:
		return value.OfBool(n.n.Bool())
	case luavm.KindNumber:
		return value.OfFloat(n.n.Number())
	case luavm.KindString:
		return value.OfString(n.n.Str())
	default:
		return value.Value{}
	}
}

func (n node) Get(key string) schema.Node {
	member, ok := n.n.Get(key)
	if !ok {
		return nil
	}
	return node{member}
}

func (n node) Keys() ([]string, error) { return n.n.Keys() }

func (n node) Items() ([]schema.Node, error) {
	items, err := n.n.Items()
	if err != nil {
		return nil, err
	}
	nodes := make([]schema.Node, len(items))
	for i, item := range items {
		nodes[i] = node{item}
	}
	return nodes, nil
}

func (n node) JSON() (value.Value, error) { return n.n.Value() }

func (n node) Text() string {
	switch n.n.Kind() {
	case luavm.KindEmpty:
		return "an empty table"
	case luavm.KindString, luavm.KindNumber, luavm.KindBool, luavm.KindNull:
		return schema.Shorten(string(n.Scalar().AppendJSON(nil)))
	case luavm.KindList, luavm.KindObject:
		if v, err := n.n.Value(); err == nil {
			return schema.Shorten(string(v.AppendJSON(nil)))
		}
	case luavm.KindNil, luavm.KindMixed, luavm.KindOther:
	}
	return luavm.TypeName(n.n.LValue())
}

var _ schema.Node = node{}
