package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

// The bounds.
const (
	callMost      = 2000.0 // ns, of a call that nobody is interested in
	allocsMost    = 12.0   // beyond the body
	bodyAllocs    = 2      // the value and the action that the tool itself makes
	handlerMost   = 150.0  // ns, of each handler in Go
	growthMost    = 1.15   // of a handler among ten times as many
	flatMost      = 1.1    // of a call among a thousand handlers for other tools
	workersLeast  = 1.6    // times the calls of one worker
	reusedMost    = 6000.0 // ns, of each handler in Lua
	freshMost     = 12000.0
	repeatedCalls = 200 // whose allocations are counted
)

// goals compares results with the bounds.
func goals(results rounds.Results) []rounds.Goal {
	least := func(name string, n int) float64 { return float64(results.Least(named(name, n))) }
	list := []rounds.Goal{{What: "call without extensions", Measured: float64(results.Least(bare)), Bound: callMost, Unit: "ns"}}
	for _, p := range delegates {
		each := (least(p.name, 100) - least(p.name, 10)) / 90
		list = append(list, rounds.Goal{What: p.name + " handler in Go, each", Measured: each, Bound: handlerMost, Unit: "ns"})
	}
	for _, p := range delegates {
		names := []string{named(p.name, 0), named(p.name, 100), named(p.name, 1000)}
		list = append(list, rounds.Goal{What: p.name + " handlers, 1000 to 100, each", Measured: results.Within(growth, names...), Bound: growthMost, Unit: "times"})
	}
	for i, most := range []float64{reusedMost, freshMost} {
		name, few, many := scripts[i].name, scriptCounts[0], scriptCounts[1]
		each := (least(name, many) - least(name, few)) / float64(many-few)
		list = append(list, rounds.Goal{What: name + " handler in Lua, each", Measured: each, Bound: most, Unit: "ns"})
	}
	list = append(list, rounds.Goal{What: "call among 1000 handlers for others", Measured: results.Ratio(named(elsewhere, 1000), named(elsewhere, 0)), Bound: flatMost, Unit: "times"})
	if runtime.GOMAXPROCS(0) < 2 {
		return list
	}
	for _, name := range []string{shortBodies, busyBodies} {
		gain := results.Ratio(named(name, 1), named(name, 2))
		list = append(list, rounds.Goal{What: name + " 2 to 1", Measured: gain, Bound: workersLeast, AtLeast: true, Unit: "times"})
	}
	return list
}

// growth is what each of the last 900 of 1000 handlers costs, in terms of the
// first 100, given the times without handlers, with 100 and with 1000.
func growth(times ...float64) float64 {
	return (times[2] - times[1]) / 900 / ((times[1] - times[0]) / 100)
}

// allocations counts what the pipeline allocates for a call without extensions,
// as f makes them.
func allocations(ctx context.Context, f *form) rounds.Goal {
	n := testing.AllocsPerRun(repeatedCalls, func() { f.call(ctx, 1) })
	return rounds.Goal{What: "call without extensions, beyond its body", Measured: n - bodyAllocs, Bound: allocsMost, Unit: "allocations"}
}

func report(out io.Writer, list []*form, results rounds.Results, n int) {
	fmt.Fprintf(out, "calls in this process, %d rounds in shuffled order\n", n)
	fmt.Fprintf(out, "%-28s %12s %12s %12s\n", "", "least µs", "median µs", "first µs")
	for _, f := range list {
		fmt.Fprintf(out, "%-28s %12.2f %12.2f", f.name, rounds.Micro(results.Least(f.name)), rounds.Micro(results.Median(f.name)))
		if len(f.firsts) > 0 {
			fmt.Fprintf(out, " %12.2f", rounds.Micro(rounds.Results{f.name: f.firsts}.Median(f.name)))
		}
		fmt.Fprintln(out)
	}
}
