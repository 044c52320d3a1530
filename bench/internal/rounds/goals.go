package rounds

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"time"
)

// A Goal is what was measured beside what it must not exceed, or not fall short of.
type Goal struct {
	// What was measured, in a few words.
	What string
	// Measured is 0 or not a number if there is no measurement. That meets only
	// a bound that is 0 itself.
	Measured float64
	Bound    float64
	// AtLeast makes the bound the least that is wanted; else it is the most.
	AtLeast bool
	// Unit of both: "µs", "times", "MiB".
	Unit string
}

// Met reports whether the bound is kept.
func (g Goal) Met() bool {
	switch {
	case g.Bound == 0:
		return g.Measured == 0
	case g.AtLeast:
		return g.Measured >= g.Bound
	}
	return g.Measured > 0 && g.Measured <= g.Bound
}

// Judge prints a line about every goal and returns how many were missed.
func Judge(out io.Writer, goals []Goal) (missed int) {
	for _, g := range goals {
		word, bound := "ok", "at most"
		if g.AtLeast {
			bound = "at least"
		}
		if !g.Met() {
			word = "MISSED"
			missed++
		}
		fmt.Fprintf(out, "%-6s %-48s %9s %s, goal %s %s\n", word, g.What, number(g.Measured), g.Unit, bound, number(g.Bound))
	}
	return missed
}

// number is v with four digits that count, or all that a large one has.
func number(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Main is what a benchmark does, and returns its exit status. It reads the command
// line, with the flags that the caller has declared and its own: -n ROUNDS, unless
// n is 0, and -check. It lets bench measure in n rounds until an interrupt, and
// prints how the goals were met. The status is 1 if something failed or, with
// -check, if a goal was missed.
func Main(n int, bench func(ctx context.Context, n int, out io.Writer) ([]Goal, error)) (status int) {
	if n > 0 {
		flag.IntVar(&n, "n", n, "how many rounds to run")
	}
	check := flag.Bool("check", false, "exit 1 if a goal is missed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	goals, err := bench(ctx, n, os.Stdout)
	stop()
	if err == nil {
		if missed := Judge(os.Stdout, goals); *check && missed > 0 {
			err = fmt.Errorf("%d of %d goals missed", missed, len(goals))
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		return 1
	}
	return 0
}

// Micro is a time in microseconds, for goals.
func Micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Milli is a time in milliseconds, for goals.
func Milli(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
