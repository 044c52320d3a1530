//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/hookproto/process"
)

// command is a hook that reads its payload and prints a decision.
const (
	command  = `read -r line; printf '{}'`
	decision = "{}"
)

var payload = []byte(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status"}}` + "\n")

// A way is one way to run the command.
type way struct {
	name string
	bare string // the way that it is held against
	hook bool   // a goal is about it
	run  func() error
}

func (w way) work() rounds.Work {
	return rounds.Work{Name: w.name, Once: func() (time.Duration, error) {
		start := time.Now()
		err := w.run()
		took := time.Since(start)
		if err != nil {
			err = fmt.Errorf("%s: %w", w.name, err)
		}
		return took, err
	}}
}

// A dialect runs hooks in its own shell, with its own kind of streams.
type dialect struct {
	name    string
	options process.Options
}

var dialects = []dialect{
	{"claude-code", claudecode.Process()},
	{"codex", codex.Process()},
}

// ways are those to run the command in the shell of the dialect.
func (d dialect) ways(ctx context.Context, stdin string, discard *os.File) ([]way, error) {
	shell, err := d.shell()
	if err != nil {
		return nil, err
	}
	argv := []string{shell, "-c", command}
	session := &syscall.SysProcAttr{Setsid: true}
	base := shell + ", bare"
	options := d.options
	options.Spare = new(process.Spare) // as bridges have it; the end of the program closes it
	return []way{
		{base, base, false, func() error { return bare(argv, stdin, discard, nil) }},
		{shell + ", bare, own session", base, false, func() error { return bare(argv, stdin, discard, session) }},
		{shell + ", os/exec", base, false, func() error { return captured(ctx, argv, nil) }},
		{shell + ", os/exec, own session", base, false, func() error { return captured(ctx, argv, session) }},
		{d.name + " hook", base, true, func() error { return hook(ctx, options) }},
	}, nil
}

func (d dialect) shell() (string, error) {
	for _, name := range d.options.Shells[""].Paths {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no shell of " + d.name)
}

// bare starts the command with files for its streams and waits for it.
func bare(argv []string, stdin string, discard *os.File, sys *syscall.SysProcAttr) error {
	in, err := os.Open(stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Env: os.Environ(), Files: []*os.File{in, discard, discard}, Sys: sys})
	if err != nil {
		return err
	}
	state, err := p.Wait()
	if err == nil && !state.Success() {
		err = errors.New(state.String())
	}
	return err
}

// captured runs the command with the payload and takes what it prints.
func captured(ctx context.Context, argv []string, sys *syscall.SysProcAttr) error {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stdout, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr, c.SysProcAttr = bytes.NewReader(payload), &stdout, &stderr, sys
	if err := c.Run(); err != nil || stdout.String() != decision {
		return fmt.Errorf("it printed %q: %w", stdout.String(), err)
	}
	return nil
}

func hook(ctx context.Context, o process.Options) error {
	r := o.Run(ctx, process.Command{Line: command, Env: os.Environ(), Stdin: payload, Timeout: time.Minute})
	if r.Err != nil || r.Exit != 0 || string(r.Stdout) != decision {
		return fmt.Errorf("%+v", r)
	}
	return nil
}
