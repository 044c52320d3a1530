package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
)

// A goal is a bound and what was measured against it.
type goal struct {
	what           string
	measured, most float64
	least          bool // most is what there must be at least
	unit           string
}

func (g goal) met() bool { return g.measured > 0 && (g.measured <= g.most) != g.least }

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
func goals(results rounds.Results) []goal {
	least := func(name string, n int) float64 { return float64(results.Least(named(name, n))) }
	alone := float64(results.Least(bare))
	list := []goal{{what: "call without extensions", measured: alone, most: callMost, unit: "ns"}}
	for _, p := range delegates {
		each := (least(p.name, 100) - least(p.name, 10)) / 90
		list = append(list, goal{what: p.name + " handler in Go, each", measured: each, most: handlerMost, unit: "ns"})
	}
	for _, p := range delegates {
		growth := (least(p.name, 1000) - least(p.name, 100)) / 900 / ((least(p.name, 100) - alone) / 100)
		list = append(list, goal{what: p.name + " handlers, 1000 to 100, each", measured: growth, most: growthMost, unit: "times"})
	}
	for i, most := range []float64{reusedMost, freshMost} {
		name, few, many := scripts[i].name, scriptCounts[0], scriptCounts[1]
		each := (least(name, many) - least(name, few)) / float64(many-few)
		list = append(list, goal{what: name + " handler in Lua, each", measured: each, most: most, unit: "ns"})
	}
	list = append(list, goal{what: "call among 1000 handlers for others", measured: least("elsewhere", 1000) / alone, most: flatMost, unit: "times"})
	if runtime.GOMAXPROCS(0) < 2 {
		return list
	}
	for _, name := range []string{"short bodies, workers", "busy bodies, workers"} {
		gain := least(name, 1) / least(name, 2)
		list = append(list, goal{what: name + " 2 to 1", measured: gain, most: workersLeast, least: true, unit: "times"})
	}
	return list
}

// allocations counts what the pipeline allocates for a call without extensions.
func allocations(ctx context.Context, list []*form) goal {
	n := testing.AllocsPerRun(repeatedCalls, func() { list[0].call(ctx, 1) })
	return goal{what: "call without extensions, beyond its body", measured: n - bodyAllocs, most: allocsMost, unit: "allocations"}
}

func report(out io.Writer, list []*form, results rounds.Results, n int) {
	fmt.Fprintf(out, "calls in this process, %d rounds in shuffled order\n", n)
	fmt.Fprintf(out, "%-28s %12s %12s\n", "", "least µs", "median µs")
	for _, f := range list {
		fmt.Fprintf(out, "%-28s %12.2f %12.2f\n", f.name, µs(results.Least(f.name)), µs(results.Median(f.name)))
	}
}

// judge prints how each goal was met and returns how many were missed.
func judge(out io.Writer, list []goal) (missed int) {
	for _, g := range list {
		word, bound := "ok", "at most"
		if g.least {
			bound = "at least"
		}
		if !g.met() {
			word, missed = "MISSED", missed+1
		}
		fmt.Fprintf(out, "%-6s %-42s %8.4g %s, goal %s %.4g\n", word, g.what, g.measured, g.unit, bound, g.most)
	}
	return missed
}

func µs(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
