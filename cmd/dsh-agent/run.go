package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/process"
	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/progress"
	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/terminal"
	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/runtime/model"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
)

type runOptions struct {
	prompt   string
	model    string
	project  string
	policies []string
	session  string
	resume   bool
	forget   bool
	fork     string
	grants   []string
	yes, no  bool
	ask      string
	json     bool
	durable  bool
	env      []string
	timeout  time.Duration

	hooks        []string
	strictHooks  bool
	lenientHooks bool
	scrub        bool
}

const runHelp = `Be a coding agent: give the model the prompt, run the tools that it calls, and
let the policies decide over every step.

Without a prompt every line of standard input is one. Answers of the model go to
standard output, everything else to standard error: which calls run, what was
decided about them, and by which rule.

Policies are those that --policy names, and then the files .dsh/policies/*.lua of
the project. Calls that change something, run commands or leave the workspace want
approval, unless a policy with --grant preapprove gives it; so does what a policy
wants approved. Such a call is shown at the terminal; without a terminal, and without
--yes or --no, it is denied.

Ctrl-C cancels the turn; a second one ends the program. The session's log is
whole at any moment: --resume goes on with it.

The exit status is 0 if the last turn ended by itself; 1 if it did not, or if
something broke; 2 if the command line is wrong; 130 if a signal ended the program.`

func newRunCmd(std console.IO) *cobra.Command {
	var opts runOptions
	cmd := &cobra.Command{
		Use:   `run [options] ["PROMPT"]`,
		Short: "Run the agent",
		Long:  runHelp,
		Example: `  dsh run --model answers.jsonl "fix the failing test"
  dsh run --model answers.jsonl --session work.jsonl --resume`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{errors.New("more than one prompt; put it in quotes")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.prompt = args[0]
				if err := checkPrompt(args[0]); err != nil {
					return usageError{err}
				}
			}
			return runRun(cmd.Context(), opts, std)
		},
	}
	cmd.Flags().SortFlags = false
	flags := cmd.Flags()
	flags.StringVar(&opts.model, "model", "", "answer by the script in `FILE`: a list of prepared answers")
	flags.StringVar(&opts.project, "project", "", "work in `DIR` instead of here")
	flags.StringArrayVar(&opts.policies, "policy", nil, "a Lua `FILE` to ask before those of the project; may be repeated")
	flags.StringArrayVar(&opts.grants, "grant", nil, "let the --policy files do what needs a `GRANT`: preapprove")
	flags.StringArrayVar(&opts.hooks, "hooks", nil, "run the shell hooks of Claude Code or Codex in `FILE`; auto is those that the clients find for the project; may be repeated")
	flags.BoolVar(&opts.strictHooks, "strict-hooks", false, "deny what a hook was to guard that crashes, times out, does not start or answers rubbish")
	flags.BoolVar(&opts.lenientHooks, "lenient-hooks", false, "keep what is good of a file of hooks that its client refuses whole")
	flags.BoolVar(&opts.scrub, "scrub", false, "keep credentials out of the environment of hooks too")
	flags.StringVar(&opts.session, "session", "", "keep the session in `FILE`, which must not be there yet, instead of the user's state folder")
	flags.BoolVar(&opts.resume, "resume", false, "go on with the session in --session, else with the project's last one")
	flags.StringVar(&opts.fork, "fork", "", "begin where the session in `FILE` is now, and leave that as it is")
	flags.StringVar(&opts.ask, "ask", askChanges, "what wants approval: `WHAT` is changes, or policies for only what they want approved")
	flags.Lookup("ask").NoOptDefVal = askChanges
	flags.BoolVar(&opts.yes, "yes", false, "approve every call that wants approval")
	flags.BoolVar(&opts.no, "no", false, "approve none")
	flags.BoolVar(&opts.forget, "forget", false, "do not keep the session")
	flags.BoolVar(&opts.json, "json", false, "print everything that happens as lines of JSON")
	flags.StringArrayVar(&opts.env, "env", nil, "leave the variable `NAME` in the environment of commands although it looks like a credential; may be repeated")
	flags.DurationVar(&opts.timeout, "timeout", 0, "cancel a turn that takes longer than `TIME`, such as 10m")
	flags.BoolVar(&opts.durable, "durable", false, "let the session survive a loss of power at any moment, not only after each turn")
	return cmd
}

// checkPrompt refuses a prompt that says nothing, such as that of a variable which
// is not set, and one that no log could keep.
func checkPrompt(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("the prompt is empty; leave it out to give prompts on standard input")
	case !utf8.ValidString(text):
		return errors.New("the prompt is no text in UTF-8")
	}
	return nil
}

func (o runOptions) check() error {
	switch {
	case o.model == "":
		return errors.New("no model: name a script of answers with --model FILE")
	case o.yes && o.no:
		return errors.New("--yes and --no exclude each other")
	case o.forget && (o.session != "" || o.resume):
		return errors.New("--forget does not go with --session and --resume")
	case o.resume && o.fork != "":
		return errors.New("--resume and --fork exclude each other")
	case len(o.hooks) == 0 && (o.strictHooks || o.lenientHooks || o.scrub):
		return errors.New("--strict-hooks, --lenient-hooks and --scrub are about hooks; name them with --hooks")
	case o.timeout < 0:
		return errors.New("--timeout must not be negative")
	case !slices.Contains(askModes, o.ask):
		return fmt.Errorf("--ask is %q; it can be %s", o.ask, strings.Join(askModes, " or "))
	}
	for _, g := range o.grants {
		if g != string(tool.Preapprove) {
			return fmt.Errorf("no grant %q; there is %s", g, tool.Preapprove)
		}
	}
	return nil
}

func runRun(ctx context.Context, opts runOptions, std console.IO) error {
	if err := opts.check(); err != nil {
		return usageError{err}
	}
	if err := process.Conceal(); err != nil {
		return fmt.Errorf("the environment cannot be concealed from commands: %w", err)
	}
	script, err := model.LoadScript(opts.model)
	if err != nil {
		return fmt.Errorf("the model's answers: %w", err)
	}
	shown := &sink{out: std.Out}
	r := progress.New(progress.Options{Out: shown, Err: std.Err, JSON: opts.json, Live: terminal.Is(std.Out), Color: colored(std.Err)})
	p := &program{opts: opts, std: std, report: r, model: script}
	defer p.release()
	if err := p.prepare(ctx); err != nil {
		return err
	}
	if err := p.work(ctx); err != nil {
		return err
	}
	if err := shown.fault(); err != nil {
		return fmt.Errorf("what the model said could not be written: %w", err)
	}
	return nil
}

// sink is a writer that remembers what went wrong first.
type sink struct {
	out io.Writer
	mu  sync.Mutex
	err error
}

// Write implements [io.Writer].
func (s *sink) Write(b []byte) (int, error) {
	n, err := s.out.Write(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	return n, err
}

func (s *sink) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// colored reports whether to write colours to w.
func colored(w any) bool {
	return terminal.Is(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// outcome is the exit status for what became of the last turn. before is the last
// turn of an earlier life.
func outcome(w session.Work, before int) error {
	if w.Turn > before && w.End.Kind == session.EndCompleted && !w.Dropped {
		return nil
	}
	return status(console.ExitFault)
}
