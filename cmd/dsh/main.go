// Command dsh decides what coding agents may do, by policies written in Lua.
//
// A coding agent runs "dsh hook" at its lifecycle events; "dsh eval" runs the
// same policies on a payload by hand; "dsh run" is an agent of dsh's own; "dsh
// spec" prints the reference of what policies can see and say.
//
// It is built in two ways. By default all commands but run are in one program.
// With the tag small only hook is, and every other command is handed to that
// program under the name dsh-full: hook runs at every call of an agent, and each
// byte that it does not carry is neither read nor resident then.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/hook"
	_ "github.com/dsh-lua/dsh/cmd/internal/stack"
)

func main() {
	std := console.IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	// To build the tree of commands costs a quarter of an empty process.
	if len(os.Args) > 1 && os.Args[1] == "hook" {
		// A client may close what it does not read, and still has to be answered.
		signal.Ignore(syscall.SIGPIPE)
		os.Exit(hook.Run(context.Background(), os.Args[2:], std))
	}
	os.Exit(others(os.Args[1:], std))
}
