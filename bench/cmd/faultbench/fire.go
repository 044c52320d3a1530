//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dsh-lua/dsh/internal/group"
)

// A dialect has its hooks in a file of its own name.
type dialect struct{ name, file string }

var dialects = []dialect{{"claude-code", "settings.json"}, {"codex", "hooks.json"}}

func (d dialect) isIn(list string) bool { return slices.Contains(strings.Fields(list), d.name) }

type hook struct {
	line    string
	timeout time.Duration
}

// ran is what came of an event.
type ran struct {
	took     time.Duration // of the event, as dsh says
	memory   float64       // in MiB; see memory
	left     int           // processes that live after it
	timedOut bool          // a hook was ended by its time-out
	says     string        // all that was printed
}

// fire runs hooks for an event by `dsh hooks fire`.
func fire(ctx context.Context, dir string, d dialect, hooks []hook) (r ran, err error) {
	file := filepath.Join(dir, d.file)
	if err := os.WriteFile(file, settings(hooks), 0o600); err != nil {
		return r, err
	}
	command := exec.CommandContext(ctx, filepath.Join(dir, "dsh"), "hooks", "fire", "PreToolUse", file, "--dialect", d.name, "--tool", "Bash", "--json")
	mark := fmt.Sprintf("FAULTBENCH=%d.%d", os.Getpid(), time.Now().UnixNano())
	command.Env = append(os.Environ(), mark)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err = command.Run()
	r.left = len(group.Marked(mark))
	group.KillMarked(mark)
	// A hook that fails makes the status 1, and is no error here.
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return r, fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	r.memory = memory(command.ProcessState)
	return r, r.read(stdout.Bytes(), len(hooks))
}

// settings is a file of hooks of one event, as both clients read it.
func settings(hooks []hook) []byte {
	type command struct {
		Type    string  `json:"type"`
		Command string  `json:"command"`
		Timeout float64 `json:"timeout"`
	}
	type group struct {
		Hooks []command `json:"hooks"`
	}
	var g group
	for _, h := range hooks {
		g.Hooks = append(g.Hooks, command{"command", h.line, h.timeout.Seconds()})
	}
	text, _ := json.Marshal(map[string]any{"hooks": map[string][]group{"PreToolUse": {g}}}) // of these types never fails
	return text
}

// read takes what dsh printed about an event with a number of hooks.
func (r *ran) read(printed []byte, hooks int) error {
	r.says = string(printed[:min(len(printed), 1000)])
	var events []struct {
		Took  float64 `json:"took_ms"`
		Hooks []struct {
			TimedOut bool `json:"timed_out"`
		} `json:"hooks"`
	}
	if err := json.Unmarshal(printed, &events); err != nil {
		return fmt.Errorf("%w: %s", err, r.says)
	}
	if len(events) != 1 || len(events[0].Hooks) != hooks {
		return fmt.Errorf("not all hooks ran: %s", r.says)
	}
	r.took = time.Duration(events[0].Took * float64(time.Millisecond))
	for _, h := range events[0].Hooks {
		r.timedOut = r.timedOut || h.TimedOut
	}
	return nil
}

// memory is the most that a process had resident, in MiB. The system also counts
// what it has waited for, and this process at the time of the start, so it is no
// less than the truth.
func memory(s *os.ProcessState) float64 {
	usage, is := s.SysUsage().(*syscall.Rusage)
	if !is {
		return 0
	}
	unit := 1 << 10 // of the system, in bytes
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return float64(usage.Maxrss) * float64(unit) / (1 << 20)
}
