package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/internal/hookconfig"
)

type fireOptions struct {
	hooksOptions
	event   string
	payload string
	tool    string
	scrub   bool
	strict  bool
}

func newHooksFireCmd(std console.IO) *cobra.Command {
	var opts fireOptions
	cmd := &cobra.Command{
		Use:   "fire EVENT [FILE]...",
		Short: "Run the hooks of an event and show what comes of it",
		Long: `Run the hooks of an event on a payload and show what comes of it.

The hooks really run, as a session would run them: same bytes, same environment, same
time-outs, all at the same time. Nothing else does: there is no tool and no model. What each of
them answered, what they amount to at the client, and what that is on dsh's
extension points is printed.

The exit status is 0 if the hooks ran, whatever they say; 1 if one of them failed
or the payload is at fault; 2 if the command line is wrong.`,
		Example: `  dsh hooks fire PreToolUse --tool Write
  dsh hooks fire Stop --payload stop.json .claude/settings.json`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.event, opts.files = args[0], args[1:]
			return runHooksFire(cmd.Context(), opts, std)
		},
	}
	opts.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&opts.payload, "payload", "", "what hooks read is in `FILE`; - is standard input. Without it, a payload like the client's")
	flags.StringVar(&opts.tool, "tool", "", "make the payload one of a call of the tool `NAME`")
	flags.BoolVar(&opts.strict, "strict-hooks", false, "deny what a failing hook was to guard, as dsh run --strict-hooks does")
	flags.BoolVar(&opts.scrub, "scrub", false, "keep credentials out of the environment of the hooks")
	return cmd
}

func (o fireOptions) check() error {
	if o.payload != "" && o.tool != "" {
		return usageError{errors.New("--payload and --tool exclude each other")}
	}
	return o.hooksOptions.check()
}

func runHooksFire(ctx context.Context, opts fireOptions, std console.IO) error {
	if err := opts.check(); err != nil {
		return err
	}
	sets, err := opts.load()
	if err != nil {
		return err
	}
	reports, failed := []firedSet{}, false
	for _, s := range sets {
		if !hasEvent(s, opts.event) && len(sets) > 1 {
			continue // the other client's event
		}
		payload, err := opts.read(s, std.In)
		if err != nil {
			return err
		}
		r, err := hookconfig.Fire(ctx, s, hookconfig.Trial{
			Event: opts.event, Payload: payload, Environ: os.Environ(), Scrub: opts.scrub, Strict: opts.strict, Home: clientHome(),
		})
		if err != nil {
			return err
		}
		for _, run := range r.Runs {
			failed = failed || run.Output.Status == hookproto.StatusFailed && !run.Result.Canceled
		}
		if opts.json {
			reports = append(reports, firedOf(s, r))
			continue
		}
		printReport(std.Out, s, r)
	}
	if opts.json {
		if err := writeJSON(std.Out, reports); err != nil {
			return err
		}
	}
	if failed {
		return errReported
	}
	return nil
}

func hasEvent(s hookconfig.Set, event string) bool {
	for _, h := range s.Config.Handlers {
		if h.Event == event {
			return true
		}
	}
	return false
}

// read returns the payload: the one that is named, or one like the client's.
func (o fireOptions) read(s hookconfig.Set, stdin io.Reader) ([]byte, error) {
	if o.payload != "" {
		return readPayload(o.payload, stdin)
	}
	root := s.Root
	if root == "" {
		var err error
		if root, err = policies.FindProject("."); err != nil {
			return nil, err
		}
	}
	return hookconfig.Sample(s.Dialect, o.event, o.tool, root, clientHome())
}

func printReport(w io.Writer, s hookconfig.Set, r hookconfig.Report) {
	title := fmt.Sprintf("%s of %s", r.Event, s.Dialect)
	if r.Subject != "" {
		title += fmt.Sprintf(", %q", r.Subject)
	}
	fmt.Fprintln(w, console.Printable(fmt.Sprintf("%s: %s, %s", title, hookconfig.Count(len(r.Runs), "hook"), took(r.Took))))
	for _, run := range r.Runs {
		printRun(w, run)
	}
	for _, skip := range r.Skipped {
		fmt.Fprintln(w, console.Printable(fmt.Sprintf("  %s  did not run: %s", skip.Handler.At, skip.Why)))
	}
	printMeaning(w, r)
}

func printRun(w io.Writer, run hookconfig.Run) {
	fmt.Fprintln(w, console.Printable(fmt.Sprintf("  %s  %s  exit %s  %s  %s", run.Handler.At, run.Output.Status, status(run.Result), took(run.Result.Took), console.OneLine(shownCommand(run.Handler)))))
	if run.Late {
		fmt.Fprintln(w, "    nobody waits for it, and it decides nothing")
	}
	for _, say := range said(run) {
		fmt.Fprintln(w, "    "+console.OneLine(say))
	}
}

