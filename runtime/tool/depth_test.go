package tool_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/tool/jsonschema"
	"github.com/dsh-lua/dsh/runtime/value"
)

// TestContentCannotBeNestedWithoutEnd: no reader would get it back.
func TestContentCannotBeNestedWithoutEnd(t *testing.T) {
	for depth, fits := range map[int]bool{0: true, 1000: true, 1001: false, 10_000: false} {
		r := newRig(t)
		r.tool(returning("x"), func(d *tool.Definition) {
			d.FinalizeContent = func(tool.Call, tool.Result) ([]session.Part, error) {
				content := []session.Part{session.Text{Text: "x"}}
				for range depth {
					content = []session.Part{session.ToolResult{Call: "1", Content: content}}
				}
				return content, nil
			}
		})
		result := r.call(t.Context(), nil)
		requireLossless(t, result)
		require.Equal(t, fits, succeeded(result), depth)
	}
}

// TestWhatIsNestedAsDeepAsItMayCanBeRead, wherever it is nested: as the value of a
// body, in whichever form, as meta and as arguments of a call within the content.
func TestWhatIsNestedAsDeepAsItMayCanBeRead(t *testing.T) {
	for _, shape := range []struct {
		name string
		wrap func(x any) any
	}{
		{"values", func(x any) any { v, _ := x.(value.Value); return value.OfList(v) }},
		{"lists of Go", func(x any) any { return []any{x} }},
		{"maps of Go", func(x any) any { return map[string]any{"a": x} }},
	} {
		for depth, fits := range map[int]bool{jsonschema.MaxDepth: true, jsonschema.MaxDepth + 1: false, value.MaxDepth: false} {
			t.Run(fmt.Sprint(shape.name, depth), func(t *testing.T) {
				var x any = value.OfInt(1)
				for i := range depth {
					if x = shape.wrap(x); i == jsonschema.MaxDepth-10 && shape.name != "values" {
						v, err := tool.Snapshot(x)
						require.NoError(t, err)
						x = v // the forms may be mixed
					}
				}
				_, err := tool.Snapshot(x)
				require.Equal(t, fits, err == nil)
				r := newRig(t)
				r.tool(returning(x))
				result := r.call(t.Context(), nil)
				require.Equal(t, fits, succeeded(result))
				requireReadable(t, result)
				require.Equal(t, fits, succeeded(callWithin(t, x)))
			})
		}
	}
}

// callWithin makes a call whose content holds a call with arguments x, as deep
// as content can hold it.
func callWithin(t *testing.T, x any) tool.Result {
	t.Helper()
	arguments, ok := x.(value.Value)
	if !ok {
		arguments, _ = tool.Snapshot(x)
	}
	r := newRig(t)
	r.tool(returning("x"), func(d *tool.Definition) {
		d.FinalizeContent = func(tool.Call, tool.Result) ([]session.Part, error) {
			content := []session.Part{session.ToolCall{ID: "1", Tool: "t", Arguments: arguments}}
			for range 1000 {
				content = []session.Part{session.ToolResult{Call: "1", Content: content}}
			}
			return content, nil
		}
	})
	result := r.call(t.Context(), nil)
	requireReadable(t, result)
	return result
}
