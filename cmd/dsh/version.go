package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCmd(std stdio) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: usage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return runVersion(std) },
	}
}

func runVersion(std stdio) error {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	_, err := fmt.Fprintf(std.out, "dsh %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
