package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/hook"
)

// newHookCmd describes the command in the tree, for help; main serves it before
// the tree is built.
func newHookCmd(std console.IO) *cobra.Command {
	return &cobra.Command{
		Use:   "hook " + strings.Join(hook.ClientNames(), "|") + " [--project DIR] [--policy FILE]...",
		Short: "Be the hook command of a coding agent", Long: hook.Help,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] != "-h" && args[0] != "--help" {
				if hook.Run(cmd.Context(), args, std) != console.ExitOK {
					return errReported
				}
				return nil
			}
			return cmd.Help()
		},
	}
}
