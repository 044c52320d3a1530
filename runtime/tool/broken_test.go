package tool_test

import (
	"context"
	"errors"
	"fmt"
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

// A tired error answers a few questions and panics at all that follow.
type tired struct{ questions *int }

func (e tired) ask() bool {
	if *e.questions--; *e.questions < 0 {
		panic("no more")
	}
	return false
}

func (tired) Error() string   { return "tired" }
func (e tired) Is(error) bool { return e.ask() }
func (e tired) As(any) bool   { return e.ask() }

// An odd error is one that Go cannot compare, although it looks as if it could.
type odd struct{ with any }

func (odd) Error() string { return "odd" }

// TestExecuteIsTotalForBrokenErrors: a nil pointer that is returned as an error
// panics when it is asked anything, at whatever phase it comes from, and whether
// or not it is the cause for which the call was cancelled.
func TestExecuteIsTotalForBrokenErrors(t *testing.T) {
	errs := map[string]func() error{
		"nil tool.Error":    func() error { return (*tool.Error)(nil) },
		"nil with a cause":  func() error { return (*fs.PathError)(nil) },
		"trap":              func() error { return trap{} },
		"wrapped":           func() error { return errors.Join(errors.New("x"), (*tool.Error)(nil)) },
		"one of no equals":  func() error { return odd{[]int{1}} },
		"one wrapped twice": func() error { return fmt.Errorf("x: %w", odd{[]int{1}}) },
	}
	for n := range 12 {
		errs[fmt.Sprint("tired after ", n)] = func() error { left := n; return tired{&left} }
	}
	for name, broken := range errs {
		for phase := range breaking(nil) {
			for _, cancelled := range []bool{false, true} {
				t.Run(name+" from "+phase, func(t *testing.T) { breakAt(t, phase, broken(), cancelled) })
			}
		}
	}
}

// breakAt makes a call that one phase breaks with err, which cancels the call
// before if cancelled is set.
func breakAt(t *testing.T, phase string, err error, cancelled bool) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	broken := func() error {
		if cancelled {
			cancel(err)
		}
		return err
	}
	at := func(here string) error {
		if phase != here {
			return nil
		}
		return broken()
	}
	r := newRig(t)
	r.attach(breaking(broken)[phase])
	r.rt.Approvals = &tool.Approvals{Approver: tool.ApproverFunc(func(context.Context, tool.Approval) (tool.ApprovalDecision, error) { return nil, broken() })}
	r.tool(func(context.Context, *tool.Running) (any, error) { return "x", at("body") }, func(d *tool.Definition) {
		d.FinalizeContent = func(tool.Call, tool.Result) ([]session.Part, error) { return nil, at("finalize") }
	})
	var result tool.Result
	require.NotPanics(t, func() { result = r.call(ctx, nil) })
	requireLossless(t, result)
	if phase != "result" {
		require.IsType(t, tool.Failure{}, result)
	}
}

func asking(in *point.Installer) {
	tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return tool.Ask{}, nil })
}

// breaking attaches, for each phase, a handler that fails with what broken says.
func breaking(broken func() error) map[string]func(in *point.Installer) {
	return map[string]func(in *point.Installer){
		"body": func(*point.Installer) {},
		"rewrite": func(in *point.Installer) {
			tool.OnRewrite.Handle(in, func(context.Context, tool.Proposal, point.Next[tool.Rewriting]) (tool.Rewriting, error) {
				return nil, broken()
			})
		},
		"pre-execute": func(in *point.Installer) {
			tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return nil, broken() })
		},
		"guard": func(in *point.Installer) {
			tool.OnGuard.Handle(in, func(context.Context, tool.Call) (tool.GuardDecision, error) { return nil, broken() })
		},
		"execute": func(in *point.Installer) {
			tool.OnExecute.Handle(in, func(context.Context, tool.Call, point.Next[tool.Result]) (tool.Result, error) { return nil, broken() })
		},
		"post-execute": func(in *point.Installer) {
			tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
				return nil, broken()
			})
		},
		"result": func(in *point.Installer) {
			tool.OnResult.Handle(in, func(context.Context, tool.Done) error { return broken() })
		},
		"approve": func(in *point.Installer) {
			asking(in)
			tool.OnApprove.Handle(in, func(context.Context, tool.Approval, point.Next[tool.ApprovalDecision]) (tool.ApprovalDecision, error) {
				return nil, broken()
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
