package stdlib

import (
	"errors"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

// maxJSON bounds a document, in bytes.
const maxJSON = 1 << 20

// bytesPerNode is what a value of a document takes in memory, at most.
const bytesPerNode = 64

func jsonModule() Module {
	return Module{
		Name: "json",
		Doc: "Reads and writes JSON without loss, and has what Lua lacks to say in JSON: null, and a list that is empty. " +
			"Integers that a float would round are strings of their digits in Lua; handed back, they are the number again.",
		Fields:  []Field{{"null", "dsh.json.Null", "Stands for null where a table becomes JSON."}},
		Classes: []Class{{Name: "dsh.json.Null", Doc: "The value of json.null."}},
		Functions: []Function{
			{
				Name: "decode", Doc: "Reads one JSON text of at most 1 MiB, 100 levels deep. The result cannot be changed; json.thaw copies it. Of several members with one name the last counts, at the place of the first. A text that is not JSON raises an error that says where.",
				Params: []Field{{"text", "string", "the JSON"}}, Returns: []Field{{"", "any", "a frozen table, or a scalar"}},
				Call: jsonDecode,
			},
			{
				Name: "encode", Doc: "Writes a value as JSON on one line; the members of a table in the order of their names. Functions, numbers that are not finite, and tables with mixed keys or a metatable raise an error.",
				Params: []Field{{"value", "any", "what to write"}}, Returns: []Field{{"", "string", ""}},
				Call: jsonEncode,
			},
			{
				Name: "array", Doc: "Copies a list, so that it is one in JSON even while it is empty.",
				Params: []Field{{"list?", "any[]", "nothing for an empty list"}}, Returns: []Field{{"", "any[]", ""}},
				Call: jsonArray,
			},
			{
				Name: "thaw", Doc: "Copies a frozen table, such as a part of a payload, into an ordinary one.",
				Params: []Field{{"value", "any", ""}}, Returns: []Field{{"", "any", ""}},
				Call: func(c *Call) error { return c.Return(c.vm.Thaw(c.Arg(1))) },
			},
		},
		Open: func(e *Env) map[string]lua.LValue { return map[string]lua.LValue{"null": e.vm.Null()} },
	}
}

func jsonDecode(c *Call) error {
	text, err := c.Capped(1, maxJSON)
	if err != nil {
		return err
	}
	c.Charge(len(text) / bytesPerStep)
	nodes := 1 + strings.Count(text, ",") + strings.Count(text, "[") + strings.Count(text, "{")
	c.vm.Build(nodes * bytesPerNode)
	doc, err := value.ParseString(text)
	if err != nil {
		return err
	}
	return c.Return(c.vm.Freeze(doc, nil, nil))
}

func jsonEncode(c *Call) error {
	doc, err := c.Value(1, "value")
	if err != nil {
		return err
	}
	return c.ReturnText(string(doc.AppendJSON(nil)))
}

var errArray = errors.New("list: want a list")

func jsonArray(c *Call) error {
	out := c.vm.Table(0, 0)
	if c.Arg(1) != lua.LNil {
		node := c.vm.Reader("list").Root(c.Arg(1))
		if kind := node.Kind(); kind != luavm.KindList && kind != luavm.KindEmpty {
			return errArray
		}
		items, err := node.Items()
		if err != nil {
			return errArray
		}
		c.Charge(stepsPerItem * (1 + len(items)))
		for i, item := range items {
			out.RawSetInt(i+1, item.LValue())
		}
	}
	c.vm.MarkList(out)
	return c.Return(out)
}
