//go:build small

package main

import (
	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/external"
)

// name is what this program calls itself where another one was looked for.
const name = `a program that has no other command than hook: build it without the tag "small"`

// others hands every command but hook to the program that has them all.
func others(args []string, std console.IO) int {
	if len(args) == 0 {
		args = []string{"--help"}
	}
	err, status := external.Mismatch(name), 0
	if err == nil {
		status, err = external.Full.Run(args)
	}
	if err != nil {
		console.PrintFault(std.Err, err)
		return console.ExitFault
	}
	return status
}
