package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// ParseJSON reads one JSON value with nothing but white space around it. Errors
// are of type *Error.
func ParseJSON(data []byte) (*Node, error) {
	if !utf8.Valid(data) {
		return nil, &Error{Line: 1 + bytes.Count(validPrefix(data), []byte("\n")), Text: "not UTF-8"}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	p := &jsonReader{data: data, dec: dec, line: 1}
	root, err := p.value()
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, p.fail(err)
	}
	return root, nil
}

func validPrefix(data []byte) []byte {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return data[:i]
		}
		i += size
	}
	return data
}

// maxDepth bounds how deep arrays and objects nest.
const maxDepth = 10_000

type jsonReader struct {
	data []byte
	dec  *json.Decoder
	done int // all before this offset is counted in line
	line int

	depth int // of what is open
}

// token returns the next token, its line and its bytes.
func (p *jsonReader) token() (json.Token, int, []byte, error) {
	before := int(p.dec.InputOffset())
	t, err := p.dec.Token()
	if err != nil {
		return nil, 0, nil, err
	}
	after := int(p.dec.InputOffset())
	start := before + len(p.data[before:after]) - len(bytes.TrimLeft(p.data[before:after], " \t\r\n,:"))
	return t, p.lineAt(start), p.data[start:after], nil
}

func (p *jsonReader) lineAt(offset int) int {
	p.line += bytes.Count(p.data[p.done:offset], []byte("\n"))
	p.done = offset
	return p.line
}

func (p *jsonReader) value() (*Node, error) {
	t, line, raw, err := p.token()
	if err != nil {
		return nil, err
	}
	n := &Node{Line: line, Text: string(raw)}
	switch v := t.(type) {
	case nil:
		n.Kind = Null
	case bool:
		n.Kind = Bool
	case json.Number:
		n.Kind = Number
	case string:
		n.Kind, n.Text, n.Lone = String, v, lone(raw)
	case json.Delim:
		n.Text = ""
		return n, p.inside(n, v)
	}
	return n, nil
}

func (p *jsonReader) inside(n *Node, open json.Delim) error {
	if p.depth++; p.depth > maxDepth {
		return &Error{Line: n.Line, Text: "it nests too deeply"}
	}
	defer func() { p.depth-- }()
	if open == '{' {
		n.Kind = Object
		return p.members(n)
	}
	n.Kind = Array
	return p.items(n)
}

func (p *jsonReader) members(n *Node) error {
	for p.dec.More() {
		name, line, raw, err := p.token()
		if err != nil {
			return err
		}
		v, err := p.value()
		if err != nil {
			return err
		}
		text, _ := name.(string) // the decoder lets nothing else through
		n.Members = append(n.Members, Member{Name: text, Line: line, Value: v, Lone: lone(raw)})
	}
	_, _, _, err := p.token()
	return err
}

func (p *jsonReader) items(n *Node) error {
	for p.dec.More() {
		v, err := p.value()
		if err != nil {
			return err
		}
		n.Items = append(n.Items, v)
	}
	_, _, _, err := p.token()
	return err
}

func (p *jsonReader) end() error {
	_, line, _, err := p.token()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return &Error{Line: line, Text: "something follows the end of the JSON value"}
}

// fail gives the decoder's error a line and our words.
func (p *jsonReader) fail(err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	text := strings.TrimPrefix(err.Error(), "json: ")
	at := int(p.dec.InputOffset())
	var syntax *json.SyntaxError
	switch {
	case len(bytes.TrimSpace(p.data)) == 0:
		text = "the file is empty"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		text, at = "the file ends within a value", len(p.data)
	case errors.As(err, &syntax):
		at = max(at, min(int(syntax.Offset)-1, len(p.data)))
	}
	line := 1 + bytes.Count(p.data[:min(at, len(p.data))], []byte("\n"))
	return &Error{Line: line, Text: text}
}

// lone reports whether the string literal escapes half of a surrogate pair.
func lone(raw []byte) bool {
	for i := 0; i+5 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if !surrogate(raw[i:], '8', 'b') && !surrogate(raw[i:], 'c', 'f') {
			i++
			continue
		}
		if !surrogate(raw[i:], '8', 'b') || !surrogate(raw[i+6:], 'c', 'f') {
			return true
		}
		i += 11
	}
	return false
}

// surrogate reports whether raw begins with an escape \udXhh with X in [from, to].
func surrogate(raw []byte, from, to byte) bool {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' || raw[2]|0x20 != 'd' {
		return false
	}
	x := raw[3]
	if x >= 'A' {
		x |= 0x20
	}
	return from <= x && x <= to
}
