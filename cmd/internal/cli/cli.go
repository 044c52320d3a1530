// Package cli is the tree of dsh's commands, all but the work of "dsh hook", which
// is served before the tree is built.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/external"
)

// A usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errReported ends a command with a fault after it said itself what is wrong.
var errReported = errors.New("reported")

// Run runs the command that args name, the name of the program left out, and
// returns the exit status.
func Run(args []string, std console.IO) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cmd := newRootCmd(std)
	cmd.SetArgs(args)
	err := external.Mismatch(external.Full.Name)
	if err == nil {
		err = cmd.ExecuteContext(ctx)
	}
	switch {
	case err == nil:
		return console.ExitOK
	case errors.Is(err, errReported):
		return console.ExitFault
	}
	console.PrintFault(std.Err, err)
	if errors.As(err, new(usageError)) {
		return console.ExitUsage
	}
	return console.ExitFault
}

func newRootCmd(std console.IO) *cobra.Command {
	cmd := &cobra.Command{
		Use:           "dsh",
		Short:         "Decide what coding agents may do, by policies written in Lua",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          func(_ *cobra.Command, args []string) error { return unknownCommand(args) },
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetIn(std.In)
	cmd.SetOut(std.Out)
	cmd.SetErr(std.Err)
	cmd.CompletionOptions.HiddenDefaultCmd = true
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	cmd.AddCommand(newBenchCmd(std), newCheckCmd(std), newEvalCmd(std), newHookCmd(std), newHooksCmd(std), newRunCmd(), newSpecCmd(std), newTestCmd(std), newVersionCmd(std))
	return cmd
}

func unknownCommand(args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError{fmt.Errorf("no command %q; dsh --help lists them", args[0])}
}

// usage makes a mistake in positional arguments a usageError.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{err}
		}
		return nil
	}
}
