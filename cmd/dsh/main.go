// Command dsh decides what coding agents may do, by policies written in Lua.
//
// A coding agent runs "dsh hook" at its lifecycle events; "dsh eval" runs the
// same policies on a payload by hand; "dsh run" is an agent of dsh's own; "dsh
// spec" prints the reference of what policies can see and say.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

func main() {
	std := stdio{os.Stdin, os.Stdout, os.Stderr}
	// hook runs at every call of an agent, and building the tree of commands
	// costs a quarter of an empty process.
	if len(os.Args) > 1 && os.Args[1] == "hook" {
		os.Exit(runHook(context.Background(), os.Args[2:], std))
	}
	os.Exit(run(os.Args[1:], std))
}

// stdio is where a command reads and writes.
type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// Exit statuses. They are part of the command line interface; those of hook
// belong to the client's protocol.
const (
	exitOK    = 0
	exitFault = 1 // the answer is no, or something broke
	exitUsage = 2 // the command line is wrong
)

// A usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errReported ends a command with exitFault after it said itself what is wrong.
var errReported = errors.New("reported")

func run(args []string, std stdio) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cmd := newRootCmd(std)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFault
	}
	printFault(std.err, err)
	if errors.As(err, new(usageError)) {
		return exitUsage
	}
	return exitFault
}

func newRootCmd(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:           "dsh",
		Short:         "Decide what coding agents may do, by policies written in Lua",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          func(_ *cobra.Command, args []string) error { return unknownCommand(args) },
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetIn(std.in)
	cmd.SetOut(std.out)
	cmd.SetErr(std.err)
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
