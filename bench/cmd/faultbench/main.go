//go:build unix

// Command faultbench runs hooks that do not behave, by `dsh hooks fire` and so in
// the runner that sessions have, and measures how long after their time-outs the
// event ends, how much memory the process that runs them takes at most, and how
// many processes are left. It also runs fifty hooks of one event beside the
// slowest of them alone.
//
//	go run ./bench/cmd/faultbench [-n ROUNDS] [-check]
//
// Of the faults the worst round counts; of the fifty hooks the median of the
// ratios within a round. With -check the exit status is 1 if a goal is missed.
// Processes that are left are only seen on Linux.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dsh-lua/dsh/bench/internal/binaries"
	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

// The goals.
const (
	grace      = 2 * time.Second // from the time-out to the end of the event
	mostMemory = 64.0            // MiB
	mostRatio  = 1.25            // fifty hooks to the slowest of them
)

func main() { os.Exit(rounds.Main(2, bench)) }

func bench(ctx context.Context, n int, out io.Writer) ([]rounds.Goal, error) {
	dir, err := os.MkdirTemp("", "faultbench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := binaries.Build(ctx, dir, "", "./cmd/dsh"); err != nil {
		return nil, err
	}
	goals, err := faulty(ctx, dir, n, out)
	if err != nil {
		return nil, err
	}
	atOnce, err := together(ctx, dir, n)
	return append(goals, atOnce), err
}

// faulty runs every fault in every dialect.
func faulty(ctx context.Context, dir string, n int, out io.Writer) (goals []rounds.Goal, err error) {
	memory := rounds.Goal{What: "memory of the process that runs them", Bound: mostMemory, Unit: "MiB"}
	left := rounds.Goal{What: "processes left", Unit: "processes"}
	fmt.Fprintf(out, "hooks that do not behave, the worst of %d rounds\n%-48s %9s %9s %9s\n", n, "", "s", "MiB", "left")
	for _, f := range faults {
		for _, d := range dialects {
			worst, err := f.worst(ctx, dir, d, n)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", f.name, d.name, err)
			}
			fmt.Fprintf(out, "%-48s %9.2f %9.1f %9d\n", f.name+", "+d.name, worst.took.Seconds(), worst.memory, worst.left)
			end := rounds.Goal{What: f.name + ", " + d.name, Measured: worst.took.Seconds(), Bound: (f.timeout + grace).Seconds(), Unit: "s"}
			goals = append(goals, end)
			memory.Measured = max(memory.Measured, worst.memory)
			left.Measured += float64(worst.left)
		}
	}
	return append(goals, memory, left), nil
}

// together runs fifty hooks, and the slowest of them alone.
func together(ctx context.Context, dir string, n int) (rounds.Goal, error) {
	works := make([]rounds.Work, len(crowds))
	for i, c := range crowds {
		works[i] = rounds.Work{Name: c.name, Once: func() (time.Duration, error) {
			r, err := fire(ctx, dir, dialects[0], c.hooks())
			return r.took, err
		}}
	}
	results, err := rounds.Interleave(ctx, works, n)
	goal := rounds.Goal{What: crowds[1].name, Measured: results.Ratio(crowds[1].name, crowds[0].name), Bound: mostRatio, Unit: "times " + crowds[0].name}
	return goal, err
}
