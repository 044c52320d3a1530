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
}

// countingGoal is the ratio that counting instructions must not exceed.
const countingGoal = 1.15

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
	ratio := results.Ratio(counting, plain)
	fmt.Fprintf(out, "%-6s %s: %.3f of %s, goal %.2f\n", verdict(ratio > 0 && ratio <= countingGoal), counting, ratio, plain, countingGoal)
	return missed
}

func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
