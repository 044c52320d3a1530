//go:build small

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/external"
)

// others hands every command but hook to the program that has them all.
func others(args []string, std console.IO) int {
	if len(args) == 0 {
		args = []string{"--help"}
	}
	status, err := hand(args)
	if err != nil {
		console.PrintFault(std.Err, err)
		return console.ExitFault
	}
	return status
}

var errNothing = errors.New(`this program goes by the name of dsh-full, but has no other command than hook: build it without the tag "small"`)

func hand(args []string) (int, error) {
	// A copy of this program under that name would start itself for ever.
	if self, err := os.Executable(); err == nil && strings.HasPrefix(filepath.Base(self), external.Full.Name) {
		return 0, errNothing
	}
	return external.Full.Run(args)
}
