package main

import (
	"fmt"
	"io"
	"time"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

// The names under which the goals speak of entries.
const (
	freshDeny     = "fresh instance, denies"
	freshNothing  = "fresh instance, no opinion"
	reusedDeny    = "reused instance, denies"
	reusedNothing = "reused instance, no opinion"
	counting      = "loop of 50,000 instructions, counted"
	plain         = "the same loop, not counted"
	shellInLua    = "five rules through shell"
	loopsInLua    = "the same, as loops over the commands"
	shellInGo     = "the same five rules on commands in Go"
	textInLua     = "five rules through re"
	textInGo      = "the same five rules on text in Go"
	reading       = "parse and walk of a pipeline of 140 bytes"
)

// bounds are the times that a decision must not exceed.
var bounds = []struct {
	entry string
	most  time.Duration
}{
	{freshDeny, 15 * time.Microsecond},
	{freshNothing, 15 * time.Microsecond},
	{reusedDeny, 5 * time.Microsecond},
	{reusedNothing, 5 * time.Microsecond},
	{reading, 20 * time.Microsecond},
}

// ratios are how many times the time of another entry an entry may take.
var ratios = []struct {
	entry, base string
	most        float64
}{
	{counting, plain, 1.15},
	{shellInLua, shellInGo, 3},
	{loopsInLua, shellInGo, 4},
	{textInLua, textInGo, 3},
}

func report(out io.Writer, entries []entry, results rounds.Results, n int) {
	fmt.Fprintf(out, "decisions in one process, %d rounds; the least time counts\n", n)
	fmt.Fprintf(out, "%-48s %9s %9s\n", "", "least µs", "median µs")
	for _, e := range entries {
		fmt.Fprintf(out, "%-48s %9.2f %9.2f\n", e.name, rounds.Micro(results.Least(e.name)), rounds.Micro(results.Median(e.name)))
	}
}

// goals compares results with the bounds.
func goals(results rounds.Results) (list []rounds.Goal) {
	for _, b := range bounds {
		list = append(list, rounds.Goal{What: b.entry, Measured: rounds.Micro(results.Least(b.entry)), Bound: rounds.Micro(b.most), Unit: "µs"})
	}
	for _, r := range ratios {
		list = append(list, rounds.Goal{What: r.entry, Measured: results.Ratio(r.entry, r.base), Bound: r.most, Unit: "times " + r.base})
	}
	return list
}
