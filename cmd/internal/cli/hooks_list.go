package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/internal/hookconfig"
)

func newHooksListCmd(std console.IO) *cobra.Command {
	var opts hooksOptions
	cmd := &cobra.Command{
		Use:   "list [FILE]...",
		Short: "Print what a configuration registers, and what it leaves out",
		Long: `Print what a configuration registers, and what it leaves out and why.

Every hook is shown with its event, its matcher, its time-out and where it stands.
What does not run, here or at its client, follows with the reason.

The exit status is 0 if the files could be read, 1 if not, and 2 if the command
line is wrong.`,
		Example: `  dsh hooks list
  dsh hooks list --json .claude/settings.json`,
		RunE: func(_ *cobra.Command, args []string) error {
			opts.files = args
			return runHooksList(opts, std)
		},
	}
	opts.add(cmd)
	return cmd
}

func runHooksList(opts hooksOptions, std console.IO) error {
	if err := opts.check(); err != nil {
		return err
	}
	sets, err := opts.load()
	if opts.json {
		if e := writeJSON(std.Out, listings(sets)); e != nil {
			return e
		}
		return err
	}
	for i, s := range sets {
		if i > 0 {
			fmt.Fprintln(std.Out)
		}
		printSet(std, s)
	}
	return err
}

func printSet(std console.IO, s hookconfig.Set) {
	for _, line := range s.Summary(nil) {
		fmt.Fprintln(std.Out, console.Printable(line))
	}
	for _, h := range s.Registered() {
		fmt.Fprintln(std.Out)
		printHandler(std, h)
	}
	all := s.Problems()
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(std.Out, "\nnot as it may seem:")
	for _, p := range all {
		fmt.Fprintln(std.Out, "  "+console.OneLine(p.String()))
	}
}

func printHandler(std console.IO, h hookproto.Handler) {
	line := h.Event
	if h.Matcher != nil {
		line += fmt.Sprintf(" %q", *h.Matcher)
	}
	if h.HasIf {
		line += fmt.Sprintf(" if %q", h.If)
	}
	fmt.Fprintln(std.Out, console.Printable(fmt.Sprintf("%s  %s  %s", line, seconds(h), h.At)))
	fmt.Fprintln(std.Out, "  "+strings.ReplaceAll(console.Printable(shownCommand(h)), "\n", "\n  "))
}

func seconds(h hookproto.Handler) string {
	text := h.Timeout.String()
	if h.Async || h.AsyncRewake {
		text += " async"
	}
	return text
}

// shownCommand is what a hook runs, in one line.
func shownCommand(h hookproto.Handler) string {
	switch {
	case h.Kind == hookproto.MCPToolHandler:
		return fmt.Sprintf("%s of the server %s", h.Tool, h.Server)
	case h.Args != nil:
		return fmt.Sprintf("%s %q", h.Command, h.Args)
	}
	return h.Command
}

// A listing is a set for programs.
type listing struct {
	Dialect  string              `json:"dialect"`
	Files    []hookconfig.File   `json:"files"`
	Hooks    []listedHook        `json:"hooks"`
	Problems []hookproto.Problem `json:"problems"`
}

type listedHook struct {
	ID       string          `json:"id"`
	Event    string          `json:"event"`
	Matcher  *string         `json:"matcher"` // null: the group has none
	Kind     string          `json:"type"`
	Command  string          `json:"command,omitempty"`
	Args     []string        `json:"args,omitempty"`
	Server   string          `json:"server,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	If       string          `json:"if,omitempty"`
	TimeoutS float64         `json:"timeout_s"`
	Async    bool            `json:"async,omitempty"`
	At       hookproto.Place `json:"at"`
	NotRun   string          `json:"not_run,omitempty"`
}

func listings(sets []hookconfig.Set) []listing {
	out := []listing{}
	for _, s := range sets {
		l := listing{Dialect: s.Dialect, Files: s.Files, Hooks: []listedHook{}, Problems: s.Problems()}
		for _, h := range s.Config.Handlers {
			l.Hooks = append(l.Hooks, listed(h))
		}
		if l.Problems == nil {
			l.Problems = []hookproto.Problem{}
		}
		out = append(out, l)
	}
	return out
}

func listed(h hookproto.Handler) listedHook {
	return listedHook{
		ID: h.ID, Event: h.Event, Matcher: h.Matcher, Kind: string(h.Kind), Command: h.Command, Args: h.Args, Server: h.Server, Tool: h.Tool,
		If: h.If, TimeoutS: h.Timeout.Seconds(), Async: h.Async || h.AsyncRewake, At: h.At, NotRun: h.NotRun,
	}
}
