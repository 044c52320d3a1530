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
	"fmt"
	"io"
	"os"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

func main() { os.Exit(rounds.Main(0, bench)) }

// measures are taken in this order: memory that the process took once, it keeps.
var measures = []struct {
	goal rounds.Goal
	take func(ctx context.Context, dir string) (float64, error)
}{
	{rounds.Goal{What: "appending events of 1 KB to a file", Unit: "events/s", Bound: 100_000, AtLeast: true}, appending},
	{rounds.Goal{What: "memory of a process that opens a log of 100 MB", Unit: "MB", Bound: 64}, resuming},
	{rounds.Goal{What: "a step, log in a file", Unit: "µs", Bound: 50}, stepInFile},
	{rounds.Goal{What: "a step, log in memory", Unit: "µs", Bound: 50}, stepInMemory},
	{rounds.Goal{What: "memory that each of 9,000 turns leaves", Unit: "bytes", Bound: 2000}, leaving},
}

func bench(ctx context.Context, _ int, _ io.Writer) (goals []rounds.Goal, err error) {
	dir, err := os.MkdirTemp("", "loopbench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, m := range measures {
		if m.goal.Measured, err = m.take(ctx, dir); err != nil {
			return nil, fmt.Errorf("%s: %w", m.goal.What, err)
		}
		goals = append(goals, m.goal)
	}
	return goals, nil
}
