//go:build unix

// Command runbench measures what running a hook costs over the bare fork and
// exec of the same command.
//
// Every round runs the command once in every way, in an order shuffled anew; a
// ratio is the median over the rounds of two times of the same round. The bare way
// is the least that any program can do: files for the streams, the output thrown
// away, and no session. That is what the goals are about. Shown beside it are what
// a session of its own costs, without which no client runs a hook, and what a Go
// program does that hands over the payload and takes the output by package
// os/exec.
//
//	go run ./bench/cmd/runbench [-n ROUNDS] [-check]
//
// With -check the exit status is 1 if a goal is missed.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

// most is how many times the bare way running a hook may take.
const most = 1.15

func main() { os.Exit(rounds.Main(300, bench)) }

func bench(ctx context.Context, n int, out io.Writer) ([]rounds.Goal, error) {
	dir, err := os.MkdirTemp("", "runbench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	stdin := filepath.Join(dir, "payload.json")
	if err := os.WriteFile(stdin, payload, 0o600); err != nil {
		return nil, err
	}
	discard, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer discard.Close()
	var ways []way
	for _, d := range dialects {
		list, err := d.ways(ctx, stdin, discard)
		if err != nil {
			return nil, err
		}
		ways = append(ways, list...)
	}
	works := make([]rounds.Work, len(ways))
	for i, w := range ways {
		works[i] = w.work()
	}
	results, err := rounds.Interleave(ctx, works, n)
	if err != nil {
		return nil, err
	}
	return report(out, ways, results, n), nil
}

func report(out io.Writer, ways []way, results rounds.Results, n int) (goals []rounds.Goal) {
	fmt.Fprintf(out, "one small command, %d rounds in shuffled order; ratios are medians over the rounds\n", n)
	fmt.Fprintf(out, "%-36s %9s %9s %9s\n", "", "least µs", "median µs", "times bare")
	for _, w := range ways {
		ratio := results.Ratio(w.name, w.bare)
		fmt.Fprintf(out, "%-36s %9.0f %9.0f %9.2f\n", w.name, rounds.Micro(results.Least(w.name)), rounds.Micro(results.Median(w.name)), ratio)
		if w.hook {
			goals = append(goals, rounds.Goal{What: w.name, Measured: ratio, Bound: most, Unit: "times " + w.bare})
		}
	}
	return goals
}
