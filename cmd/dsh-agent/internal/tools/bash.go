package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/process"
	"github.com/dsh-lua/dsh/internal/group"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

const (
	// bashTime is how long a command may take that does not say it, and bashMost
	// how long it may ask for.
	bashTime = 2 * time.Minute
	bashMost = 10 * time.Minute
	// bashKeep bounds the output of a command, in bytes.
	bashKeep = 32 << 10
)

func bash(p place, env func() []string, orphans *group.Orphans) tool.Definition {
	return tool.Definition{
		Name: "bash",
		Description: "Runs a command line with bash and returns its exit status and what it printed. Every call starts in the " +
			"working directory, without a terminal or input. Processes that are left when the command ends are ended. Credentials " +
			"are not in the environment. Of long output the middle is left out.",
		Parameters: schemaOf(
			parameter{"command", "string", "the command line", true},
			parameter{"timeout_ms", "integer", fmt.Sprintf("how long it may take, in milliseconds; %d if absent, at most %d", bashTime.Milliseconds(), bashMost.Milliseconds()), false},
		),
		Output: tool.Output{Schema: anyValue, Render: shown(showCommand)},
		Action: func(arguments value.Value) tool.Action {
			command, ok := arguments.Get("command").Str()
			return tool.Shell{Command: command, Cwd: p.cwd, Partial: !ok}
		},
		Execute: func(ctx context.Context, run *tool.Running) (any, error) {
			return runCommand(ctx, process.Command{Dir: p.cwd, Env: env(), Keep: bashKeep, Orphans: orphans}, run.Arguments())
		},
	}
}

func runCommand(ctx context.Context, c process.Command, arguments value.Value) (any, error) {
	ms := number(arguments, "timeout_ms", bashTime.Milliseconds())
	if ms <= 0 || ms > bashMost.Milliseconds() {
		return nil, fmt.Errorf("timeout_ms must be from 1 to %d", bashMost.Milliseconds())
	}
	c.Line, c.Timeout = text(arguments, "command"), time.Duration(ms)*time.Millisecond
	if strings.TrimSpace(c.Line) == "" || strings.ContainsRune(c.Line, 0) {
		return nil, errors.New("there is no command, or one with a zero byte")
	}
	out, err := process.Run(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case out.TimedOut:
		message := fmt.Sprintf("the command was ended because it took longer than %d ms", c.Timeout.Milliseconds())
		if printed := strings.TrimSpace(out.Output); printed != "" {
			message += "; it had printed:\n" + printed
		}
		return nil, &tool.Error{Message: message, Name: "ToolTimeoutError", Code: tool.CodeTimeout}
	}
	v := value.OfObject(member("exit", value.OfInt(int64(out.Exit))), member("output", value.OfString(out.Output)))
	if out.Signal != "" {
		v = v.With("signal", value.OfString(out.Signal))
	}
	if out.Dropped > 0 {
		v = v.With("dropped", value.OfInt(out.Dropped))
	}
	return v, nil
}

func showCommand(v value.Value) string {
	printed := strings.TrimRight(v.Get("output").String(), "\n")
	status := ""
	if exit, _ := v.Get("exit").Int(); exit != 0 {
		status = fmt.Sprintf("[exit status %d]", exit)
	}
	if signal := v.Get("signal"); !signal.IsAbsent() {
		status = fmt.Sprintf("[ended by a signal: %s]", signal.String())
	}
	switch {
	case printed == "" && status == "":
		return "[no output]"
	case printed == "":
		return status
	case status == "":
		return printed
	}
	return printed + "\n" + status
}
