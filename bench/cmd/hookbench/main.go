// Command hookbench times `dsh hook claude-code` as a coding agent meets it: a
// whole process per tool call, the event on its standard input.
//
// Beside dsh it runs a Go program that does nothing, one that only decodes and
// prints the event, and the same policy as a hook for bash with jq, Python and
// Node where these are installed. Before anything is timed, every hook must
// allow one event and deny another, so that a broken one is not called fast.
//
//	go run ./bench/cmd/hookbench [-n ROUNDS] [-check] [-dsh FILE]
//
// With -check the exit status is 1 if a goal is missed.
package main

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

func main() {
	given := flag.String("dsh", "", "time this dsh binary instead of building one")
	os.Exit(rounds.Main(100, func(ctx context.Context, n int, out io.Writer) ([]rounds.Goal, error) {
		return bench(ctx, n, *given, out)
	}))
}

// bench times the dsh that is given, or one that is built from the working tree.
func bench(ctx context.Context, n int, given string, out io.Writer) ([]rounds.Goal, error) {
	dir, err := os.MkdirTemp("", "hookbench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binaries, err := build(ctx, dir, given)
	if err != nil {
		return nil, err
	}
	entries, err := lay(ctx, dir, binaries, out)
	if err != nil {
		return nil, err
	}
	for _, contestant := range entries {
		if err := contestant.prove(ctx); err != nil {
			return nil, err
		}
	}
	for _, file := range binaries {
		if err := recache(file); err != nil {
			return nil, err
		}
	}
	event := filepath.Join(dir, "event.json")
	if err := os.WriteFile(event, []byte(allowed), 0o600); err != nil {
		return nil, err
	}
	debug.SetGCPercent(-1) // a collection here would be timed as the child's
	results, err := rounds.Run(ctx, timed(entries), n, event)
	if err != nil {
		return nil, err
	}
	peaks, err := measurePeaks(ctx, binaries[peak], entries)
	if err != nil {
		return nil, err
	}
	report(out, entries, results, peaks, n)
	return goals(results, peaks), nil
}
