// Package rounds times whole processes, and work within this one, against each
// other.
//
// A machine drifts: its clock rate, its caches and its other work change within
// seconds. So nothing here times one program many times and then the next.
// Every round runs every entry once, in an order shuffled anew, and a ratio is
// the median over the rounds of two times from the same round.
package rounds

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Entry is one program under measure.
type Entry struct {
	// Name identifies the entry in results; unique within a run.
	Name string
	// Argv is the absolute path of the program and its arguments.
	Argv []string
	// Env is the whole environment of the process.
	Env []string
	// Dir is the folder it runs in.
	Dir string
}

// Answer runs the entry once, untimed, with stdin as its standard input and
// returns what it printed on both outputs. A status other than 0 is an error.
func (e Entry) Answer(ctx context.Context, stdin string) (string, error) {
	command := exec.CommandContext(ctx, e.Argv[0], e.Argv[1:]...)
	command.Env, command.Dir, command.Stdin = e.Env, e.Dir, strings.NewReader(stdin)
	var printed bytes.Buffer
	command.Stdout, command.Stderr = &printed, &printed
	if err := command.Run(); err != nil {
		return printed.String(), fmt.Errorf("%s: %w: %s", e.Name, err, strings.TrimSpace(printed.String()))
	}
	return printed.String(), nil
}

// once times the process from before it is started until it has been reaped.
func (e Entry) once(stdin string, discard *os.File) (time.Duration, error) {
	in, err := os.Open(stdin)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	attr := &os.ProcAttr{Dir: e.Dir, Env: e.Env, Files: []*os.File{in, discard, discard}}
	start := time.Now()
	process, err := os.StartProcess(e.Argv[0], e.Argv, attr)
	if err != nil {
		return 0, err
	}
	state, err := process.Wait()
	took := time.Since(start)
	if err == nil && !state.Success() {
		err = fmt.Errorf("%s: %s", e.Name, state)
	}
	return took, err
}

// Results are the times of one run: by entry name, one time per round.
type Results map[string][]time.Duration

// Run times every entry in each of n rounds; stdin names the file that each
// process reads. A context that ends, or a process that fails, ends the run:
// the time of a program that did not do its work is worth nothing.
func Run(ctx context.Context, entries []Entry, n int, stdin string) (Results, error) {
	discard, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer discard.Close()
	works := make([]Work, len(entries))
	for i, entry := range entries {
		works[i] = Work{entry.Name, func() (time.Duration, error) { return entry.once(stdin, discard) }}
	}
	return Interleave(ctx, works, n)
}

// Work is anything that can be timed.
type Work struct {
	// Name identifies the work in results; unique within a run.
	Name string
	// Once does the work and says how long it took.
	Once func() (time.Duration, error)
}

// Interleave times every work in each of n rounds. A context that ends, or a
// work that fails, ends the run.
func Interleave(ctx context.Context, works []Work, n int) (Results, error) {
	groups := make([][]Work, len(works))
	for i := range works {
		groups[i] = works[i : i+1]
	}
	return InterleaveGroups(ctx, groups, n)
}

// InterleaveGroups is [Interleave] for works of which some are to be compared:
// the works of a group are timed right after each other, in an order shuffled anew.
func InterleaveGroups(ctx context.Context, groups [][]Work, n int) (Results, error) {
	results := Results{}
	shuffle := rand.New(rand.NewPCG(1, 2)) // fixed, so that every run measures in the same order
	for range n {
		for _, at := range shuffle.Perm(len(groups)) {
			group := groups[at]
			for _, at := range shuffle.Perm(len(group)) {
				if err := context.Cause(ctx); err != nil {
					return nil, err
				}
				took, err := group[at].Once()
				if err != nil {
					return nil, err
				}
				results[group[at].Name] = append(results[group[at].Name], took)
			}
		}
	}
	return results, nil
}

// Median is the middle time of the entry; 0 if it has none.
func (r Results) Median(name string) time.Duration { return median(r[name]) }

// Least is the shortest time of the entry; 0 if it has none.
func (r Results) Least(name string) time.Duration {
	if len(r[name]) == 0 {
		return 0
	}
	return slices.Min(r[name])
}

// Ratio is the median over the rounds of name's time by base's time in the same
// round; 0 if either is missing.
func (r Results) Ratio(name, base string) float64 {
	return r.Within(func(times ...float64) float64 { return times[0] / times[1] }, name, base)
}

// Within is the median over the rounds of what figure makes of the times that the
// named entries took in the same round; 0 if one of them has none.
func (r Results) Within(figure func(times ...float64) float64, names ...string) float64 {
	n := len(r[names[0]])
	for _, name := range names {
		n = min(n, len(r[name]))
	}
	figures, times := make([]float64, n), make([]float64, len(names))
	for i := range n {
		for j, name := range names {
			times[j] = float64(r[name][i])
		}
		figures[i] = figure(times...)
	}
	return median(figures)
}

func median[T time.Duration | float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
