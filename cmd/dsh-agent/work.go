package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/terminal"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/session"
)

// errLeft is why the program ends before its work does.
var errLeft = errors.New("the program was told to end")

// parting is how long what is under way has to end when the program does.
const parting = 3 * time.Second

// work runs the prompt, or one prompt after the other, and closes the agent.
func (p *program) work(ctx context.Context) error {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	unwatch := p.watch(func() { leave(errLeft) })
	defer unwatch()

	var err error
	if p.opts.prompt != "" {
		err = p.turn(ctx, p.opts.prompt)
	} else {
		err = p.converse(ctx)
	}
	reason := "done"
	if errors.Is(err, errLeft) {
		reason = "interrupted"
	}
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
	defer cancel()
	if slow := p.agent.Close(brief, reason); slow != nil {
		p.report.Warn("something that is under way does not end, and is left behind")
	}
	switch {
	case errors.Is(err, errLeft):
		return status(exitLeft)
	case err != nil:
		return err
	case !p.asked && p.atTerminal():
		return nil // the human went away again
	case !p.asked:
		return errors.New("no prompt: give one behind the options, or as a line of standard input")
	}
	return outcome(p.log.Work(), p.before)
}

// turn gives the agent one prompt and waits until it has nothing more to do.
func (p *program) turn(ctx context.Context, prompt string) error {
	p.asked = true
	if err := p.agent.Followup(ctx, agent.Said(prompt)); err != nil {
		return err
	}
	return p.agent.WhenIdle(ctx)
}

// converse takes every line for a prompt, until there are no more.
func (p *program) converse(ctx context.Context) error {
	next, done := p.reader()
	defer done()
	for {
		line, err := next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, terminal.ErrLong):
			p.asked = true
			p.report.Warn(err.Error())
			continue
		case err != nil:
			return err
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := p.turn(ctx, line); err != nil {
			return err
		}
	}
}

// invitation is what a human sees when the agent waits for a line.
const invitation = "\ndsh> "

// atTerminal reports whether prompts come from a human.
func (p *program) atTerminal() bool { return p.terminal != nil && terminal.Is(p.std.In) }

// reader returns where lines come from.
func (p *program) reader() (next func(context.Context) (string, error), done func()) {
	if p.atTerminal() {
		return func(ctx context.Context) (string, error) { return p.terminal.Ask(ctx, invitation) }, func() {}
	}
	lines := terminal.NewLines(p.std.In)
	return lines.Next, lines.Close
}

// watch handles signals until the returned function is called, which waits for
// its end. Ctrl-C cancels the turn under way; if there is none, or it is being
// cancelled already, leave is called. After that a signal does what it does to
// any program: it kills this one.
func (p *program) watch(leave func()) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	quit := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		cancelled := -1
		for {
			select {
			case <-quit:
				return
			case s := <-signals:
				turn, _ := p.log.Turn()
				if s == os.Interrupt && p.agent.Status() == agent.Running && turn != cancelled {
					cancelled = turn
					p.report.Tell("the turn is being cancelled; once more to end the program")
					p.agent.Cancel(session.Cause{Kind: session.CauseUser}, false)
					continue
				}
				signal.Stop(signals)
				leave()
				return
			}
		}
	})
	return func() {
		signal.Stop(signals)
		close(quit)
		group.Wait()
	}
}
