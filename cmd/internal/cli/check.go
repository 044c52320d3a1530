package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/hook"
	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script/lint"
	"github.com/dsh-lua/dsh/runtime/script/scripttest"
	"github.com/dsh-lua/dsh/runtime/tool"
)

type checkOptions struct {
	paths   []string
	format  string
	json    bool
	fix     bool
	strict  bool
	disable []string
	hosts   []string
}

func newCheckCmd(std console.IO) *cobra.Command {
	var opts checkOptions
	cmd := &cobra.Command{
		Use:   "check [FILE | FOLDER]...",
		Short: "Find mistakes in policies without running them on a payload",
		Long: `Find mistakes in policies without running them on a payload.

Without arguments the policies of the project are checked. Of a folder, all files
below it whose names end in .lua are. Each finding has a place, a severity and a
name, by which docs/reference/check.md explains it.

The exit status is 0 if there is no error, 1 if there is one, or with --strict a
warning, and 2 if the command line is wrong.`,
		Example: `  dsh check
  dsh check --fix .dsh/policies/no-force-push.lua
  dsh check --format sarif policies > dsh.sarif`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.paths = args
			return runCheck(cmd.Context(), opts, std)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.format, "format", "text", "how to print findings, as a `FORMAT`: "+strings.Join(checkFormatNames(), ", "))
	flags.BoolVar(&opts.json, "json", false, "the same as --format json")
	flags.BoolVar(&opts.fix, "fix", false, "mend what can be mended without a doubt, and print it")
	flags.BoolVar(&opts.strict, "strict", false, "let warnings count as errors for the exit status")
	flags.StringArrayVar(&opts.disable, "disable", nil, "do not look for findings of the kind `ID`; may be repeated")
	flags.StringArrayVar(&opts.hosts, "host", nil, "check for this `HOST` alone: "+strings.Join(hostNames(checkHosts()), ", ")+"; may be repeated")
	return cmd
}

// checkHosts are the programs that run policies.
func checkHosts() []lint.Host {
	var list []lint.Host
	for _, c := range hook.Clients() {
		list = append(list, lint.Host{Name: c.Name, Fires: pointNames(c.Points()), Tools: c.Tools()})
	}
	own := pointNames(catalog.Points())
	own = slices.DeleteFunc(own, func(name string) bool { return slices.Contains(pointNames(host.Points()), name) })
	return append(list, lint.Host{Name: ownClient, Fires: own, Tools: agentTools})
}

// ownClient is what payloads of dsh's own agent name as their client.
const ownClient = "dsh"

// agentTools are the tools of dsh's own agent.
var agentTools = []string{"agent", "bash", "edit", "glob", "grep", "read", "write"}

func pointNames(points []point.Point) []string {
	names := make([]string, len(points))
	for i, p := range points {
		names[i] = p.Name()
	}
	return names
}

func hostNames(hosts []lint.Host) []string {
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.Name
	}
	return names
}

func (o *checkOptions) check() error {
	if o.json {
		o.format = "json"
	}
	if !slices.Contains(checkFormatNames(), o.format) {
		return fmt.Errorf("no format %q%s", o.format, console.Suggest(o.format, checkFormatNames()))
	}
	var ids []string
	for _, k := range lint.Kinds() {
		ids = append(ids, k.ID)
	}
	for _, id := range o.disable {
		if !slices.Contains(ids, id) {
			return fmt.Errorf("no kind of finding %q%s", id, console.Suggest(id, ids))
		}
	}
	for _, name := range o.hosts {
		if known := hostNames(checkHosts()); !slices.Contains(known, name) {
			return fmt.Errorf("no host %q%s", name, console.Suggest(name, known))
		}
	}
	return nil
}

// checkGCPercent lets the process grow more between collections: it is short, and an
// editor waits for it.
const checkGCPercent = 400

func runCheck(ctx context.Context, opts checkOptions, std console.IO) error {
	if err := opts.check(); err != nil {
		return usageError{err}
	}
	files, err := checkFiles(opts.paths)
	if err != nil {
		return usageError{err}
	}
	debug.SetGCPercent(checkGCPercent)
	var r checkReport
	for _, file := range files {
		checked, err := checkFile(ctx, file, opts)
		if err != nil {
			return err
		}
		r.Files = append(r.Files, checked)
	}
	if err := r.print(std.Out, opts.format); err != nil {
		return err
	}
	if r.count(lint.Error) > 0 || opts.strict && r.count(lint.Warning) > 0 {
		return errReported
	}
	return nil
}

// A checkedFile is one file and what is wrong with it.
type checkedFile struct {
	name     string
	source   string // as it is now
	findings []lint.Finding
	mended   []lint.Finding
}

// maxFixRounds bounds how often fixes are made that others stood in the way of.
const maxFixRounds = 10

func checkFile(ctx context.Context, name string, opts checkOptions) (checkedFile, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return checkedFile{}, err
	}
	f := checkedFile{name: name, source: string(text)}
	lintOpts := lintOptions(name, opts)
	f.findings = lint.Check(ctx, name, f.source, lintOpts)
	for range maxFixRounds {
		if !opts.fix {
			break
		}
		fixed, mended := lint.Apply(f.source, f.findings)
		if len(mended) == 0 {
			break
		}
		after := lint.Check(ctx, name, fixed, lintOpts)
		if slices.ContainsFunc(after, func(f lint.Finding) bool { return f.ID == "syntax" }) {
			break // a fix that breaks the file mends nothing
		}
		f.source, f.findings, f.mended = fixed, after, append(f.mended, mended...)
	}
	if f.source != string(text) {
		err = replaceFile(name, []byte(f.source))
	}
	return f, err
}

func lintOptions(name string, opts checkOptions) lint.Options {
	folder := filepath.Dir(name)
	o := lint.Options{
		Points: catalog.Points(), Actions: tool.ActionKinds(), Folder: policies.FolderFS(folder), Disable: opts.disable,
		Module: func() bool { return requiredBeside(name) },
	}
	for _, h := range checkHosts() {
		if len(opts.hosts) == 0 || slices.Contains(opts.hosts, h.Name) {
			o.Hosts = append(o.Hosts, h)
		}
	}
	if policies.IsTest(filepath.Base(name)) {
		library := scripttest.Library()
		o.Globals, o.Libraries = []string{library.Name}, []stdlib.Module{library}
	}
	return o
}

// checkFormats are the ways to print findings.
func checkFormats() []checkFormat {
	return []checkFormat{{"text", (*checkReport).text}, {"json", (*checkReport).json}, {"sarif", (*checkReport).sarif}}
}

type checkFormat struct {
	name  string
	print func(r *checkReport, out io.Writer) error
}

func checkFormatNames() []string {
	var names []string
	for _, f := range checkFormats() {
		names = append(names, f.name)
	}
	return names
}
