package wrap_test

import (
	"context"
	"fmt"

	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/tool/wrap"
	"github.com/dsh-lua/dsh/runtime/value"
)

// afresh lets an agent's chain begin anew whenever its user has said something.
type afresh struct{ repeat *wrap.Repeat }

func (afresh) Name() string { return "afresh" }

func (a afresh) Install(in *point.Installer) error {
	agent.PreStep.Handle(in, func(ctx context.Context, s agent.Step, next point.Next[agent.StepDecision]) (agent.StepDecision, error) {
		if s.Prompt != "" {
			a.repeat.Reset(s.Session)
		}
		return next(ctx)
	})
	return nil
}

func ExampleRepeat_Reset() {
	repeat, err := wrap.NewRepeat(wrap.RepeatOptions{Thresholds: []int{2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	scope := &tool.Scope{
		Host: host.Host{Run: point.Run{Handlers: new(point.Registry)}}, Tools: new(tool.Registry), Session: session.Ref{ID: "s"},
	}
	for _, extension := range []point.Extension{repeat, afresh{repeat}} {
		if _, err := scope.Host.Run.Handlers.Install(extension); err != nil {
			fmt.Println(err)
			return
		}
	}
	_, err = scope.Tools.Register(tool.Definition{
		Name: "look", Output: tool.Output{Schema: value.OfObject()},
		Execute: func(context.Context, *tool.Running) (any, error) { return "nothing new", nil },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, rt := context.Background(), new(tool.Runtime)
	call := func() {
		result, _ := rt.Execute(ctx, tool.Input{ID: "1", Tool: "look", Agent: scope}).(tool.Success)
		fmt.Println("reminders:", len(result.Contexts))
	}
	call()
	call()
	step := agent.Step{Session: scope.Session, Prompt: "look again in a minute"}
	if _, err := agent.PreStep.Run(ctx, scope.Host.Run, step); err != nil {
		fmt.Println(err)
		return
	}
	call()
	// Output:
	// reminders: 0
	// reminders: 1
	// reminders: 0
}
