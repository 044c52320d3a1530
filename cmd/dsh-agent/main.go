// Command dsh-agent is a coding agent whose every step passes the extension
// points of dsh. It is what "dsh run" executes: a program of its own, so that
// dsh, which is started for every call of an agent, stays small.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/external"
)

func main() {
	os.Exit(run(os.Args[1:], console.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// exitLeft is the exit status where a signal ended the program; the others are those
// that all commands of dsh share. [console.ExitFault] says that the last turn did not
// end by itself, or that something broke.
const exitLeft = 130

// A usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// A status ends the program with that exit status; what is wrong has been said.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

func run(args []string, std console.IO) int {
	cmd := newRootCmd(std)
	cmd.SetArgs(args)
	err := external.Mismatch(external.Agent.Name)
	if err == nil {
		err = cmd.ExecuteContext(context.Background())
	}
	var known status
	switch {
	case err == nil:
		return console.ExitOK
	case errors.As(err, &known):
		return int(known)
	}
	fmt.Fprintf(std.Err, "dsh run: %v\n", err)
	if errors.As(err, new(usageError)) {
		return console.ExitUsage
	}
	return console.ExitFault
}

func newRootCmd(std console.IO) *cobra.Command {
	cmd := &cobra.Command{
		Use:           "dsh-agent",
		Short:         "Be a coding agent that dsh's policies decide over",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("no command %q; dsh-agent --help lists them", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetIn(std.In)
	cmd.SetOut(std.Out)
	cmd.SetErr(std.Err)
	cmd.CompletionOptions.HiddenDefaultCmd = true
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	cmd.AddCommand(newRunCmd(std))
	return cmd
}
