//go:build unix

// Command runbench measures what running a hook costs over the bare fork and
// exec of the same command.
//
// Every round runs the command once in every way, in an order shuffled anew; a
// ratio is the median over the rounds of two times of the same round. The goal
// is about the bare way, with files for streams and no session; what a session
// alone costs is shown beside it, because no hook runs without one.
//
//	go run ./bench/cmd/runbench [-n ROUNDS] [-check]
//
// With -check the exit status is 1 if the goal is missed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/process"
)

// goal is the highest ratio that passes.
const goal = 1.15

// command is a hook that reads its payload and prints a decision.
const command = `read -r line; printf '{}'`

var payload = []byte(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status"}}` + "\n")

func main() {
	n := flag.Int("n", 300, "how many rounds to run")
	check := flag.Bool("check", false, "exit 1 if the goal is missed")
	flag.Parse()
	met, err := bench(context.Background(), *n, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "runbench:", err)
	}
	if err != nil || *check && !met {
		os.Exit(1)
	}
}

// A way is one way to run the command.
type way struct {
	name string
	hook bool // the goal is about it
	run  func() error
}

func bench(ctx context.Context, n int, out io.Writer) (met bool, err error) {
	dir, err := os.MkdirTemp("", "runbench-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	stdin := filepath.Join(dir, "payload.json")
	if err := os.WriteFile(stdin, payload, 0o600); err != nil {
		return false, err
	}
	discard, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return false, err
	}
	defer discard.Close()
	pipes := claudecode.Process()
	pipes.Sockets, pipes.Polite, pipes.Held = false, 0, -1
	ways := []way{
		{"bare fork and exec", false, func() error { return bare(stdin, discard, nil) }},
		{"bare, own session", false, func() error { return bare(stdin, discard, &syscall.SysProcAttr{Setsid: true}) }},
		{"claude-code", true, func() error { return hook(ctx, claudecode.Process()) }},
		{"pipes", true, func() error { return hook(ctx, pipes) }},
	}
	times, err := rounds(ways, n)
	if err != nil {
		return false, err
	}
	met = true
	ratios := make([]float64, len(ways)) // before the times are sorted
	for i := range ways {
		ratios[i] = median(times[i], times[0])
	}
	for i, w := range ways {
		ratio := ratios[i]
		verdict := "pass"
		switch {
		case !w.hook:
			verdict = "for comparison"
		case ratio > goal:
			verdict, met = "FAIL", false
		}
		slices.Sort(times[i])
		fmt.Fprintf(out, "%-20s %8.0f µs  ratio %.2f (goal ≤ %.2f) %s\n", w.name, float64(times[i][n/2].Nanoseconds())/1000, ratio, goal, verdict)
	}
	return met, nil
}

// bare starts the command with files for its streams and waits for it.
func bare(stdin string, discard *os.File, sys *syscall.SysProcAttr) error {
	in, err := os.Open(stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	p, err := os.StartProcess("/bin/sh", []string{"/bin/sh", "-c", command}, &os.ProcAttr{Env: os.Environ(), Files: []*os.File{in, discard, discard}, Sys: sys})
	if err != nil {
		return err
	}
	state, err := p.Wait()
	if err == nil && !state.Success() {
		err = fmt.Errorf("bare: %s", state)
	}
	return err
}

func hook(ctx context.Context, o process.Options) error {
	r := o.Run(ctx, process.Command{Line: command, Env: os.Environ(), Stdin: payload, Timeout: time.Minute})
	if r.Err != nil || r.Exit != 0 || string(r.Stdout) != "{}" {
		return fmt.Errorf("hook: %+v", r)
	}
	return nil
}

// rounds times every way once in each round.
func rounds(ways []way, n int) ([][]time.Duration, error) {
	times := make([][]time.Duration, len(ways))
	shuffle := rand.New(rand.NewPCG(1, 2))
	for range n {
		for _, i := range shuffle.Perm(len(ways)) {
			start := time.Now()
			if err := ways[i].run(); err != nil {
				return nil, err
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	return times, nil
}

// median is that of the ratios of two times of the same round.
func median(times, base []time.Duration) float64 {
	ratios := make([]float64, len(times))
	for i := range times {
		ratios[i] = float64(times[i]) / float64(base[i])
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}
