package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A Task is what a subagent is started for.
type Task struct {
	// Session and Call identify the call that starts it.
	Session, Call string
	// Type is the kind of subagent, in the model's own words; it may be empty.
	Type string
	// Prompt is what it has to do.
	Prompt string
}

// A Report is what became of a subagent.
type Report struct {
	// Session identifies its session.
	Session string
	// Done is true if it ended by itself; Problem says in words what became of it
	// if it did not.
	Done    bool
	Problem string
	// Text is its last answer.
	Text string
}

// agentTime bounds the work of a subagent.
const agentTime = 2 * time.Hour

// subagents is the tool that starts one. To start it touches nothing: what the
// subagent does are calls of its own.
func subagents(start func(context.Context, Task) (Report, error)) tool.Definition {
	return tool.Definition{
		Name: "agent",
		Description: "Starts another agent with the same tools and the same policies, waits for it, and returns its last answer. It " +
			"sees nothing of this conversation: the prompt has to say all that it needs.",
		Parameters: schemaOf(
			parameter{"prompt", "string", "the task, with all that is needed to do it", true},
			parameter{"type", "string", "in a word, what kind of agent it is, such as reviewer", false},
		),
		Output:  tool.Output{Schema: anyValue, Render: shown(func(v value.Value) string { return v.Get("text").String() })},
		Timeout: agentTime,
		Action: func(arguments value.Value) tool.Action {
			prompt, ok := arguments.Get("prompt").Str()
			return tool.Agent{Type: text(arguments, "type"), Prompt: prompt, Partial: !ok}
		},
		Execute: func(ctx context.Context, run *tool.Running) (any, error) {
			task := Task{
				Session: run.Call().Session.ID, Call: run.Call().ID,
				Type: text(run.Arguments(), "type"), Prompt: text(run.Arguments(), "prompt"),
			}
			if strings.TrimSpace(task.Prompt) == "" {
				return nil, errors.New("the prompt is empty")
			}
			return delegate(ctx, start, task)
		},
	}
}

func delegate(ctx context.Context, start func(context.Context, Task) (Report, error), task Task) (any, error) {
	r, err := start(ctx, task)
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !r.Done && r.Text != "":
		return nil, fmt.Errorf("the agent did not finish: %s; its last answer was:\n%s", r.Problem, r.Text)
	case !r.Done:
		return nil, fmt.Errorf("the agent did not finish: %s", r.Problem)
	case r.Text == "":
		r.Text = "[the agent ended without an answer]"
	}
	return value.OfObject(member("session", value.OfString(r.Session)), member("text", value.OfString(r.Text))), nil
}
