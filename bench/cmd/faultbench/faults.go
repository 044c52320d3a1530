//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A fault is a hook that does not behave.
type fault struct {
	name, line string
	timeout    time.Duration
	ends       string // the dialects in which it ends before its time-out
}

// Each ends by itself if nobody ends it, some time after the benchmark.
var faults = []fault{
	{"ignores TERM", `trap '' TERM; while :; do sleep 600; done`, time.Second, ""},
	{"starts processes without end", `trap '' TERM; while :; do sleep 600 & sleep 0.005; done`, time.Second, ""},
	{"starts sessions without end", `while :; do setsid sleep 600 & sleep 0.01; done`, time.Second, ""},
	{"prints without end", `yes 'a line of what is printed'`, time.Second, ""},
	{"prints 1 GiB", `yes 'a line of what is printed' | head -c 1073741824`, time.Minute, "claude-code codex"},
	{"leaves who holds its output", `sleep 600 & exit 0`, time.Second, "claude-code"},
	{"hides who holds its output", `(setsid sleep 600 &); sleep 600`, time.Second, ""},
}

// A crowd is a number of hooks of one event, of which the last takes a second and
// those before it less and less.
type crowd struct {
	name string
	size int
}

var crowds = []crowd{{"the slowest hook of fifty", 1}, {"fifty hooks of one event", 50}}

func (c crowd) hooks() (list []hook) {
	for i := range c.size {
		list = append(list, hook{fmt.Sprintf("sleep %.2f", 1-float64(i)/50), time.Minute})
	}
	return list
}

// worst fires the hook n times and returns the most of everything.
func (f fault) worst(ctx context.Context, dir string, d dialect, n int) (worst ran, err error) {
	for range n {
		r, err := fire(ctx, dir, d, []hook{{f.line, f.timeout}})
		if err != nil {
			return worst, err
		}
		if r.timedOut == d.isIn(f.ends) {
			return worst, errors.New("it did not fail as it should: " + r.says)
		}
		worst.took, worst.memory, worst.left = max(worst.took, r.took), max(worst.memory, r.memory), max(worst.left, r.left)
	}
	return worst, nil
}
