package tool_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// endless is content that contains itself.
func endless() []session.Part {
	parts := make([]session.Part, 1)
	parts[0] = session.ToolResult{Call: "1", Content: parts}
	return parts
}

// vast is content of a few parts that share what they contain, and so grow beyond
// all bounds when they are copied.
func vast() []session.Part {
	parts := []session.Part{session.Text{Text: "x"}}
	for range 60 {
		parts = []session.Part{session.ToolResult{Call: "1", Content: parts}, session.ToolResult{Call: "1", Content: parts}}
	}
	return parts
}

// writing attaches, for each phase that can write content, who writes parts.
func writing(parts []session.Part) map[string]func(r *rig, d *tool.Definition) {
	execute := func(result tool.Result) func(r *rig, _ *tool.Definition) {
		return func(r *rig, _ *tool.Definition) {
			r.attach(func(in *point.Installer) {
				tool.OnExecute.Handle(in, func(context.Context, tool.Call, point.Next[tool.Result]) (tool.Result, error) { return result, nil })
			})
		}
	}
	post := func(d tool.PostDecision) func(r *rig, _ *tool.Definition) {
		return func(r *rig, _ *tool.Definition) {
			r.attach(func(in *point.Installer) {
				tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
					return d, nil
				})
			})
		}
	}
	return map[string]func(r *rig, d *tool.Definition){
		"a wrapper's success": execute(tool.Success{Value: value.NullValue(), Content: parts}),
		"a wrapper's failure": execute(tool.Failure{Content: parts}),
		"an acceptance":       post(tool.Accept{Content: parts}),
		"a block":             post(tool.Block{Feedback: parts}),
		"a renderer": func(_ *rig, d *tool.Definition) {
			d.Output.Render = func(value.Value, value.Value) ([]session.Part, error) { return parts, nil }
		},
		"a finalizer": func(_ *rig, d *tool.Definition) {
			d.FinalizeContent = func(tool.Call, tool.Result) ([]session.Part, error) { return parts, nil }
		},
	}
}

// TestContentWithoutEnd ends the call that it belongs to, and not the process.
func TestContentWithoutEnd(t *testing.T) {
	for name, parts := range map[string][]session.Part{"endless": endless(), "vast": vast()} {
		for by, write := range writing(parts) {
			t.Run(name+" by "+by, func(t *testing.T) {
				r := newRig(t)
				r.tool(returning("x"), func(d *tool.Definition) { write(r, d) })
				result := r.call(t.Context(), nil)
				requireLossless(t, result)
				require.Equal(t, by == "a wrapper's success", succeeded(result), "of which only the value counts")
			})
		}
	}
}

// TestContentWithinItselfIsShownToNoScript: it has no wire form.
func TestContentWithinItselfIsShownToNoScript(t *testing.T) {
	for by, write := range writing(endless()) {
		t.Run(by, func(t *testing.T) {
			r := newRig(t)
			r.attach(func(in *point.Installer) {
				for _, p := range []point.Point{tool.OnExecute, tool.PostExecute} {
					p.HandleValue(in, func(ctx context.Context, asked point.Asked) (point.Answer, error) {
						inner, err := asked.Next(ctx)
						return point.Answer{Decision: inner.Decision}, err
					}, point.Attach{})
				}
			})
			r.tool(returning("x"), func(d *tool.Definition) { write(r, d) })
			result := r.call(t.Context(), nil)
			requireLossless(t, result)
			require.IsType(t, tool.Failure{}, result)
		})
	}
}
