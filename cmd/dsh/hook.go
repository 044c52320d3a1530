package main

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

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
)

const hookUsage = `Usage:
  dsh hook claude-code|codex [--project DIR] [--policy FILE]...

`

const hookHelp = `Be the hook command of a coding agent: read the event from standard input,
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

// newHookCmd describes the command in the tree, for help; main serves it before
// the tree is built.
func newHookCmd(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "hook " + strings.Join(dialectNames(), "|") + " [--project DIR] [--policy FILE]...",
		Short: "Be the hook command of a coding agent", Long: hookHelp,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] != "-h" && args[0] != "--help" {
				if runHook(cmd.Context(), args, std) != exitOK {
					return errReported
				}
				return nil
			}
			return cmd.Help()
		},
	}
}

type hookOptions struct {
	dialect  string
	project  string
	policies []string
}

// maxEvent bounds the event that a client sends, in bytes.
const maxEvent = 64 << 20

// runHook is the command. It is total: whatever goes wrong, the client gets the
// answer that is safe for the event.
func runHook(ctx context.Context, args []string, std stdio) int {
	growStack(len(args))
	opts, err := parseHook(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(std.out, hookHelp+"\n\n"+hookUsage)
		return exitOK
	case err != nil:
		fmt.Fprintf(std.err, "dsh hook: %s\n", oneLine(err.Error()))
		return exitUsage
	}
	return serveHook(ctx, opts, std)
}

func parseHook(args []string) (opts hookOptions, err error) {
	if len(args) == 0 {
		return opts, fmt.Errorf("name the client: %s", strings.Join(dialectNames(), " or "))
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
			return opts, fmt.Errorf("name the client: %s", strings.Join(dialectNames(), " or "))
		}
	}
	opts.dialect = args[0]
	if err := flags.Parse(args[1:]); err != nil {
		return opts, err
	}
	if flags.NArg() > 0 {
		return opts, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	_, err = findDialect(opts.dialect)
	return opts, err
}

// serveHook reads the event, has it answered and writes the answer.
func serveHook(ctx context.Context, opts hookOptions, std stdio) int {
	stdin, err := io.ReadAll(io.LimitReader(std.in, maxEvent+1))
	if err != nil || len(stdin) > maxEvent {
		reply := unreadable(fmt.Sprintf("the event cannot be read: more than %d bytes, or %v", maxEvent, err))
		fmt.Fprint(std.err, printable(string(reply.Stderr)))
		return reply.Exit
	}
	c, _ := findDialect(opts.dialect)
	in := host.Invocation{Stdin: stdin, Env: environment()}
	reply := answerHook(ctx, c, opts, in)
	fmt.Fprint(std.err, printable(string(reply.Stderr)))
	if _, err := std.out.Write(reply.Stdout); err != nil && reply.Exit == exitOK {
		fmt.Fprintf(std.err, "dsh hook: the answer could not be written: %s\n", oneLine(err.Error()))
		return c.hook(claudecode.Options{}).Unsaid(in)
	}
	return reply.Exit
}

// answerHook asks the policies about an event.
func answerHook(ctx context.Context, c client, opts hookOptions, in host.Invocation) (reply host.Reply) {
	var told remarks
	defer func() {
		if r := recover(); r != nil {
			reply = c.hook(claudecode.Options{}).Fail(in, errors.New("internal error"))
		}
		if reply.Exit == exitOK { // else there is one line, which the model may be shown
			reply.Stderr = append(told.text, reply.Stderr...)
		}
	}()
	var err error
	if in.Dir, err = os.Getwd(); err != nil {
		return c.hook(claudecode.Options{}).Fail(in, err)
	}
	p := new(policies.Set)
	root, err := loadHookPolicies(ctx, c, p, opts, in, &told)
	if err != nil {
		_, _ = p.Registry.Install(broken{err, c.points()})
	}
	h := host.Host{Run: point.Run{Handlers: &p.Registry}, Fires: c.points()}
	return c.hook(claudecode.Options{Project: root, First: firstTime}).Serve(ctx, h, in)
}

// unreadable is the answer to what is no event of any client.
func unreadable(why string) host.Reply {
	return host.Reply{Stderr: []byte("dsh hook: " + oneLine(why) + "\n"), Exit: exitUsage}
}

// loadHookPolicies finds the project and loads its policies. What cannot be
// loaded is an error, which then stands in for the policy.
func loadHookPolicies(ctx context.Context, c client, p *policies.Set, opts hookOptions, in host.Invocation, told *remarks) (root string, err error) {
	dir := in.Dir
	for _, candidate := range []string{opts.project, in.Env["CLAUDE_PROJECT_DIR"]} {
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
		Fires: c.points(), Tools: c.tools(), Lazy: true,
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

func environment() map[string]string {
	env := make(map[string]string)
	for _, pair := range os.Environ() {
		if k, v, ok := strings.Cut(pair, "="); ok {
			env[k] = v
		}
	}
	return env
}
