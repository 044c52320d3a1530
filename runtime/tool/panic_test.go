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

// TestPanicsAreToldToTheLog says who panicked and how, where a model is told only
// that something did.
func TestPanicsAreToldToTheLog(t *testing.T) {
	const how = "panic: assignment to entry in nil map"
	var none map[string]int
	blow := func() { none["x"] = 1 }
	nothing := func(*tool.Definition) {}
	for _, test := range []struct {
		name   string
		attach func(in *point.Installer)
		change func(d *tool.Definition)
		warns  string
	}{
		{"a policy", func(in *point.Installer) {
			tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { blow(); return nil, nil })
		}, nothing, `tool "t" (1): tools/pre-execute: extension ext: ` + how},
		{"an observer", func(in *point.Installer) {
			tool.OnResult.Handle(in, func(context.Context, tool.Done) error { blow(); return nil })
		}, nothing, `tool "t" (1): tools/result observer failed: tools/result: extension ext: ` + how},
		{"the body", nil, func(d *tool.Definition) {
			d.Execute = func(context.Context, *tool.Running) (any, error) { blow(); return nil, nil }
		}, `tool "t" (1): the body: ` + how},
		{"the renderer", nil, func(d *tool.Definition) {
			d.Output.Render = func(_, _ value.Value) ([]session.Part, error) { blow(); return nil, nil }
		}, `tool "t" (1): Output.Render: ` + how},
		{"the projector", nil, func(d *tool.Definition) {
			d.Output.Meta = func(_, _ value.Value) (any, error) { blow(); return nil, nil }
		}, `tool "t" (1): Output.Meta: ` + how},
		{"the finalizer", nil, func(d *tool.Definition) {
			d.FinalizeContent = func(tool.Call, tool.Result) ([]session.Part, error) { blow(); return nil, nil }
		}, `tool "t" (1): FinalizeContent: ` + how},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			r.tool(returning("x"), test.change)
			if test.attach != nil {
				r.attach(test.attach)
			}
			result := r.call(t.Context(), nil)
			require.Equal(t, []string{test.warns}, r.warns)
			if f, failed := result.(tool.Failure); failed {
				require.Contains(t, f.Message, "internal error")
				require.NotContains(t, f.Message, "nil map")
			}
		})
	}
}
