// Package payload writes the JSON that hooks read on their standard input: one
// compact object, fields in the order in which they are added, and no character
// escaped that need not be, as both clients write it.
package payload

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/dsh-lua/dsh/hookproto/document"
)

// An Object is a JSON object under construction. The zero Object is empty.
type Object struct{ b bytes.Buffer }

func (o *Object) name(name string) {
	if o.b.Len() == 0 {
		o.b.WriteByte('{')
	} else {
		o.b.WriteByte(',')
	}
	o.b.Write(document.Quote(name))
	o.b.WriteByte(':')
}

// Text adds a string. Bytes that are not UTF-8 become U+FFFD.
func (o *Object) Text(name, value string) *Object {
	o.name(name)
	o.b.Write(document.Quote(value))
	return o
}

// Optional adds a string unless it is empty.
func (o *Object) Optional(name, value string) *Object {
	if value == "" {
		return o
	}
	return o.Text(name, value)
}

// Nullable adds a string, or null for nil.
func (o *Object) Nullable(name string, value *string) *Object {
	if value == nil {
		return o.Raw(name, nil)
	}
	return o.Text(name, *value)
}

// Bool adds a boolean.
func (o *Object) Bool(name string, value bool) *Object {
	o.name(name)
	o.b.WriteString(strconv.FormatBool(value))
	return o
}

// Int adds a whole number.
func (o *Object) Int(name string, value int) *Object {
	o.name(name)
	o.b.WriteString(strconv.Itoa(value))
	return o
}

// Raw adds a JSON value in compact form; nil and what is no JSON are null.
func (o *Object) Raw(name string, value json.RawMessage) *Object {
	o.name(name)
	before := o.b.Len()
	if err := json.Compact(&o.b, value); err != nil || len(value) == 0 {
		o.b.Truncate(before)
		o.b.WriteString("null")
	}
	return o
}

// OptionalRaw adds a JSON value unless it is nil.
func (o *Object) OptionalRaw(name string, value json.RawMessage) *Object {
	if value == nil {
		return o
	}
	return o.Raw(name, value)
}

// Bytes returns the finished object, without a newline.
func (o *Object) Bytes() []byte {
	if o.b.Len() == 0 {
		return []byte("{}")
	}
	return append(bytes.Clone(o.b.Bytes()), '}')
}
