package script

import (
	"fmt"
	"math"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/schema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// node reads a Lua value as a [schema.Node].
type node struct {
	n     luavm.Node
	texts *texts
}

// maxTexts bounds the texts of one answer, in bytes. What a point takes as JSON
// of any shape, such as arguments, does not count.
const maxTexts = 256 << 10

// texts counts those of one answer.
type texts struct {
	bytes int
	err   error // where they became too long
}

func (t *texts) add(n luavm.Node) {
	if t.bytes += len(n.Str()); t.bytes > maxTexts && t.err == nil {
		t.err = fmt.Errorf("%s: the text of the answer is longer than %d bytes", n.Path(), maxTexts)
	}
}

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
		n.texts.add(n.n)
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
	return node{member, n.texts}
}

func (n node) Keys() ([]string, error) { return n.n.Keys() }

func (n node) Items() ([]schema.Node, error) {
	items, err := n.n.Items()
	if err != nil {
		return nil, err
	}
	nodes := make([]schema.Node, len(items))
	for i, item := range items {
		nodes[i] = node{item, n.texts}
	}
	return nodes, nil
}

func (n node) JSON() (value.Value, error) { return n.n.Value() }

func (n node) Text() string {
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
	return luavm.TypeName(n.n.LValue())
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

var _ schema.Node = node{}
