package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/console"
)

func newVersionCmd(std console.IO) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: usage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return runVersion(std) },
	}
}

func runVersion(std console.IO) error {
	_, err := fmt.Fprintf(std.Out, "dsh %s %s %s/%s\n", console.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