func status(r hookproto.Result) string {
	switch {
	case r.TimedOut:
		return "none: timed out"
	case r.Signal != "":
		return "none: " + r.Signal
	case r.Err != nil:
		return "none: did not start"
	}
	return fmt.Sprint(r.Exit)
}

// said is what a hook says, in lines.
func said(run hookconfig.Run) (lines []string) {
	o := run.Output
	add := func(is bool, label, text string) {
		if is {
			lines = append(lines, strings.TrimRight(label+": "+text, ": "))
		}
	}
	add(o.Failure != "", "passed over", o.Failure)
	add(run.Void != "", "means nothing", "what it prints is "+run.Void)
	add(o.Decision != hookproto.NoDecision, string(o.Decision), o.Reason)
	add(o.Halt, "ends the turn", o.HaltReason)
	add(o.UpdatedInput != nil, "new input", string(o.UpdatedInput))
	add(o.UpdatedOutput != nil, "new result", string(o.UpdatedOutput))
	for _, c := range o.Contexts {
		add(true, "for the model", c)
	}
	add(o.SystemMessage != "", "for the human", o.SystemMessage)
	return lines
}

func printMeaning(w io.Writer, r hookconfig.Report) {
	if r.Means.Point == "" {
		fmt.Fprintln(w, "on dsh's points: no point stands for it")
		return
	}
	line := "on dsh's points: " + r.Means.Point
	if r.Means.Decision != "" {
		line += " " + r.Means.Decision
	}
	if r.Means.Reason != "" {
		line += ": " + r.Means.Reason
	}
	fmt.Fprintln(w, console.OneLine(line))
	for _, e := range r.Means.Effects {
		fmt.Fprintln(w, "  "+console.OneLine(e))
	}
}

func took(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }

// A firedSet is a report for programs.
type firedSet struct {
	Dialect  string     `json:"dialect"`
	Event    string     `json:"event"`
	Subject  string     `json:"subject,omitempty"`
	TookMS   float64    `json:"took_ms"`
	Decision string     `json:"decision"` // of the hooks, in the client's word; "" is none
	Reason   string     `json:"reason,omitempty"`
	Means    *meaning   `json:"means,omitempty"`
	Contexts []string   `json:"contexts,omitempty"`
	Input    any        `json:"updated_input,omitempty"`
	Output   any        `json:"updated_output,omitempty"`
	Runs     []firedRun `json:"hooks"`
	Skipped  []notFired `json:"skipped"`
}

// A meaning is what the hooks amount to on a point of dsh.
type meaning struct {
	Point    string   `json:"point"`
	Decision string   `json:"decision,omitempty"` // its kind; none where the point asks nothing
	Effects  []string `json:"effects,omitempty"`
}

type firedRun struct {
	listedHook
	Status   string   `json:"status"`
	Exit     int      `json:"exit"` // -1: it did not exit by itself
	Signal   string   `json:"signal,omitempty"`
	TimedOut bool     `json:"timed_out,omitempty"`
	Failure  string   `json:"failure,omitempty"`
	TookMS   float64  `json:"took_ms"`
	Rank     int      `json:"rank"`           // among those that completed
	Late     bool     `json:"late,omitempty"` // nobody waits for it, and it decides nothing
	Stdout   string   `json:"stdout"`
	Stderr   string   `json:"stderr"`
	Says     []string `json:"says,omitempty"`
}

type notFired struct {
	listedHook
	Why string `json:"why"`
}

func firedOf(s hookconfig.Set, r hookconfig.Report) firedSet {
	out := firedSet{
		Dialect: s.Dialect, Event: r.Event, Subject: r.Subject, TookMS: ms(r.Took), Decision: string(r.Outcome.Decision), Reason: r.Outcome.Reason,
		Input: raw(r.Outcome.UpdatedInput), Output: raw(r.Outcome.UpdatedOutput),
		Runs: []firedRun{}, Skipped: []notFired{},
	}
	if r.Means.Point != "" {
		out.Means = &meaning{r.Means.Point, r.Means.Decision, r.Means.Effects}
	}
	for _, c := range r.Outcome.Contexts {
		out.Contexts = append(out.Contexts, c.Text)
	}
	for _, run := range r.Runs {
		out.Runs = append(out.Runs, firedRun{
			listedHook: listed(run.Handler), Status: string(run.Output.Status), Exit: run.Result.Exit, Signal: run.Result.Signal, TimedOut: run.Result.TimedOut,
			Failure: run.Output.Failure, TookMS: ms(run.Result.Took), Rank: run.Rank, Late: run.Late,
			Stdout: hookproto.UTF8(run.Result.Stdout), Stderr: hookproto.UTF8(run.Result.Stderr), Says: said(run),
		})
	}
	for _, skip := range r.Skipped {
		out.Skipped = append(out.Skipped, notFired{listed(skip.Handler), skip.Why})
	}
	return out
}

// raw is JSON that is left out if there is none.
func raw(text json.RawMessage) any {
	if text == nil {
		return nil
	}
	return text
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// writeJSON writes v as indented JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
