package document

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// ParseTOML reads a TOML document as an object. Errors are of type *Error.
func ParseTOML(data []byte) (*Node, error) {
	var checked map[string]any
	if err := toml.Unmarshal(data, &checked); err != nil {
		return nil, tomlError(err)
	}
	p := &tomlReader{root: &Node{Kind: Object, Line: 1}, line: 1}
	p.at = p.root
	p.parser.Reset(data)
	for p.parser.NextExpression() {
		p.expression(p.parser.Expression())
	}
	if err := p.parser.Error(); err != nil {
		return nil, tomlError(err)
	}
	return p.root, nil
}

func tomlError(err error) error {
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return &Error{Text: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	line, _ := at.Position()
	return &Error{Line: line, Text: strings.TrimPrefix(at.Error(), "toml: ")}
}

// A tomlReader builds the tree from expressions that are known to fit together.
type tomlReader struct {
	parser unstable.Parser
	root   *Node
	at     *Node // the table that key-values go to

	done, line int // all before the offset done is counted in line
}

func (p *tomlReader) expression(e *unstable.Node) {
	switch e.Kind {
	case unstable.Comment:
		return
	case unstable.KeyValue:
		p.keyValue(p.at, e)
		return
	default:
	}
	path, line := p.key(e.Key())
	last := len(path) - 1
	switch e.Kind {
	case unstable.ArrayTable:
		p.at = appendTable(descend(p.root, path[:last], line), path[last], line)
	default:
		p.at = descend(p.root, path, line)
	}
}

func (p *tomlReader) keyValue(into *Node, e *unstable.Node) {
	path, line := p.key(e.Key())
	last := len(path) - 1
	value := p.value(e.Value(), line)
	table := descend(into, path[:last], line)
	table.Members = append(table.Members, Member{Name: path[last], Line: line, Value: value})
}

func (p *tomlReader) key(k unstable.Iterator) ([]string, int) {
	var path []string
	line := 0
	for k.Next() {
		n := k.Node()
		path = append(path, string(n.Data))
		if line == 0 {
			line = p.lineOf(n, 1)
		}
	}
	return path, line
}

// lineOf returns the line of a node, or the one it was said to be near. Nodes are
// asked for in their order, so that each line is counted once.
func (p *tomlReader) lineOf(n *unstable.Node, near int) int {
	offset := int(n.Raw.Offset)
	if n.Raw.Length == 0 || offset < p.done || offset > len(p.parser.Data()) {
		return near
	}
	p.line += bytes.Count(p.parser.Data()[p.done:offset], []byte("\n"))
	p.done = offset
	return p.line
}

func (p *tomlReader) value(e *unstable.Node, near int) *Node {
	n := &Node{Line: p.lineOf(e, near), Text: string(e.Data)}
	switch e.Kind {
	case unstable.String:
		n.Kind = String
	case unstable.Bool:
		n.Kind = Bool
	case unstable.Integer, unstable.Float:
		n.Kind, n.Text = number(n.Text)
	case unstable.Array:
		n.Kind, n.Text = Array, ""
		for c := e.Children(); c.Next(); {
			if c.Node().Kind != unstable.Comment {
				n.Items = append(n.Items, p.value(c.Node(), n.Line))
			}
		}
	case unstable.InlineTable:
		n.Kind, n.Text = Object, ""
		for c := e.Children(); c.Next(); {
			if c.Node().Kind == unstable.KeyValue {
				p.keyValue(n, c.Node())
			}
		}
	default:
		n.Kind = Date
	}
	return n
}

// number returns a TOML number as JSON would write it; infinities and what is
// not a number are texts.
func number(text string) (Kind, string) {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return Number, strconv.FormatInt(n, 10)
	}
	text = strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+")
	if strings.HasSuffix(text, "inf") || strings.HasSuffix(text, "nan") {
		return String, text
	}
	return Number, text
}

// descend walks into tables, making those that are missing. Where an array of
// tables stands, its last one is meant.
func descend(n *Node, path []string, line int) *Node {
	for _, name := range path {
		next := n.Get(name)
		if next == nil {
			next = &Node{Kind: Object, Line: line}
			n.Members = append(n.Members, Member{Name: name, Line: line, Value: next})
		}
		if next.Kind == Array && len(next.Items) > 0 {
			next = next.Items[len(next.Items)-1]
		}
		n = next
	}
	return n
}

func appendTable(n *Node, name string, line int) *Node {
	list := n.Get(name)
	if list == nil {
		list = &Node{Kind: Array, Line: line}
		n.Members = append(n.Members, Member{Name: name, Line: line, Value: list})
	}
	table := &Node{Kind: Object, Line: line}
	list.Items = append(list.Items, table)
	return table
}

// Path writes a place within a document: hooks.Stop[0].hooks[1].
func Path(steps ...any) string {
	var b strings.Builder
	for _, s := range steps {
		switch s := s.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", s)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, s)
		}
	}
	return b.String()
}
