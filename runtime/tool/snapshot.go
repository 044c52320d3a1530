package tool

import (
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool/jsonschema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// ErrLossy is what [Snapshot] says of a value that JSON cannot carry.
var ErrLossy = errors.New("value is not lossless JSON")

// Snapshot copies x, whole or not at all, into a value that cannot change. It
// takes nil, booleans, UTF-8 strings, integers in the range of int64, finite floats,
// [encoding/json.Number], []any, map[string]any and [value.Value]; a map is read in the order of its
// keys. Anything else, and with it the whole, is [ErrLossy]: NaN, the
// infinities and the negative zero, absent values, other maps and slices,
// structs, pointers, functions, channels, cycles, and what is nested deeper than
// [jsonschema.MaxDepth] or holds more than [jsonschema.MaxNodes] values.
func Snapshot(x any) (value.Value, error) {
	if v, ok := x.(value.Value); ok { // it is immutable already
		if !jsonschema.Lossless(v) {
			return value.Value{}, ErrLossy
		}
		return v, nil
	}
	s := snapshot{budget: jsonschema.MaxNodes}
	v, ok := s.copy(x, 0)
	if !ok {
		return value.Value{}, ErrLossy
	}
	return v, nil
}

// A jsonNumber is an [encoding/json.Number] to whoever does not link encoding/json for the
// name of one type, as the hook command does not.
type jsonNumber interface {
	String() string
	Int64() (int64, error)
	Float64() (float64, error)
}

type snapshot struct{ budget int }

func (s *snapshot) copy(x any, depth int) (value.Value, bool) {
	if v, ok := x.(value.Value); ok {
		return v, jsonschema.LosslessPart(v, depth, &s.budget)
	}
	if s.budget--; s.budget < 0 || depth > jsonschema.MaxDepth {
		return value.Value{}, false
	}
	switch x := x.(type) {
	case nil:
		return value.NullValue(), true
	case bool:
		return value.OfBool(x), true
	case string:
		return value.OfString(x), utf8.ValidString(x)
	case []any:
		return s.list(x, depth)
	case map[string]any:
		return s.object(x, depth)
	case jsonNumber:
		if t := reflect.TypeOf(x); t.PkgPath() != "encoding/json" || t.Name() != "Number" {
			return value.Value{}, false // a pointer to one can change, and methods of others may do anything
		}
		v, err := value.ParseString(x.String())
		return v, err == nil && v.Kind() == value.Number && jsonschema.Lossless(v)
	case float64:
		return ofFloat(x)
	case float32:
		return ofFloat(float64(x))
	}
	return ofInteger(x)
}

func ofFloat(f float64) (value.Value, bool) {
	v := value.OfFloat(f)
	return v, !v.IsAbsent() && (f != 0 || !math.Signbit(f))
}

func ofInteger(x any) (value.Value, bool) {
	switch x := x.(type) {
	case int:
		return value.OfInt(int64(x)), true
	case int8:
		return value.OfInt(int64(x)), true
	case int16:
		return value.OfInt(int64(x)), true
	case int32:
		return value.OfInt(int64(x)), true
	case int64:
		return value.OfInt(x), true
	case uint:
		return ofUnsigned(uint64(x))
	case uint8:
		return value.OfInt(int64(x)), true
	case uint16:
		return value.OfInt(int64(x)), true
	case uint32:
		return value.OfInt(int64(x)), true
	case uint64:
		return ofUnsigned(x)
	}
	return value.Value{}, false
}

func ofUnsigned(u uint64) (value.Value, bool) {
	if u > math.MaxInt64 {
		return value.Value{}, false
	}
	return value.OfInt(int64(u)), true
}

func (s *snapshot) list(x []any, depth int) (value.Value, bool) {
	items := make([]value.Value, len(x))
	for i, item := range x {
		v, ok := s.copy(item, depth+1)
		if !ok {
			return value.Value{}, false
		}
		items[i] = v
	}
	return value.OfList(items...), true
}

func (s *snapshot) object(x map[string]any, depth int) (value.Value, bool) {
	members := make([]value.Member, 0, len(x))
	for _, key := range slices.Sorted(maps.Keys(x)) {
		v, ok := s.copy(x[key], depth+1)
		if !ok || !utf8.ValidString(key) {
			return value.Value{}, false
		}
		members = append(members, value.Member{Key: key, Value: v})
	}
	return value.OfObject(members...), true
}

// losslessParts reports whether content is JSON that every reader gets back as
// it was, of at most [jsonschema.MaxNodes] parts and values.
func losslessParts(parts []session.Part) bool {
	budget := jsonschema.MaxNodes
	return losslessWithin(parts, maxContentDepth, &budget)
}

// maxContentDepth bounds how deep results may stand in content of results. Each
// makes two levels of JSON, of which there are [value.MaxDepth], and arguments of
// a call that stands there make [jsonschema.MaxDepth] more.
const maxContentDepth = 1000

func losslessWithin(parts []session.Part, depth int, budget *int) bool {
	return !slices.ContainsFunc(parts, func(p session.Part) bool { return !losslessPart(p, depth, budget) })
}

func losslessPart(part session.Part, depth int, budget *int) bool {
	if *budget--; *budget < 0 {
		return false
	}
	switch p := part.(type) {
	case session.Text:
		return utf8.ValidString(p.Text)
	case session.Reasoning:
		return utf8.ValidString(p.Text)
	case session.Image:
		return utf8.ValidString(p.MediaType) && utf8.ValidString(p.Data)
	case session.ToolCall:
		return utf8.ValidString(p.ID) && utf8.ValidString(p.Tool) && jsonschema.LosslessPart(p.Arguments, 0, budget)
	case session.ToolResult:
		return depth > 0 && utf8.ValidString(p.Call) && losslessWithin(p.Content, depth-1, budget)
	}
	return false // nil, or the pointer form of a part
}

// cloneParts copies content, so that who is handed the copy cannot write into
// the original.
func cloneParts(parts []session.Part) []session.Part {
	if parts == nil {
		return nil
	}
	out := make([]session.Part, len(parts))
	for i, part := range parts {
		if r, ok := part.(session.ToolResult); ok {
			r.Content = cloneParts(r.Content)
			part = r
		}
		out[i] = part
	}
	return out
}

// joined is what lists of contexts make in a result: nil if there are none, and
// always UTF-8.
func joined(lists ...[]session.Context) []session.Context {
	count := 0
	for _, list := range lists {
		count += len(list)
	}
	if count == 0 {
		return nil
	}
	all := slices.Concat(lists...)
	for i := range all {
		all[i].Text = strings.ToValidUTF8(all[i].Text, "\uFFFD")
		all[i].Extension = strings.ToValidUTF8(all[i].Extension, "\uFFFD")
	}
	return all
}
