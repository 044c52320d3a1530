// Package hook is the command "dsh hook": one event of a coding agent on standard
// input, the policies asked, the answer in the client's own protocol.
//
// It runs at every call of an agent, so whatever it imports is read from disk and
// initialised that often. Nothing that only the other commands need belongs here.
package hook

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
)

// Usage shows the command line.
const Usage = `Usage:
  dsh hook claude-code|codex [--project DIR] [--policy FILE]...

`

// Help says what the command does.
const Help = `Be the hook command of a coding agent: read the event from standard input,
ask the policies, and answer in the client's own protocol.

Policies are those that --policy names, and then the files .dsh/policies/*.lua of
the project (without *_test.lua), in byte order. The first stand outermost, so
nothing in a project can overrule what --policy says. The project is --project,
else CLAUDE_PROJECT_DIR, else the working directory of the hook; from there
upwards the nearest folder with .dsh counts, else the nearest with .git.

Nothing is printed where no policy has an opinion. A policy that fails denies
what it could have denied. Exit statuses are the client's: 0 answered, 2 an event
that cannot be read, or a command line that is wrong; both with one line on
standard error.`

type options struct {
	dialect  string
	project  string
	policies []string
}

// maxEvent bounds the event that a client sends, in bytes.
const maxEvent = 64 << 20

// longest is how long policies may think in all. A client that has waited too long
// lets the call pass, and a project can have any number of policies: they must not
// keep those of --policy from being heard. It is less than the 30 seconds that a
// client waits at least where policies can deny, if its settings say nothing else.
const longest = 20 * time.Second

// errLate is what longest ends a run with. Its text is made only if it is read.
var errLate error = late{}

type late struct{}

func (late) Error() string { return fmt.Sprintf("no answer within %s", longest) }

// Run is the command, with the arguments behind its name, and returns the exit
// status. It is total: whatever goes wrong, the client gets the answer that is safe
// for the event, in time.
func Run(ctx context.Context, args []string, std console.IO) int {
	ctx, cancel := within(ctx, longest, errLate)
	defer cancel()
	opts, err := parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(std.Out, Help+"\n\n"+Usage)
		return console.ExitOK
	case err != nil:
		fmt.Fprintf(std.Err, "dsh hook: %s\n", console.OneLine(err.Error()))
		return console.ExitUsage
	}
	return serve(ctx, opts, std)
}

func parse(args []string) (opts options, err error) {
	if len(args) == 0 {
		return opts, fmt.Errorf("name the client: %s", strings.Join(ClientNames(), " or "))
	}
	flags := flag.NewFlagSet("hook", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&opts.project, "project", "", "")
	flags.Func("policy", "", func(file string) error { opts.policies = append(opts.policies, file); return nil })
	if strings.HasPrefix(args[0], "-") {
		if err := flags.Parse(args); err != nil {
			return opts, err
		}
		if args = flags.Args(); len(args) == 0 {
			return opts, fmt.Errorf("name the client: %s", strings.Join(ClientNames(), " or "))
		}
	}
	opts.dialect = args[0]
	if err := flags.Parse(args[1:]); err != nil {
		return opts, err
	}
	if flags.NArg() > 0 {
		return opts, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	_, err = FindClient(opts.dialect)
	return opts, err
}

// serve reads the event, has it answered and writes the answer.
func serve(ctx context.Context, opts options, std console.IO) int {
	stdin, err := io.ReadAll(io.LimitReader(std.In, maxEvent+1))
	if err == nil && len(stdin) > maxEvent {
		err = fmt.Errorf("more than %d bytes", maxEvent)
	}
	if err != nil {
		reply := unreadable("the event cannot be read: " + err.Error())
		fmt.Fprint(std.Err, console.Printable(string(reply.Stderr)))
		return reply.Exit
	}
	c, _ := FindClient(opts.dialect)
	in := host.Invocation{Stdin: stdin, Env: os.Getenv}
	reply := answer(ctx, c, opts, in)
	if len(reply.Stderr) > 0 {
		fmt.Fprint(std.Err, console.Printable(string(reply.Stderr)))
	}
	if _, err := std.Out.Write(reply.Stdout); err != nil && reply.Exit == console.ExitOK {
		fmt.Fprintf(std.Err, "dsh hook: the answer could not be written: %s\n", console.OneLine(err.Error()))
		return c.Hook(claudecode.Options{}).Unsaid(in)
	}
	return reply.Exit
}

// answer asks the policies about an event.
func answer(ctx context.Context, c Client, opts options, in host.Invocation) (reply host.Reply) {
	var told remarks
	defer func() {
		if r := recover(); r != nil {
			reply = c.Hook(claudecode.Options{}).Fail(in, errors.New("internal error"))
		}
		if reply.Exit == console.ExitOK { // else there is one line, which the model may be shown
			reply.Stderr = append(told.text, reply.Stderr...)
		}
	}()
	var err error
	if in.Dir, err = os.Getwd(); err != nil {
		return c.Hook(claudecode.Options{}).Fail(in, err)
	}
	p := new(policies.Set)
	root, err := load(ctx, c, p, opts, in, &told)
	handlers := &p.Registry
	if err != nil {
		handlers = p.Behind(ctx, broken{err, c.Points()})
	}
	h := host.Host{Run: point.Run{Handlers: handlers}, Fires: c.Points()}
	return c.Hook(claudecode.Options{Project: root, First: told.first}).Serve(ctx, h, in)
}

// unreadable is the answer to what is no event of any client.
func unreadable(why string) host.Reply {
	return host.Reply{Stderr: []byte("dsh hook: " + console.OneLine(why) + "\n"), Exit: console.ExitUsage}
}

// load finds the project and loads its policies. What cannot be
// loaded is an error, which then stands in for the policy.
func load(ctx context.Context, c Client, p *policies.Set, opts options, in host.Invocation, told *remarks) (root string, err error) {
	dir := in.Dir
	for _, candidate := range []string{opts.project, in.Getenv("CLAUDE_PROJECT_DIR")} {
		if candidate != "" {
			dir = candidate
			break
		}
	}
	if root, err = policies.FindProject(dir); err != nil {
		return dir, fmt.Errorf("the project cannot be found: %w", err)
	}
	files, ignored, err := policies.OfProject(root)
	if err != nil {
		return root, fmt.Errorf("the project's policies cannot be listed: %w", err)
	}
	p.Warnings = ignored
	files = append(policies.Named(opts.policies), files...)
	if len(files) == 0 {
		told.once(in.Stdin, root, noPolicies(root))
		told.once(in.Stdin, root, p.Warnings...)
		return root, nil
	}
	err = p.Add(ctx, files, policies.Options{
		Fires: c.Points(), Tools: c.Tools(), Lazy: true,
		Services: policies.Services(sync.OnceValue(time.Now)), // one event, one time
		Log:      func(at, text string) { told.add(at + ": " + text) },
	})
	told.once(in.Stdin, root, p.Warnings...)
	return root, err
}

// broken stands in for policies that cannot be loaded: it fails wherever they
// could have decided.
type broken struct {
	err    error
	points []point.Point
}

// Name implements [point.Extension].
func (broken) Name() string { return "that did not load" }

// Install implements [point.Extension].
func (b broken) Install(in *point.Installer) error {
	for _, p := range b.points {
		p.HandleValue(in, func(context.Context, point.Asked) (point.Answer, error) { return point.Answer{}, b.err }, point.Attach{})
	}
	return nil
}
