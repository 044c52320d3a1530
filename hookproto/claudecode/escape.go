package claudecode

import (
	"errors"
	"fmt"
	"strconv"
)

// escape writes what follows a backslash outside of brackets.
func (t *translator) escape() (repeatable bool, err error) {
	t.at++
	if t.end() {
		return false, errors.New(`\ at the end`)
	}
	c := t.in[t.at]
	switch {
	case c == 'b' || c == 'B':
		t.at++
		if c == 'B' {
			t.out.WriteString("(?!" + boundary + ")")
			return false, nil
		}
		t.out.WriteString(boundary)
		return false, nil
	case c >= '1' && c <= '9':
		if n, length := t.number(); n <= t.total {
			t.at += length
			t.back(n)
			return true, nil
		}
	case c == 'k' && len(t.names) > 0:
		t.at++
		name := ""
		if t.take("<") {
			name = t.name(t.at)
		}
		if t.names[name] == 0 {
			return false, errors.New("reference to a group that is not there")
		}
		t.at += len([]rune(name)) + 1
		t.back(t.names[name])
		return true, nil
	}
	if set, is := t.set(); is {
		t.out.WriteString("[" + set + "]")
		return true, nil
	}
	t.literal(t.character(false))
	return true, nil
}

// number reads a decimal number without moving on.
func (t *translator) number() (n, length int) {
	end := t.at
	for end < len(t.in) && t.in[end] >= '0' && t.in[end] <= '9' && end-t.at < 9 {
		end++
	}
	n, _ = strconv.Atoi(string(t.in[t.at:end]))
	return n, end - t.at
}

// back writes a reference to a group; one that has matched nothing is empty.
func (t *translator) back(n int) { fmt.Fprintf(&t.out, `(?:(?(%d)\k<%d>|))`, n, n) }

// set takes an escape that stands for many characters.
func (t *translator) set() (class string, is bool) {
	c := t.in[t.at]
	if both, known := classes[c]; known {
		t.at++
		return both[0], true
	}
	if both, known := classes[c|0x20]; known && c >= 'A' && c <= 'Z' {
		t.at++
		return both[1], true
	}
	return "", false
}

// character takes an escape that stands for one character.
func (t *translator) character(bracketed bool) rune {
	c := t.in[t.at]
	t.at++
	if control, is := controls[c]; is {
		return control
	}
	switch {
	case c == 'b' && bracketed:
		return '\b'
	case c == 'x' || c == 'u':
		return t.hex(c)
	case c == 'c':
		return t.control(bracketed)
	case c >= '0' && c <= '7':
		t.at--
		return t.octal()
	}
	return c
}

func (t *translator) hex(c rune) rune {
	length := 2
	if c == 'u' {
		length = 4
	}
	if len(t.in)-t.at < length {
		return c
	}
	v, err := strconv.ParseUint(string(t.in[t.at:t.at+length]), 16, 16)
	if err != nil {
		return c
	}
	t.at += length
	return rune(v)
}

// control takes the letter of \cX; without one, the backslash is a character.
func (t *translator) control(bracketed bool) rune {
	if !t.end() {
		c := t.in[t.at]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || bracketed && (c >= '0' && c <= '9' || c == '_') {
			t.at++
			return c & 31
		}
	}
	t.at--
	return '\\'
}

// octal takes up to three octal digits, at most 0377.
func (t *translator) octal() rune {
	var v rune
	for i := 0; i < 3 && !t.end() && t.in[t.at] >= '0' && t.in[t.at] <= '7' && v*8+t.in[t.at]-'0' <= 0o377; i++ {
		v = v*8 + t.in[t.at] - '0'
		t.at++
	}
	return v
}

// class writes what stands in brackets.
func (t *translator) class() error {
	t.at++
	negated := t.take("^")
	set, items := "", 0
	for ; !t.end() && t.in[t.at] != ']'; items++ {
		part, err := t.classRange()
		if err != nil {
			return err
		}
		set += part
	}
	if !t.take("]") {
		return errors.New("unterminated [")
	}
	switch {
	case items == 0 && negated:
		t.out.WriteString("[" + everything + "]")
	case items == 0:
		t.out.WriteString("(?:(?!))")
	case negated:
		t.out.WriteString("[^" + set + "]")
	default:
		t.out.WriteString("[" + set + "]")
	}
	return nil
}

// classRange takes one item of a class, or a range.
func (t *translator) classRange() (string, error) {
	low, lowSet, err := t.classAtom()
	if err != nil || !t.rest("-") || t.at+1 >= len(t.in) || t.in[t.at+1] == ']' {
		return lowSet, err
	}
	t.at++
	high, highSet, err := t.classAtom()
	switch {
	case err != nil:
		return "", err
	case low < 0 || high < 0: // a range of classes is a list with a hyphen
		return lowSet + spell('-') + highSet, nil
	case high < low:
		return "", errors.New("range out of order in []")
	}
	return spell(low) + "-" + spell(high), nil
}

// classAtom takes one item: a character, or a set and -1.
func (t *translator) classAtom() (rune, string, error) {
	c := t.in[t.at]
	if c != '\\' {
		t.at++
		return c, spell(c), nil
	}
	t.at++
	if t.end() {
		return 0, "", errors.New(`\ at the end`)
	}
	if set, is := t.set(); is {
		return -1, set, nil
	}
	c = t.character(true)
	return c, spell(c), nil
}
