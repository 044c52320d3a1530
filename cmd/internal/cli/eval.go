package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/hook"
	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

type evalOptions struct {
	point    string
	from     string
	payload  string
	policies []string
	project  string
	grants   []string
	json     bool
	explain  bool
}

func newEvalCmd(std console.IO) *cobra.Command {
	var opts evalOptions
	cmd := &cobra.Command{
		Use:   "eval (--point NAME | --from CLIENT) (--policy FILE | --project DIR)...",
		Short: "Put one payload to policies and print what they decide",
		Long: `Put one payload to policies and print what they decide.

With --point the payload is dsh's own, as "dsh spec points" describes it; with
--from it is the very bytes that a client gives to its hook, and what happens is
what "dsh hook" would do. What policies keep in their state is read, and changes
to it are forgotten.

The exit status is 0 if there is an answer, whatever it is; 1 if a policy or the
payload is at fault; 2 if the command line is wrong.`,
		Example: `  dsh eval --from claude-code --payload call.json --policy no-force-push.lua
  dsh eval --point tools/pre-execute --payload - --policy a.lua --policy b.lua --explain`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runEval(cmd.Context(), opts, std) },
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.point, "point", "", "the extension point to run, by `NAME`")
	flags.StringVar(&opts.from, "from", "", "the `CLIENT` whose event the payload is: "+strings.Join(hook.ClientNames(), ", "))
	flags.StringVar(&opts.payload, "payload", "-", "the `FILE` with the payload; - is standard input")
	flags.StringArrayVar(&opts.policies, "policy", nil, "a Lua `FILE` to ask; may be repeated")
	flags.StringVar(&opts.project, "project", "", "ask the policies of the project at `DIR` too")
	flags.StringArrayVar(&opts.grants, "grant", nil, "let the --policy files do what needs a `GRANT`: preapprove")
	flags.BoolVar(&opts.json, "json", false, "print one line of JSON")
	flags.BoolVar(&opts.explain, "explain", false, "print every handler that ran")
	return cmd
}

// grantNames are the grants that a command line can give.
var grantNames = []string{string(tool.Preapprove)}

func (o evalOptions) check() error {
	switch {
	case (o.point == "") == (o.from == ""):
		return errors.New("name either --point or --from")
	case len(o.policies) == 0 && o.project == "":
		return errors.New("name at least one --policy, or a --project")
	case o.point != "" && catalog.Find(o.point) == nil:
		return fmt.Errorf("no extension point %q%s", o.point, console.Suggest(o.point, catalog.Names()))
	}
	for _, g := range o.grants {
		if g != string(tool.Preapprove) {
			return fmt.Errorf("no grant %q%s", g, console.Suggest(g, grantNames))
		}
	}
	if o.from != "" {
		_, err := hook.FindClient(o.from)
		return err
	}
	return nil
}

func runEval(ctx context.Context, opts evalOptions, std console.IO) error {
	if err := opts.check(); err != nil {
		return usageError{err}
	}
	text, err := readPayload(opts.payload, std.In)
	if err != nil {
		return outcome{fault: err}.print(opts, std)
	}
	e := &evaluation{opts: opts, std: std}
	defer e.policies.Close()
	root, err := e.load(ctx)
	for _, w := range e.policies.Warnings {
		console.PrintLine(std.Err, "dsh: "+w)
	}
	var out outcome
	switch {
	case err != nil:
		out = outcome{fault: err}
	case opts.from != "":
		out = e.event(ctx, text, root)
	default:
		out = e.point(ctx, text)
	}
	out.handled = e.handled
	if opts.explain {
		e.tellMisfits(out.fault)
	}
	return out.print(opts, std)
}

// tellMisfits warns of files that would be at fault at another event. The hook
// does not compile them for this one, so neither did the evaluation.
func (e *evaluation) tellMisfits(fault error) {
	for _, err := range e.policies.Misfits() {
		if !errors.Is(fault, err) {
			console.PrintLine(e.std.Err, fmt.Sprintf("dsh: does not concern this event: %v", err))
		}
	}
}

func readPayload(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(file)
}

// An evaluation is one run of eval.
type evaluation struct {
	opts     evalOptions
	std      console.IO
	policies policies.Set
	handled  []point.Handled
}

// load installs the policies: those of the command line, and behind them those
// of the project, which never get a grant.
func (e *evaluation) load(ctx context.Context) (root string, err error) {
	opts := policies.Options{
		Services: policies.Trial(policies.Services(sync.OnceValue(time.Now))),
		Log:      func(at, text string) { console.PrintLine(e.std.Err, at+": "+text) },
	}
	if e.opts.from != "" {
		c, _ := hook.FindClient(e.opts.from)
		opts.Fires, opts.Tools, opts.Lazy = c.Points(), c.Tools(), true
	}
	named := opts
	for _, g := range e.opts.grants {
		named.Grants = append(named.Grants, point.Grant(g))
	}
	if err := e.addNamed(ctx, named); err != nil || e.opts.project == "" {
		return "", err
	}
	if root, err = policies.FindProject(e.opts.project); err != nil {
		return "", err
	}
	files, ignored, err := policies.OfProject(root)
	if err != nil {
		return root, err
	}
	e.policies.Warnings = append(e.policies.Warnings, ignored...)
	if len(files)+len(ignored) == 0 {
		e.policies.Warnings = append(e.policies.Warnings, "no policies in "+filepath.Join(root, policies.Folder))
	}
	return root, e.policies.Add(ctx, files, opts)
}

// addNamed installs the policies of the command line. What keeps others from
// answering for the user of a client stands behind them.
func (e *evaluation) addNamed(ctx context.Context, opts policies.Options) error {
	if err := e.policies.Add(ctx, policies.Named(e.opts.policies), opts); err != nil || e.opts.from == "" {
		return err
	}
	_, err := e.policies.Registry.Install(policies.NoConsent{Who: "dsh"})
	return err
}

func (e *evaluation) run() point.Run {
	return point.Run{Handlers: &e.policies.Registry, Observer: point.ObserverFunc(func(h point.Handled) {
		e.handled = append(e.handled, h)
	})}
}

// point puts a payload of dsh's own to one point.
func (e *evaluation) point(ctx context.Context, text []byte) outcome {
	payload, err := value.Parse(text)
	if err != nil {
		return outcome{fault: fmt.Errorf("%s: %w", payloadName(e.opts.payload), err)}
	}
	live := session.NewEffects(session.EffectInject, session.EffectSteer, session.EffectHalt, session.EffectTell)
	p := catalog.Find(e.opts.point)
	answer, err := p.RunValue(ctx, e.run(), payload, live)
	if err != nil {
		return outcome{point: e.opts.point, fault: err}
	}
	return outcome{point: e.opts.point, answer: answer, kind: p.Kind(), effects: live}
}

// event puts a client's event to the points that it fires.
func (e *evaluation) event(ctx context.Context, text []byte, root string) outcome {
	c, _ := hook.FindClient(e.opts.from)
	in := host.Invocation{Stdin: text, Env: os.Getenv}
	var err error
	if in.Dir, err = os.Getwd(); err != nil {
		return outcome{fault: err}
	}
	o := claudecode.Options{Project: root, Approves: slices.Contains(e.opts.grants, string(tool.Preapprove))}
	return explain(ctx, c, host.Host{Run: e.run(), Fires: c.Points()}, in, o)
}

func payloadName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}
