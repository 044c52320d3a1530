// Command loopbench measures the agent loop and its log within one process: what
// a step costs beside the model and the tools, how fast events are appended to a
// file, what ten thousand turns leave in memory, and how much memory it takes to
// open a log of 100 MB.
//
//	go run ./bench/cmd/loopbench [-check]
//
// The machine is not idle, so times are taken over short stretches, and the least
// counts. With -check the exit status is 1 if a goal is missed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	check := flag.Bool("check", false, "exit 1 if a goal is missed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	missed, err := bench(ctx, os.Stdout)
	stop()
	if err == nil && *check && missed > 0 {
		err = fmt.Errorf("%d of %d goals missed", missed, len(goals))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "loopbench:", err)
		os.Exit(1)
	}
}

// A goal is a number that must not be exceeded, or not be fallen short of.
type goal struct {
	what    string
	measure func(ctx context.Context, dir string) (float64, error)
	unit    string
	bound   float64
	least   bool // the bound is the least that is wanted
}

// goals are measured in this order: memory that the process took once, it keeps.
var goals = []goal{
	{"appending events of 1 KB to a file", appending, "events/s", 100_000, true},
	{"memory of a process that opens a log of 100 MB", resuming, "MB", 64, false},
	{"a step, log in a file", stepInFile, "µs", 50, false},
	{"a step, log in memory", stepInMemory, "µs", 50, false},
	{"memory that each of 9,000 turns leaves", leaving, "bytes", 2000, false},
}

// bench measures and judges. It returns how many goals were missed.
func bench(ctx context.Context, out io.Writer) (missed int, err error) {
	dir, err := os.MkdirTemp("", "loopbench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	word := map[bool]string{true: "ok", false: "MISSED"}
	for _, g := range goals {
		got, err := g.measure(ctx, dir)
		if err != nil {
			return missed, fmt.Errorf("%s: %w", g.what, err)
		}
		met, than := got <= g.bound, "at most"
		if g.least {
			met, than = got >= g.bound, "at least"
		}
		if !met {
			missed++
		}
		fmt.Fprintf(out, "%-6s %s: %.1f %s, goal %s %.0f\n", word[met], g.what, got, g.unit, than, g.bound)
	}
	return missed, nil
}
