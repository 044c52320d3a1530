// Command pipebench times tool calls in this process: the pipeline itself, and
// what handlers in Go and in Lua add to it.
//
//	go run ./bench/cmd/pipebench [-n ROUNDS] [-check]
//
// Every round times every form once, over one to two milliseconds of calls, in an
// order shuffled anew in which those that are compared follow each other. Before
// these calls comes one that is not counted: it finds the processor's caches
// filled by another form, and a stack that the collector has shrunk since it was
// last deep. What such a first call takes is shown beside the rest.
//
// One worker and two are timed in rounds of their own, before there is anything
// else: else they would spend as much time on collecting garbage among thousands
// of handlers that none of them has. They take their calls a few at a time, so
// that nobody waits for a worker that the machine holds up.
//
// A time is the least of its rounds: whatever else the machine does can only add
// to it. A comparison is made within each round, of calls that the machine treated
// alike, and is the median over the rounds; that of workers needs a machine that
// does nothing else. With -check the exit status is 1 if a goal is missed.
package main

import (
	"context"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

func main() { os.Exit(rounds.Main(200, bench)) }

// garbage is how much may pile up, in percent of what is in use, before it is
// collected. What is in use are thousands of handlers, most of them of other forms:
// at the usual 100 percent every second window would pay for marking these.
const garbage = 400

func bench(ctx context.Context, n int, out io.Writer) ([]rounds.Goal, error) {
	debug.SetGCPercent(garbage)
	shared, err := crews()
	if err != nil {
		return nil, err
	}
	results, err := measure(ctx, shared, n)
	if err != nil {
		return nil, err
	}
	alone, err := forms(ctx)
	if err != nil {
		return nil, err
	}
	rest, err := measure(ctx, alone, n)
	if err != nil {
		return nil, err
	}
	maps.Copy(results, rest)
	report(out, slices.Concat(slices.Concat(alone...), slices.Concat(shared...)), results, n)
	return append(goals(results), allocations(ctx, alone[0][0])), nil
}

// measure times the forms in n rounds.
func measure(ctx context.Context, groups [][]*form, n int) (rounds.Results, error) {
	works := make([][]rounds.Work, len(groups))
	for i, group := range groups {
		for _, f := range group {
			work, err := f.work(ctx)
			if err != nil {
				return nil, err
			}
			works[i] = append(works[i], work)
		}
	}
	return rounds.InterleaveGroups(ctx, works, n)
}
