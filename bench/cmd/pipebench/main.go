// Command pipebench times tool calls in this process: the pipeline itself, and
// what handlers in Go and in Lua add to it.
//
//	go run ./bench/cmd/pipebench [-n ROUNDS] [-check]
//
// Every round times every form once, in an order shuffled anew, over about a
// millisecond of calls. What a form costs is the least of its rounds: whatever
// else the machine does can only add to it. With -check the exit status is 1 if
// a goal is missed.
package main

import (
	"context"
	"io"
	"os"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

func main() { os.Exit(rounds.Main(200, bench)) }

func bench(ctx context.Context, n int, out io.Writer) ([]rounds.Goal, error) {
	list, err := forms(ctx)
	if err != nil {
		return nil, err
	}
	works := make([]rounds.Work, 0, len(list))
	for _, f := range list {
		work, err := f.work(ctx)
		if err != nil {
			return nil, err
		}
		works = append(works, work)
	}
	results, err := rounds.Interleave(ctx, works, n)
	if err != nil {
		return nil, err
	}
	report(out, list, results, n)
	return append(goals(results), allocations(ctx, list)), nil
}
