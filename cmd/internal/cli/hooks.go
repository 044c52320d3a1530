package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/internal/hookconfig"
)

// hooksOptions are those that all commands about shell hooks share.
type hooksOptions struct {
	files   []string
	project string
	dialect string
	lenient bool
	json    bool
}

const hooksHelp = `Look at the shell hooks that a team has for Claude Code or Codex.

Files are configuration files of either client: which one is found out, and told.
With --project the hooks are looked for where the clients look: in the settings of
the user, the project and the machine, and in plugins. Without files it is the
project here.`

func newHooksCmd(std console.IO) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hooks list|check|fire",
		Short: "List, check and try the shell hooks of Claude Code and Codex",
		Long:  hooksHelp,
		Args:  func(_ *cobra.Command, args []string) error { return unknownHooksCommand(args) },
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newHooksListCmd(std), newHooksCheckCmd(std), newHooksFireCmd(std))
	return cmd
}

func unknownHooksCommand(args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError{fmt.Errorf("no command %q; dsh hooks --help lists them", args[0])}
}

func (o *hooksOptions) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.project, "project", "", "look for the hooks of the project at `DIR`, as the clients do")
	flags.StringVar(&o.dialect, "dialect", "", "keep to one `CLIENT`: "+strings.Join(hookconfig.Dialects(), ", "))
	flags.BoolVar(&o.lenient, "lenient", false, "keep what is good of a file that its client refuses whole")
	flags.BoolVar(&o.json, "json", false, "print JSON")
}

func (o hooksOptions) check() error {
	if o.dialect != "" && !slices.Contains(hookconfig.Dialects(), o.dialect) {
		return usageError{fmt.Errorf("no client %q%s", o.dialect, console.Suggest(o.dialect, hookconfig.Dialects()))}
	}
	return nil
}

// errNoHooks tells that there is nothing to look at.
var errNoHooks = errors.New("no configuration of Claude Code or Codex is here; name a file of hooks")

// load reads the hooks. An error beside sets is about some files alone.
func (o hooksOptions) load() (sets []hookconfig.Set, err error) {
	dir := o.project
	if dir == "" {
		dir = "."
	}
	root, err := policies.FindProject(dir)
	if err != nil {
		return nil, err
	}
	s := hookconfig.Source{Files: o.files, Root: root, Dialect: o.dialect, Lenient: o.lenient, System: hookconfig.Host()}
	if o.project != "" || len(o.files) == 0 {
		s.Project, s.Dir = root, dir
	}
	sets, err = hookconfig.Load(s)
	if err == nil && len(sets) == 0 {
		err = errNoHooks
	}
	return sets, err
}

// clientHome is where a client's own files are.
func clientHome() string { home, _ := os.UserHomeDir(); return home }
