// Package payload writes the JSON that hooks read on their standard input: one
// compact object, fields in the order of the Go struct, and no character escaped
// that need not be, as both clients write it.
package payload

import (
	"bytes"
	"encoding/json"

	"github.com/dsh-lua/dsh/hookproto/document"
)

// Marshal encodes a payload, without a newline. Raw values that are no JSON are
// an error; strings that are not UTF-8 get U+FFFD.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return document.Unescape(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}
