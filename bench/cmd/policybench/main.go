// Command policybench times decisions of a Lua policy within one process: from
// the Go payload of a call, through the extension point, to the checked
// Decision. The policy has twenty lines. It is asked once in an instance that
// may be used again and once in one that is made anew for every call; the call
// is one that it denies, or one of which it has no opinion.
//
// It also times what counting instructions adds to a Lua machine, and five rules
// on a line of shell: on the commands that it runs and on its text, in Lua through
// the modules and in Go by the same analysis. The time in Lua is that of the whole
// decision; the rules on commands are written with shell.find and once more as loops.
//
//	go run ./bench/cmd/policybench [-n ROUNDS] [-check]
//
// The machine is not idle, so every round times each entry once, for a few
// milliseconds, and the least time of an entry counts; of what is
// held against something else, the median of the ratios within a round. With -check the exit status
// is 1 if a goal is missed.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

func main() { os.Exit(rounds.Main(150, bench)) }

func bench(ctx context.Context, n int, out io.Writer) ([]rounds.Goal, error) {
	entries, err := decisions(ctx)
	if err != nil {
		return nil, err
	}
	loops, err := loops(ctx)
	if err != nil {
		return nil, err
	}
	rules, err := ruleEntries(ctx)
	if err != nil {
		return nil, err
	}
	entries = slices.Concat(entries, loops, rules)
	results, err := run(ctx, entries, n)
	if err != nil {
		return nil, err
	}
	report(out, entries, results, n)
	return goals(results), nil
}

// An entry is one kind of work under measure.
type entry struct {
	name  string
	times int // how often it is done in a round
	do    func() error
}

// run times every entry in each of n rounds. Its results are the time of one go.
func run(ctx context.Context, entries []entry, n int) (rounds.Results, error) {
	results := rounds.Results{}
	for range n {
		for _, e := range entries {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			start := time.Now()
			for range e.times {
				if err := e.do(); err != nil {
					return nil, fmt.Errorf("%s: %w", e.name, err)
				}
			}
			results[e.name] = append(results[e.name], time.Since(start)/time.Duration(e.times))
		}
	}
	return results, nil
}
