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
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

type options struct {
	rounds int    // how often every entry runs
	check  bool   // a missed goal is an error
	dsh    string // the binary to time; built from the working tree if empty
}

func main() {
	var opts options
	flag.IntVar(&opts.rounds, "n", 100, "how many rounds to run")
	flag.BoolVar(&opts.check, "check", false, "exit 1 if a goal is missed")
	flag.StringVar(&opts.dsh, "dsh", "", "time this dsh binary instead of building one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := bench(ctx, opts, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "hookbench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, opts options, out io.Writer) error {
	dir, err := os.MkdirTemp("", "hookbench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binaries, err := build(ctx, dir, opts.dsh)
	if err != nil {
		return err
	}
	entries, err := lay(ctx, dir, binaries, out)
	if err != nil {
		return err
	}
	for _, contestant := range entries {
		if err := contestant.prove(ctx); err != nil {
			return err
		}
	}
	for _, file := range binaries {
		if err := recache(file); err != nil {
			return err
		}
	}
	event := filepath.Join(dir, "event.json")
	if err := os.WriteFile(event, []byte(allowed), 0o600); err != nil {
		return err
	}
	debug.SetGCPercent(-1) // a collection here would be timed as the child's
	results, err := rounds.Run(ctx, timed(entries), opts.rounds, event)
	if err != nil {
		return err
	}
	peaks, err := measurePeaks(ctx, binaries[peak], entries)
	if err != nil {
		return err
	}
	report(out, entries, results, peaks, opts.rounds)
	missed := judge(out, results, peaks)
	if opts.check && missed > 0 {
		return fmt.Errorf("%d of %d goals missed", missed, len(goals)+1)
	}
	return nil
}
