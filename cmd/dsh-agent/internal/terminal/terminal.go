// Package terminal talks with the human: it reads lines, asks questions, and
// makes text from elsewhere safe to show.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// Is reports whether x is a terminal.
func Is(x any) bool {
	f, ok := x.(*os.File)
	yes := false
	if ok {
		control(f, func(fd int) { yes = term.IsTerminal(fd) })
	}
	return yes
}

// control calls do with the descriptor of f, which stays as it is: to ask for it
// in the plain way would make reads impossible to interrupt.
func control(f *os.File, do func(fd int)) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { do(int(fd)) })
	}
}

// device is the terminal that a process belongs to, whatever its streams are.
const device = "/dev/tty"

// A Terminal is where a human sits. It is safe for concurrent use.
type Terminal struct {
	file  *os.File
	own   bool // file is to be closed
	lines *Lines
	turn  sync.Mutex // one question at a time
}

// Open returns the terminal of the process; nil if there is none. stdin stands in
// where the system has no name for it.
func Open(stdin io.Reader) *Terminal {
	if f, err := os.OpenFile(device, os.O_RDWR, 0); err == nil {
		if Is(f) {
			return &Terminal{file: f, own: true, lines: NewLines(f)}
		}
		f.Close()
	}
	if f, ok := stdin.(*os.File); ok && Is(f) {
		return &Terminal{file: f, lines: NewLines(f)}
	}
	return nil
}

// Close ends reading.
func (t *Terminal) Close() {
	t.lines.Close()
	if t.own {
		t.file.Close()
	}
}

// Ask prompts for a line.
func (t *Terminal) Ask(ctx context.Context, prompt string) (string, error) {
	t.turn.Lock()
	defer t.turn.Unlock()
	return t.ask(ctx, prompt)
}

func (t *Terminal) ask(ctx context.Context, prompt string) (string, error) {
	if _, err := io.WriteString(t.file, prompt); err != nil {
		return "", err
	}
	return t.lines.Next(ctx)
}

// answers says what a line means; any other line is asked again.
var answers = map[string]bool{"y": true, "yes": true, "n": false, "no": false, "": false}

// tries is how often a question is asked that gets no answer.
const tries = 3

// Confirm shows text and asks whether to go on. What was typed before is no
// answer: nobody can agree to what he has not seen. An end of the input, or too
// many lines that are no answer, mean no.
func (t *Terminal) Confirm(ctx context.Context, text string) (bool, error) {
	t.turn.Lock()
	defer t.turn.Unlock()
	t.lines.discard()
	discardInput(t.file)
	if _, err := io.WriteString(t.file, text); err != nil {
		return false, err
	}
	for range tries {
		line, err := t.ask(ctx, "allow this call? [y/N] ")
		if errors.Is(err, io.EOF) {
			fmt.Fprintln(t.file)
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if yes, known := answers[strings.ToLower(strings.TrimSpace(line))]; known {
			return yes, nil
		}
	}
	return false, nil
}
