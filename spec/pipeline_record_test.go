package spec_test

import (
	"math"
	"math/big"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// recorded writes a result in the form of the recording.
func recorded(r tool.Result) map[string]any {
	out := map[string]any{}
	contexts := func(list []session.Context) {
		var all []any
		for _, c := range list {
			all = append(all, map[string]any{"plugin": c.Extension, "text": c.Text})
		}
		if all != nil {
			out["contexts"] = all
		}
	}
	switch r := r.(type) {
	case tool.Success:
		out["isError"], out["value"], out["content"] = false, shortened(r.Value), blocks(r.Content)
		if !r.Meta.IsAbsent() {
			out["meta"] = r.Meta
		}
		if r.Concludes {
			out["concludesTurn"] = true
		}
		contexts(r.Contexts)
	case tool.Failure:
		failure := map[string]any{"message": r.Message}
		if r.Code != "" {
			failure["info"] = map[string]any{"name": r.Name, "code": r.Code}
		}
		out["isError"], out["error"], out["content"] = true, failure, blocks(r.Content)
		if !r.Meta.IsAbsent() {
			out["meta"] = r.Meta
		}
		contexts(r.Contexts)
	}
	return out
}

// shortened stands for values that are too deep to be written into a recording.
func shortened(v value.Value) any {
	depth := 0
	for x := v; x.Kind() == value.List || x.Kind() == value.Object; depth++ {
		next := x.At(0)
		for _, member := range x.Members() {
			next = member
			break
		}
		x = next
	}
	if depth > 100 {
		return "<deep>"
	}
	return v
}

func blocks(parts []session.Part) []any {
	out := []any{}
	for _, p := range parts {
		switch p := p.(type) {
		case session.Text:
			out = append(out, map[string]any{"type": "text", "text": p.Text})
		case session.Reasoning:
			out = append(out, map[string]any{"type": "reasoning", "text": p.Text})
		case session.Image, session.ToolCall, session.ToolResult:
			out = append(out, p)
		}
	}
	return out
}

func parts(list []pipelineBlock) []session.Part {
	out := []session.Part{}
	for _, b := range list {
		if b.Type == "reasoning" {
			out = append(out, session.Reasoning{Text: b.Text})
			continue
		}
		out = append(out, session.Text{Text: b.Text})
	}
	return out
}

func contexts(list []pipelineContext) []session.Context {
	var out []session.Context
	for _, c := range list {
		out = append(out, session.Context{Text: c.Text, Extension: c.Plugin})
	}
	return out
}

// lossy returns the Go value nearest to a kind of the recording.
func lossy(t *trial, kind string) any {
	cycle := map[string]any{}
	cycle["self"] = cycle
	list := make([]any, 1)
	list[0] = list
	shared := map[string]any{"x": 1}
	var deep any = "x"
	for range 5000 {
		deep = []any{deep}
	}
	kinds := map[string]any{
		"nan": map[string]any{"v": math.NaN()}, "inf": map[string]any{"v": math.Inf(1)}, "neginf": map[string]any{"v": math.Inf(-1)},
		"negzero": map[string]any{"v": math.Copysign(0, -1)}, "undefined": map[string]any{"v": value.Value{}}, "rootundefined": value.Value{},
		"function": map[string]any{"v": func() {}}, "rootfunction": func() {}, "cycle": cycle, "arraycycle": list,
		"bigint": map[string]any{"v": big.NewInt(1)}, "date": map[string]any{"v": time.Unix(0, 0)}, "map": map[any]any{"a": 1},
		"classinstance": struct{ A int }{1}, "symbolkey": map[any]any{struct{}{}: 1}, "symbolvalue": map[string]any{"v": struct{}{}},
		"shared": map[string]any{"a": shared, "b": shared}, "nullproto": map[string]any{"v": 1}, "deep": deep,
		"bignumber": map[string]any{"v": 1e308}, "unicode": map[string]any{"v": "é😀\u2028"}, "emptykey": map[string]any{"": 1},
		"protokey": value.OfObject(value.Member{Key: "__proto__", Value: value.OfInt(1)}),
	}
	x, ok := kinds[kind]
	require.True(t, ok, "no value of kind %s", kind)
	return x
}
