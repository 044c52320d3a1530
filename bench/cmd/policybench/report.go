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

// goals are the times that a decision must not exceed.
var goals = []struct {
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

// judge prints how each goal was met and returns how many were missed.
func judge(out io.Writer, results rounds.Results) (missed int) {
	verdict := func(met bool) string {
		if met {
			return "ok"
		}
		missed++
		return "MISSED"
	}
	for _, goal := range goals {
		least := results.Least(goal.entry)
		fmt.Fprintf(out, "%-6s %s: %.2f µs (median %.2f), goal %.0f µs\n", verdict(least > 0 && least <= goal.most),
			goal.entry, micro(least), micro(results.Median(goal.entry)), micro(goal.most))
	}
	for _, goal := range ratios {
		ratio := results.Ratio(goal.entry, goal.base)
		fmt.Fprintf(out, "%-6s %s: %.3f of %s, goal %.2f\n", verdict(ratio > 0 && ratio <= goal.most), goal.entry, ratio, goal.base, goal.most)
	}
	return missed
}

func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
