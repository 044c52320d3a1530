package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/internal/hookconfig"
)

func newHooksCheckCmd(std console.IO) *cobra.Command {
	var opts hooksOptions
	cmd := &cobra.Command{
		Use:   "check [FILE]...",
		Short: "Find what is wrong with a configuration, or hardly meant as it is",
		Long: `Find what is wrong with a configuration, or hardly meant as it is.

Every finding is one line with its place, its level (error, warning, note), and a
word for its kind; behind it stands what to write instead.

The exit status is 0 if nothing is found, or only notes; 1 if something is, or a
file cannot be read; 2 if the command line is wrong.`,
		Example: `  dsh hooks check
  dsh hooks check --dialect codex hooks.json`,
		RunE: func(_ *cobra.Command, args []string) error {
			opts.files = args
			return runHooksCheck(opts, std)
		},
	}
	opts.add(cmd)
	return cmd
}

func runHooksCheck(opts hooksOptions, std console.IO) error {
	if err := opts.check(); err != nil {
		return err
	}
	sets, err := opts.load()
	if errors.Is(err, errNoHooks) {
		return err
	}
	found := []hookconfig.Finding{}
	for _, s := range sets {
		found = append(found, hookconfig.Check(s, hookconfig.Host())...)
	}
	if opts.json {
		if e := writeJSON(std.Out, found); e != nil {
			return e
		}
	} else {
		for _, f := range found {
			fmt.Fprintln(std.Out, console.Printable(f.String()))
		}
	}
	if err == nil && hookconfig.Problems(found) {
		return errReported
	}
	return err
}
