package value

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the compact JSON text of v to b: members in their order,
// numbers as they were written, no escaping beyond what JSON demands. An absent
// v is written as null.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.kind {
	case Bool:
		return strconv.AppendBool(b, v.num != 0)
	case Number:
		return append(b, v.numberText()...)
	case String:
		return AppendString(b, v.text)
	case List:
		b = append(b, '[')
		for i, item := range v.node.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.AppendJSON(b)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i, m := range v.members() {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, m.Key), ':')
			b = m.Value.AppendJSON(b)
		}
		return append(b, '}')
	case Absent, Null:
	}
	return append(b, "null"...)
}

// numberText is the literal that a number was written with, or else the
// shortest one, in the form ECMAScript gives it.
func (v Value) numberText() string {
	if v.text != "" {
		return v.text
	}
	if v.num == math.Trunc(v.num) && math.Abs(v.num) < MaxSafeInteger {
		if v.num == 0 && math.Signbit(v.num) {
			return "-0"
		}
		return strconv.FormatInt(int64(v.num), 10)
	}
	form := byte('f')
	if abs := math.Abs(v.num); abs < 1e-6 || abs >= 1e21 {
		form = 'e'
	}
	s := strconv.FormatFloat(v.num, form, -1, 64)
	if n := len(s); form == 'e' && n >= 4 && s[n-2] == '0' && s[n-4] == 'e' {
		s = s[:n-2] + s[n-1:] // e-07 is written e-7
	}
	return s
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Only quotes, backslashes and control
// characters are escaped; bytes that are not UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
		}
		b = appendEscape(append(b, s[start:i]...), c)
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch {
	case c >= utf8.RuneSelf:
		return append(b, "\uFFFD"...)
	case c == '"', c == '\\':
		return append(b, '\\', c)
	case c == '\n':
		return append(b, `\n`...)
	case c == '\r':
		return append(b, `\r`...)
	case c == '\t':
		return append(b, `\t`...)
	case c == '\b':
		return append(b, `\b`...)
	case c == '\f':
		return append(b, `\f`...)
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// String returns v itself if it is a string, else its JSON text; it is empty
// for an absent value.
func (v Value) String() string {
	switch v.kind {
	case Absent:
		return ""
	case String:
		return v.text
	default:
		return string(v.AppendJSON(nil))
	}
}

// MarshalJSON implements [encoding/json.Marshaler].
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (v *Value) UnmarshalJSON(text []byte) error {
	x, err := Parse(text)
	if err == nil {
		*v = x
	}
	return err
}
