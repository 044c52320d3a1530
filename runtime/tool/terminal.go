package tool

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/dsh-lua/dsh/internal/visible"
)

// Terminal is an [Approver] that asks the user on a terminal and takes y or yes
// for a grant and anything else for a refusal. Questions are asked one at a
// time. What is typed after a question was cancelled is not taken for the answer
// to the next one. The end of the input means that nobody answers.
type Terminal struct {
	in    io.Reader
	out   io.Writer
	once  sync.Once
	lines chan string
	turn  chan struct{} // holds one token; who has it may ask
}

// typeAhead is how many lines are taken off the input while nobody asks.
const typeAhead = 64

// NewTerminal returns an approver that reads lines from in and writes to out.
// From the first question on it reads in on a goroutine, which ends with in.
func NewTerminal(in io.Reader, out io.Writer) *Terminal {
	return &Terminal{in: in, out: out, lines: make(chan string, typeAhead), turn: make(chan struct{}, 1)}
}

// Approve implements [Approver].
func (t *Terminal) Approve(ctx context.Context, a Approval) (ApprovalDecision, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	first := false
	t.once.Do(func() { first = true; go t.read() })
	if !first && !t.forget() {
		return Pass{}, nil
	}
	question := strings.ReplaceAll(visible.Text(a.Call.Tool+" "+Preview(a.Call.Arguments), "\n"), "\n", " ")
	if a.Reason != "" {
		question += "\n" + visible.Text(a.Reason, "\n")
	}
	if _, err := fmt.Fprintf(t.out, "%s\nAllow this call? [y/N] ", question); err != nil {
		return nil, err
	}
	select {
	case line, open := <-t.lines:
		switch answer := strings.ToLower(strings.TrimSpace(line)); {
		case !open:
			return Pass{}, nil
		case answer == "y", answer == "yes":
			return Grant{}, nil
		}
		return Refuse{}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (t *Terminal) read() {
	defer close(t.lines)
	for scanner := bufio.NewScanner(t.in); scanner.Scan(); {
		t.lines <- scanner.Text()
	}
}

// forget drops what was typed before the question. It reports whether there is
// still somebody to ask.
func (t *Terminal) forget() bool {
	for {
		select {
		case _, open := <-t.lines:
			if !open {
				return false
			}
		default:
			return true
		}
	}
}
