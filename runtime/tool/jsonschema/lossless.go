package jsonschema

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/dsh-lua/dsh/runtime/value"
)

// MaxNodes is how many values a lossless value may hold in all: a value that
// shares its parts would otherwise grow without bound when it is written.
const MaxNodes = 1 << 20

// MaxDepth is how deeply lists and objects of a lossless value may nest: half of
// what readers take, so that the rest is left for what the value becomes a part of.
const MaxDepth = value.MaxDepth / 2

// Lossless reports whether v is JSON that every reader gets back as it was: all
// numbers are finite and none is the negative zero, all text is UTF-8, nothing
// is absent, and it is neither nested deeper than [MaxDepth] nor holds more than
// [MaxNodes] values.
func Lossless(v value.Value) bool {
	budget := MaxNodes
	return LosslessPart(v, 0, &budget)
}

// LosslessPart is [Lossless] for a part of a value, which stands depth levels
// deep in it. It takes the values that v holds from budget.
func LosslessPart(v value.Value, depth int, budget *int) bool {
	if *budget--; *budget < 0 || depth > MaxDepth {
		return false
	}
	switch v.Kind() {
	case value.Number:
		return finite(v)
	case value.String:
		text, _ := v.Str()
		return utf8.ValidString(text)
	case value.List:
		for _, item := range v.Items() {
			if !LosslessPart(item, depth+1, budget) {
				return false
			}
		}
	case value.Object:
		for key, member := range v.Members() {
			if !utf8.ValidString(key) || !LosslessPart(member, depth+1, budget) {
				return false
			}
		}
	case value.Absent:
		return false
	case value.Null, value.Bool:
	}
	return true
}

// finite reports whether number v is within the range of float64 and not the
// negative zero.
func finite(v value.Value) bool {
	if f, ok := v.Float(); ok {
		return f != 0 || !math.Signbit(f)
	}
	_, err := strconv.ParseFloat(v.BigText(), 64)
	return err == nil
}
