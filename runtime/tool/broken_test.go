package tool_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// A trap is an error that panics whatever it is asked.
type trap struct{}

func (trap) Error() string           { panic("no text") }
func (trap) Unwrap() error           { panic("no cause") }
func (trap) Is(error) bool           { panic("no identity") }
func (trap) As(any) bool             { panic("no type") }
func (trap) Coded() (a, b, c string) { panic("no code") }

// TestExecuteIsTotalForBrokenErrors: a nil pointer that is returned as an error
// panics when it is asked anything, at whatever phase it comes from.
func TestExecuteIsTotalForBrokenErrors(t *testing.T) {
	for name, broken := range map[string]error{
		"nil tool.Error": (*tool.Error)(nil), "nil with a cause": (*fs.PathError)(nil), "trap": trap{},
		"wrapped": errors.Join(errors.New("x"), (*tool.Error)(nil)),
	} {
		for phase, attach := range breaking(broken) {
			for _, cancelled := range []bool{false, true} {
				t.Run(name+" from "+phase, func(t *testing.T) {
					r := newRig(t)
					r.attach(attach)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					r.rt.Approvals = &tool.Approvals{Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) { return nil, broken })}
					r.tool(func(context.Context, *tool.Running) (any, error) {
						if cancelled {
							cancel()
						}
						if phase == "body" {
							return nil, broken
						}
						return "x", nil
					}, func(d *tool.Definition) {
						d.FinalizeContent = func(tool.Call, tool.Result) ([]session.Part, error) {
							if phase == "finalize" {
								return nil, broken
							}
							return nil, nil
						}
					})
					var result tool.Result
					require.NotPanics(t, func() { result = r.call(ctx, nil) })
					requireLossless(t, result)
					if phase != "result" || cancelled {
						require.IsType(t, tool.Failure{}, result)
					}
				})
			}
		}
	}
}

func asking(in *point.Installer) {
	tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return tool.Ask{}, nil })
}

// breaking attaches, for each phase, a handler that fails with broken.
func breaking(broken error) map[string]func(in *point.Installer) {
	return map[string]func(in *point.Installer){
		"body":    func(*point.Installer) {},
		"rewrite": rewriting(nil, broken),
		"pre-execute": func(in *point.Installer) {
			tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return nil, broken })
		},
		"guard": func(in *point.Installer) {
			tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) { return nil, broken })
		},
		"execute": func(in *point.Installer) {
			tool.OnExecute.Handle(in, func(context.Context, tool.Call, point.Next[tool.Result]) (tool.Result, error) { return nil, broken })
		},
		"post-execute": func(in *point.Installer) {
			tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
				return nil, broken
			})
		},
		"result": func(in *point.Installer) {
			tool.OnResult.Handle(in, func(context.Context, tool.Done) error { return broken })
		},
		"approve": func(in *point.Installer) {
			asking(in)
			tool.OnApprove.Handle(in, func(context.Context, tool.Approval, point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
				return nil, broken
			})
		},
		"approver": asking,
		"finalize": func(*point.Installer) {},
	}
}

// A posing type has the methods of a json.Number and is none.
type posing string

func (posing) String() string            { panic("no text") }
func (posing) Int64() (int64, error)     { panic("no integer") }
func (posing) Float64() (float64, error) { panic("no float") }

// TestExecuteIsTotalForForeignNumbers, as arguments and as the value of a body.
func TestExecuteIsTotalForForeignNumbers(t *testing.T) {
	r := newRig(t)
	r.tool(returning(posing("1")))
	for _, arguments := range []any{nil, posing("1"), map[string]any{"x": posing("1")}} {
		require.NotPanics(t, func() {
			result := r.call(t.Context(), arguments)
			require.IsType(t, tool.Failure{}, result)
			requireLossless(t, result)
		})
	}
}

func succeeded(r tool.Result) bool { _, yes := r.(tool.Success); return yes }
