package scripttest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dsh-lua/dsh/runtime/value"
)

// maxDiff bounds how many lines are compared one by one.
const maxDiff = 400

// diff compares two texts line by line.
func diff(want, got string) []string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	if len(a) > maxDiff || len(b) > maxDiff {
		return append(marked("- ", a[:min(len(a), maxDiff)]), marked("+ ", b[:min(len(b), maxDiff)])...)
	}
	// length[i][k] is that of the longest common subsequence of a[i:] and b[k:].
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := len(b) - 1; k >= 0; k-- {
			if a[i] == b[k] {
				length[i][k] = length[i+1][k+1] + 1
			} else {
				length[i][k] = max(length[i+1][k], length[i][k+1])
			}
		}
	}
	var out []string
	i, k := 0, 0
	for i < len(a) && k < len(b) {
		switch {
		case a[i] == b[k]:
			out = append(out, "  "+a[i])
			i, k = i+1, k+1
		case length[i+1][k] >= length[i][k+1]:
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[k])
			k++
		}
	}
	return slices.Concat(out, marked("- ", a[i:]), marked("+ ", b[k:]))
}

func marked(mark string, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = mark + line
	}
	return out
}

// pretty is v as JSON with sorted members, on several lines if it has parts. A
// text alone is shown as it is.
func pretty(v value.Value) string {
	if s, ok := v.Str(); ok {
		return s
	}
	if v.IsAbsent() {
		return "(nothing)"
	}
	var out bytes.Buffer
	if err := json.Indent(&out, sorted(v).AppendJSON(nil), "", "  "); err != nil {
		return v.String()
	}
	return out.String()
}

func sorted(v value.Value) value.Value {
	switch v.Kind() {
	case value.List:
		if v.Len() == 0 {
			return value.OfObject() // Lua does not tell one from the other
		}
		items := make([]value.Value, 0, v.Len())
		for _, item := range v.Items() {
			items = append(items, sorted(item))
		}
		return value.OfList(items...)
	case value.Object:
		var list []value.Member
		for key, m := range v.Members() {
			list = append(list, value.Member{Key: key, Value: sorted(m)})
		}
		slices.SortFunc(list, func(a, b value.Member) int { return strings.Compare(a.Key, b.Key) })
		return value.OfObject(list...)
	case value.Absent, value.Null, value.Bool, value.Number, value.String:
	}
	return v
}
