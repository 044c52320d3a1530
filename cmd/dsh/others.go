//go:build !small

package main

import (
	"github.com/dsh-lua/dsh/cmd/internal/cli"
	"github.com/dsh-lua/dsh/cmd/internal/console"
)

// others runs every command but hook.
func others(args []string, std console.IO) int { return cli.Run(args, std) }
