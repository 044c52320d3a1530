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
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

type options struct {
	rounds int  // how often every form is timed
	check  bool // a missed goal is an error
}

func main() {
	var opts options
	flag.IntVar(&opts.rounds, "n", 200, "how many rounds to run")
	flag.BoolVar(&opts.check, "check", false, "exit 1 if a goal is missed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := bench(ctx, opts, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "pipebench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, opts options, out io.Writer) error {
	list, err := forms(ctx)
	if err != nil {
		return err
	}
	works := make([]rounds.Work, 0, len(list))
	for _, f := range list {
		work, err := f.work(ctx)
		if err != nil {
			return err
		}
		works = append(works, work)
	}
	results, err := rounds.Interleave(ctx, works, opts.rounds)
	if err != nil {
		return err
	}
	report(out, list, results, opts.rounds)
	goals := append(goals(results), allocations(ctx, list))
	if missed := judge(out, goals); opts.check && missed > 0 {
		return fmt.Errorf("%d of %d goals missed", missed, len(goals))
	}
	return nil
}
