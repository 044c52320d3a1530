package cli

import (
	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/external"
)

// newRunCmd describes the command. Its work is a program of its own, because it
// may use the network.
func newRunCmd() *cobra.Command {
	return &cobra.Command{
		Use:                `run [options] ["PROMPT"]`,
		Short:              "Run dsh's own coding agent",
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			status, err := external.Agent.Run(append([]string{"run"}, args...))
			if err == nil && status != 0 {
				return errReported // it has said what is wrong
			}
			return err
		},
	}
}
