package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
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
	"github.com/dsh-lua/dsh/runtime/value"
)

type benchOptions struct {
	policies []string
	payloads []string
	point    string
	from     string
	runs     int
	json     bool
}

func newBenchCmd(std console.IO) *cobra.Command {
	var opts benchOptions
	cmd := &cobra.Command{
		Use:   "bench POLICY... (--point NAME | --from CLIENT) --payload FILE...",
		Short: "Measure what policies cost on payloads",
		Long: `Measure what policies cost: put each payload to them again and again, and print
the steps that the budget counts, the time of one run, and what it allocates.

Steps are the same on every machine. Times are of the policies alone, without the
start of a process; the median and the slowest of twenty are told. What policies
keep in their state is forgotten.

The exit status is 0 if all could be measured; 1 if a policy or a payload is at
fault; 2 if the command line is wrong.`,
		Example: `  dsh bench no-force-push.lua --from claude-code --payload push.json --payload ls.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.policies = args
			return runBench(cmd.Context(), opts, std)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.point, "point", "", "the extension point whose payloads these are, by `NAME`")
	flags.StringVar(&opts.from, "from", "", "the `CLIENT` whose payloads these are: "+strings.Join(hook.ClientNames(), ", "))
	flags.StringArrayVar(&opts.payloads, "payload", nil, "a `FILE` with a payload; may be repeated")
	flags.IntVar(&opts.runs, "runs", 1000, "how often each payload is put")
	flags.BoolVar(&opts.json, "json", false, "print one line of JSON for each payload")
	return cmd
}

func (o benchOptions) check() error {
	switch {
	case len(o.policies) == 0:
		return errors.New("name at least one policy")
	case len(o.payloads) == 0:
		return errors.New("name at least one --payload")
	case (o.point == "") == (o.from == ""):
		return errors.New("name either --point or --from")
	case o.runs < 1:
		return errors.New("--runs: want at least 1")
	case o.point != "" && catalog.Find(o.point) == nil:
		return fmt.Errorf("no extension point %q%s", o.point, console.Suggest(o.point, catalog.Names()))
	case o.from != "":
		_, err := hook.FindClient(o.from)
		return err
	}
	return nil
}

func runBench(ctx context.Context, opts benchOptions, std console.IO) error {
	if err := opts.check(); err != nil {
		return usageError{err}
	}
	set := new(policies.Set)
	defer set.Close()
	var now time.Time
	services := policies.Trial(policies.Services(func() time.Time { return now }))
	if err := set.Add(ctx, policies.Named(opts.policies), policies.Options{Services: services}); err != nil {
		return err
	}
	for _, w := range set.Warnings {
		console.PrintLine(std.Err, "dsh: "+w)
	}
	now = time.Now()
	if !opts.json {
		fmt.Fprintf(std.Out, "%9s %10s %10s %11s %12s  %s\n", "steps", "median", "slowest", "bytes/run", "allocs/run", "payload")
	}
	for _, file := range opts.payloads {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		m, err := opts.measure(ctx, set, text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		m.print(std, file, opts.json)
	}
	return nil
}

// A measurement is what one payload costs.
type measurement struct {
	steps         int64
	median, worst time.Duration
	bytes, allocs uint64
}

// batches is how many times are compared: each is the mean of a batch of runs.
const batches = 20

// measure puts a payload to the policies, first to warm up and to see that it can be
// judged.
func (o benchOptions) measure(ctx context.Context, set *policies.Set, text []byte) (m measurement, err error) {
	run := point.Run{Handlers: &set.Registry}
	once, err := o.once(text)
	if err != nil {
		return m, err
	}
	watched := run
	watched.Observer = point.ObserverFunc(func(h point.Handled) { m.steps += h.Steps })
	if err := once(ctx, watched); err != nil {
		return m, err
	}
	each := max(1, o.runs/batches)
	var times []time.Duration
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range batches {
		start := time.Now()
		for range each {
			if err := once(ctx, run); err != nil {
				return m, err
			}
		}
		times = append(times, time.Since(start)/time.Duration(each))
	}
	runtime.ReadMemStats(&after)
	slices.Sort(times)
	total := uint64(each * batches)
	m.median, m.worst = times[len(times)/2], times[len(times)-1]
	m.bytes, m.allocs = (after.TotalAlloc-before.TotalAlloc)/total, (after.Mallocs-before.Mallocs)/total
	return m, nil
}

// once returns a function that puts a payload to policies one time.
func (o benchOptions) once(text []byte) (func(context.Context, point.Run) error, error) {
	if o.from != "" {
		c, err := hook.FindClient(o.from)
		if err != nil {
			return nil, err
		}
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		command := c.Hook(claudecode.Options{Project: dir, First: func(string) bool { return false }})
		in := host.Invocation{Stdin: text, Env: os.Getenv, Dir: dir}
		return func(ctx context.Context, run point.Run) error {
			return command.Explain(ctx, host.Host{Run: run, Fires: c.Points()}, in).Fault
		}, nil
	}
	payload, err := value.Parse(text)
	if err != nil {
		return nil, err
	}
	p := catalog.Find(o.point)
	return func(ctx context.Context, run point.Run) error {
		live := session.NewEffects(session.EffectInject, session.EffectSteer, session.EffectHalt, session.EffectTell)
		_, err := p.RunValue(ctx, run, payload, live)
		return err
	}, nil
}

func (m measurement) print(std console.IO, file string, asJSON bool) {
	if !asJSON {
		fmt.Fprintf(std.Out, "%9d %10s %10s %11d %12d  %s\n", m.steps, short(m.median), short(m.worst), m.bytes, m.allocs, file)
		return
	}
	line := value.OfObject(
		value.Member{Key: "payload", Value: value.OfString(file)}, value.Member{Key: "steps", Value: value.OfInt(m.steps)},
		value.Member{Key: "median_ns", Value: value.OfInt(m.median.Nanoseconds())}, value.Member{Key: "slowest_ns", Value: value.OfInt(m.worst.Nanoseconds())},
		value.Member{Key: "bytes", Value: value.OfInt(int64(m.bytes))}, value.Member{Key: "allocs", Value: value.OfInt(int64(m.allocs))},
	).AppendJSON(nil)
	_, _ = std.Out.Write(append(line, '\n')) // nobody is left to tell
}

func short(d time.Duration) string { return d.Round(10 * time.Nanosecond).String() }
