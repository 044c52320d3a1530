// Package value holds the immutable JSON values that cross extension points.
//
// A [Value] is what a script, a bridge and a log see of the same payload, so it
// keeps everything the JSON text said: the order of an object's members, the
// difference between an absent member and a null one, and the digits of a
// number that no float64 can hold. Go cannot freeze a map, so a Value hides its
// storage: constructors copy in, accessors copy scalars out, and nothing hands
// out a reference that could be written through. A Value may therefore be
// shared between goroutines without a lock.
package value

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dsh-lua/dsh/runtime/internal/raw"
)

// A Value is one immutable JSON value, or the absence of one. The zero Value is
// [Absent]: it is what [Value.Get] returns for a member that is not there, and
// it has no JSON form of its own.
type Value struct {
	kind Kind
	num  float64 // of Bool (0 or 1) and Number
	text string  // of String; of Number the literal, if num does not print as it
	node *node   // of List and Object
}

// Kind classifies a [Value].
type Kind uint8

// The kinds of a [Value].
const (
	Absent Kind = iota // no value at all
	Null
	Bool
	Number
	String
	List
	Object
)

var kindNames = [...]string{"nothing", "null", "boolean", "number", "string", "list", "object"}

// String returns the name of k as messages use it.
func (k Kind) String() string { return kindNames[k] }

// A Member is one key of an object with its value.
type Member struct {
	Key   string
	Value Value
}

type node struct {
	items   []Value
	members []Member
	index   map[string]int // of members; nil for small objects
	lazy    *lazy          // makes the members; nil if they are there
}

// indexFrom is the number of members from which a lookup table beats a scan.
const indexFrom = 12

// NullValue is JSON null.
func NullValue() Value { return Value{kind: Null} }

// OfBool returns the JSON boolean b.
func OfBool(b bool) Value {
	if b {
		return Value{kind: Bool, num: 1}
	}
	return Value{kind: Bool}
}

// OfString returns the JSON string s. Bytes that are not UTF-8 stay in s and
// are written as U+FFFD by [Value.AppendJSON].
func OfString(s string) Value { return Value{kind: String, text: s} }

// OfInt returns the JSON number i, exactly.
func OfInt(i int64) Value {
	if f := float64(i); i > -MaxSafeInteger && i < MaxSafeInteger {
		return Value{kind: Number, num: f}
	}
	return Value{kind: Number, num: float64(i), text: strconv.FormatInt(i, 10)}
}

// MaxSafeInteger is 2^53: integers of smaller magnitude are exact as float64.
// Others are kept by their digits and reach Lua as decimal strings.
const MaxSafeInteger = 1 << 53

// OfFloat returns the JSON number f. It is [Absent] if f is not finite, because
// JSON has no such number.
func OfFloat(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}
	}
	return Value{kind: Number, num: f}
}

// OfList returns the JSON list of items. An absent item becomes null.
func OfList(items ...Value) Value {
	list := make([]Value, len(items))
	for i, item := range items {
		list[i] = present(item)
	}
	return Value{kind: List, node: &node{items: list}}
}

// OfObject returns the JSON object with the given members, in order. Absent
// members are left out; of two members with one key the later value wins, at
// the place of the earlier one.
func OfObject(members ...Member) Value { return OwnObject(raw.Access{}, slices.Clone(members)) }

// OwnObject is [OfObject] for members that the caller leaves to it: it must not
// use the slice any more. It is not for other modules.
func OwnObject(_ raw.Access, members []Member) Value {
	b := builder{&node{members: members[:0]}} // members move forward only
	for _, m := range members {
		if m.Value.kind != Absent {
			b.set(m.Key, m.Value)
		}
	}
	return b.value()
}

// OfRecord is [OfObject] for members of which none is absent and no two have one
// key. It copies them. It is not for other modules.
func OfRecord(_ raw.Access, members []Member) Value {
	n := &node{members: slices.Clone(members)}
	if len(members) >= indexFrom {
		n.reindex()
	}
	return Value{kind: Object, node: n}
}

func (n *node) reindex() {
	n.index = make(map[string]int, 2*len(n.members))
	for i := range n.members {
		n.index[n.members[i].Key] = i
	}
}

func present(v Value) Value {
	if v.kind == Absent {
		return NullValue()
	}
	return v
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

// IsAbsent reports whether v is no value at all, as opposed to null.
func (v Value) IsAbsent() bool { return v.kind == Absent }

// Str returns v if it is a string.
func (v Value) Str() (s string, ok bool) {
	if v.kind != String {
		return "", false
	}
	return v.text, true
}

// Bool returns v if it is a boolean.
func (v Value) Bool() (b, ok bool) { return v.num != 0 && v.kind == Bool, v.kind == Bool }

// Float returns v if it is a number that a float64 holds without losing an
// integer's digits; see [Value.BigText] for the others.
func (v Value) Float() (f float64, ok bool) {
	if v.kind != Number || v.BigText() != "" {
		return 0, false
	}
	return v.num, true
}

// Int returns v if it is a number that is a whole number in the range of int64.
// From 2^53 on it must be written in digits alone.
func (v Value) Int() (i int64, ok bool) {
	switch {
	case v.kind != Number || v.num != math.Trunc(v.num):
		return 0, false
	case math.Abs(v.num) < MaxSafeInteger:
		return int64(v.num), true
	}
	i, err := strconv.ParseInt(v.numberText(), 10, 64)
	if err != nil {
		return 0, false
	}
	return i, true
}

// BigText returns the JSON text of a number that a float64 would change or
// cannot hold: an integer from 2^53 on, or a magnitude beyond its range. It is
// empty for every other value.
func (v Value) BigText() string {
	if v.kind != Number {
		return ""
	}
	if math.IsInf(v.num, 0) {
		return v.text
	}
	if math.Abs(v.num) < MaxSafeInteger || v.num != math.Trunc(v.num) {
		return ""
	}
	return v.numberText()
}

// Len returns the number of items of a list or members of an object, else 0.
func (v Value) Len() int {
	switch v.kind {
	case List:
		return len(v.node.items)
	case Object:
		return len(v.members())
	default:
		return 0
	}
}

// Get returns the member named key. It is absent if v is not an object or has
// no such member.
func (v Value) Get(key string) Value {
	switch {
	case v.kind != Object:
		return Value{}
	case v.node.lazy != nil:
		return v.node.lazy.record.Member(key)
	}
	if i := v.node.find(key); i >= 0 {
		return v.node.members[i].Value
	}
	return Value{}
}

func (n *node) find(key string) int {
	if n.index != nil {
		if i, ok := n.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range n.members {
		if n.members[i].Key == key {
			return i
		}
	}
	return -1
}

// At returns item i of a list, counted from 0; absent if there is none.
func (v Value) At(i int) Value {
	if v.kind != List || i < 0 || i >= len(v.node.items) {
		return Value{}
	}
	return v.node.items[i]
}

// Items iterates over the items of a list; it is empty for anything else.
func (v Value) Items() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.kind != List {
			return
		}
		for i, item := range v.node.items {
			if !yield(i, item) {
				return
			}
		}
	}
}

// Members iterates over the members of an object in the order of its text; it
// is empty for anything else.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.kind != Object {
			return
		}
		members := v.members()
		for i := range members {
			if !yield(members[i].Key, members[i].Value) {
				return
			}
		}
	}
}

// With returns a copy of object v with member key set to x, at its old place or
// at the end; an absent x removes the member. A v that is not an object counts
// as an empty one.
func (v Value) With(key string, x Value) Value {
	b := newBuilder(v.Len() + 1)
	for k, m := range v.Members() {
		if k != key {
			b.set(k, m)
		} else if x.kind != Absent {
			b.set(k, x)
		}
	}
	if x.kind != Absent {
		b.set(key, x)
	}
	return b.value()
}

// Equal reports whether v and w are the same JSON value. The order of members
// does not count; the notation of numbers does not count either (1 equals 1.0).
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind || v.Len() != w.Len() {
		return false
	}
	switch v.kind {
	case Bool:
		return v.num == w.num
	case Number:
		return v.num == w.num && sameNumber(v.BigText(), w.BigText())
	case String:
		return v.text == w.text
	case List:
		for i, item := range v.node.items {
			if !item.Equal(w.node.items[i]) {
				return false
			}
		}
	case Object:
		for _, m := range v.members() {
			if other := w.Get(m.Key); !m.Value.Equal(other) {
				return false
			}
		}
	case Absent, Null:
	}
	return true
}

// sameNumber reports whether two texts of numbers that float64 cannot tell apart
// mean one number.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, known := decimalOf(a)
	y, alsoKnown := decimalOf(b)
	return known && alsoKnown && x == y
}

// A decimal is a number by its digits, which neither begin nor end with a zero.
type decimal struct {
	negative bool
	digits   string
	power    int // of ten, of the last digit
}

// decimalOf reads the text of a number. It fails for an exponent without measure.
func decimalOf(text string) (d decimal, ok bool) {
	text, d.negative = strings.CutPrefix(text, "-")
	mantissa, exponent := text, "0"
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	power, err := strconv.ParseInt(exponent, 10, 32)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	d.digits = strings.TrimRight(all, "0")
	d.power = int(power) - len(fraction) + len(all) - len(d.digits)
	return d, err == nil
}

// A builder collects the members of one object.
type builder struct{ node *node }

func newBuilder(size int) builder { return builder{&node{members: make([]Member, 0, size)}} }

func (b *builder) set(key string, v Value) {
	n := b.node
	if i := n.find(key); i >= 0 {
		n.members[i].Value = v
		return
	}
	n.members = append(n.members, Member{key, v})
	switch {
	case n.index != nil:
		n.index[key] = len(n.members) - 1
	case len(n.members) >= indexFrom:
		n.reindex()
	}
}

func (b *builder) value() Value { return Value{kind: Object, node: b.node} }
