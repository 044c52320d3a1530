package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/cmd/internal/policies"
	"github.com/dsh-lua/dsh/cmd/internal/report"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

type testOptions struct {
	paths    []string
	run      string
	parallel int
	shuffle  string
	failFast bool
	format   string
	verbose  bool
	update   bool
	coverage bool
	min      float64
	minRules float64
	lcov     string
	html     string
	watch    bool
}

// shuffleAnew is the order of a run that names none.
const shuffleAnew = "new"

func newTestCmd(std console.IO) *cobra.Command {
	var opts testOptions
	cmd := &cobra.Command{
		Use:   "test [PATH]...",
		Short: "Run the tests of policies",
		Long: `Run the tests of policies: the files NAME_test.lua that the paths name, or that
lie in or below them. Without a path these are the tests of the project's own
policies in ` + policies.Folder + `.

Policies run as they do in production, but in an invented world: nothing of the
machine is read or kept.

The exit status is 0 if all tests passed; 1 if one failed, if a file could not be
run or has no tests, or if too little is covered; 2 if the command line is wrong.`,
		Example: `  dsh test
  dsh test extensions/ --run 'forced push' --coverage
  dsh test --format junit > tests.xml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.paths = args
			return runTest(cmd.Context(), opts, std)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.run, "run", "", "run the tests whose full name, \"group > test\", matches the regular expression `PATTERN`")
	flags.IntVar(&opts.parallel, "parallel", runtime.NumCPU(), "how many files run at once")
	flags.StringVar(&opts.shuffle, "shuffle", "", "run in the order of the number `SEED`, or in a new one")
	flags.Lookup("shuffle").NoOptDefVal = shuffleAnew
	flags.BoolVar(&opts.failFast, "fail-fast", false, "start no further test once one has failed")
	flags.StringVar(&opts.format, "format", "text", "write the report as `FORMAT`: "+strings.Join(testFormats(), ", "))
	flags.BoolVarP(&opts.verbose, "verbose", "v", false, "name the tests that pass too")
	flags.BoolVar(&opts.update, "update", false, "write the snapshots instead of comparing with them")
	flags.BoolVar(&opts.coverage, "coverage", false, "tell which lines, branches and rules of the policies ran")
	flags.Float64Var(&opts.min, "min", 0, "fail if less than `PERCENT` of lines and branches ran")
	flags.Float64Var(&opts.minRules, "min-rules", 0, "fail if less than `PERCENT` of the rules spoke in a test")
	flags.StringVar(&opts.lcov, "lcov", "", "write what ran to `FILE`, in the format of lcov")
	flags.StringVar(&opts.html, "html", "", "write what ran to `FILE`, as one page for a browser")
	flags.BoolVar(&opts.watch, "watch", false, "run again whenever a file changes, until interrupted")
	return cmd
}

func testFormats() []string { return slices.Sorted(maps.Keys(report.Formats())) }

// prepare checks the options and makes of them those of a run.
func (o testOptions) prepare() (run scripttest.Options, err error) {
	run = scripttest.Options{
		Load: loadTested, Parallel: o.parallel, FailFast: o.failFast, Update: o.update, Seed: 1,
	}
	if o.run != "" {
		if run.Run, err = regexp.Compile(o.run); err != nil {
			return run, fmt.Errorf("--run: %w", err)
		}
	}
	switch {
	case report.Formats()[o.format] == nil:
		return run, fmt.Errorf("no format %q%s", o.format, console.Suggest(o.format, testFormats()))
	case o.parallel < 1:
		return run, errors.New("--parallel: want at least 1")
	case !isPercent(o.min):
		return run, errors.New("--min: want a number from 0 to 100")
	case !isPercent(o.minRules):
		return run, errors.New("--min-rules: want a number from 0 to 100")
	case o.shuffle == shuffleAnew:
		run.Shuffle, run.Seed = true, uint64(rand.Uint32())
	case o.shuffle != "":
		run.Shuffle = true
		if run.Seed, err = strconv.ParseUint(o.shuffle, 10, 64); err != nil {
			return run, fmt.Errorf("--shuffle: want a number, got %q", o.shuffle)
		}
	}
	if o.coverage || o.min > 0 || o.minRules > 0 || o.lcov != "" || o.html != "" {
		run.Coverage = new(luavm.Coverage)
	}
	return run, nil
}

func runTest(ctx context.Context, opts testOptions, std console.IO) error {
	if _, err := opts.prepare(); err != nil {
		return usageError{err}
	}
	if opts.watch {
		return watchTests(ctx, opts, std)
	}
	_, err := testOnce(ctx, opts, std)
	return err
}

// isPercent is false for NaN too, which no comparison holds for.
func isPercent(n float64) bool { return n >= 0 && n <= 100 }

// testOnce runs all tests once and returns the files that they depend on.
func testOnce(ctx context.Context, opts testOptions, std console.IO) (files []string, err error) {
	run, err := opts.prepare()
	if err != nil {
		return nil, err
	}
	if files, err = findTests(opts.paths); err != nil {
		return nil, err
	}
	result, err := scripttest.Run(ctx, files, run)
	if err != nil {
		return files, err
	}
	if passed, failed, left := result.Count(); passed+failed == 0 && left > 0 {
		return files, fmt.Errorf("no test matches %q", opts.run)
	}
	files = append(files, policyFiles(result)...)
	told := report.Options{Colour: isTerminal(std.Out), Verbose: opts.verbose, Command: "dsh test"}
	if run.Shuffle {
		told.Seed = strconv.FormatUint(run.Seed, 10)
	}
	return files, opts.tell(result, run, told, std)
}

// policyFiles lists the files of the policies that were tested.
func policyFiles(r scripttest.Report) (files []string) {
	for _, f := range r.Files {
		for _, rule := range f.Rules {
			if i := strings.LastIndexByte(rule.At, ':'); i > 0 && !slices.Contains(files, rule.At[:i]) {
				files = append(files, rule.At[:i])
			}
		}
	}
	return files
}

// tell writes the report, and returns errReported if the run is no success.
func (o testOptions) tell(result scripttest.Report, run scripttest.Options, told report.Options, std console.IO) error {
	var covered scripttest.Coverage
	if run.Coverage != nil {
		covered = scripttest.Measure(run.Coverage, result)
		told.Coverage = &covered
	}
	if err := report.Formats()[o.format](std.Out, result, told); err != nil {
		return err
	}
	if err := errors.Join(writeReport(o.lcov, covered, report.LCOV), writeReport(o.html, covered, report.HTML)); err != nil {
		return err
	}
	if run.Coverage != nil && !o.enough(covered, std) {
		return errReported
	}
	if _, failed, _ := result.Count(); failed > 0 {
		return errReported
	}
	return nil
}

// enough reports whether as much is covered as is wanted, and tells what is not.
func (o testOptions) enough(c scripttest.Coverage, std console.IO) bool {
	spoke, of := c.Spoke()
	enough := true
	for _, wanted := range []struct {
		got, least float64
		what       string
	}{
		{c.Percent(), o.min, "of lines and branches ran"},
		{scripttest.Share(spoke, of), o.minRules, "of the rules spoke"},
	} {
		if wanted.got < wanted.least {
			console.PrintLine(std.Err, fmt.Sprintf("dsh: %.1f%% %s; want %g%%", wanted.got, wanted.what, wanted.least))
			enough = false
		}
	}
	return enough
}

func writeReport(file string, c scripttest.Coverage, write func(io.Writer, scripttest.Coverage) error) error {
	if file == "" {
		return nil
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(write(out, c), out.Close())
}

// isTerminal reports whether a person reads w, who can see colours.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// findTests lists the files of tests at and below the paths, each once.
func findTests(paths []string) (files []string, err error) {
	if len(paths) == 0 {
		root, err := policies.FindProject(".")
		if err != nil {
			return nil, err
		}
		paths = []string{nearby(filepath.Join(root, policies.Folder))}
		if _, err := os.Stat(paths[0]); err != nil {
			return nil, fmt.Errorf("no tests: %w; name files or folders", err)
		}
	}
	for _, path := range paths {
		found, err := testsBelow(path)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no file of tests, which would be named NAME%s", path, scripttest.Suffix)
		}
		for _, file := range found {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return files, nil
}

// nearby is path from the working directory, if it lies below.
func nearby(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(short) {
		return short
	}
	return path
}

func testsBelow(path string) (files []string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if !strings.HasSuffix(path, scripttest.Suffix) {
			return nil, usageError{fmt.Errorf("%s is no file of tests, which would be named NAME%s", path, scripttest.Suffix)}
		}
		return []string{filepath.Clean(path)}, nil
	}
	err = filepath.WalkDir(entered(path), func(at string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(at, scripttest.Suffix) {
			files = append(files, filepath.Clean(at))
		}
		return err
	})
	return files, err
}

// loadTested loads policies as every command does.
func loadTested(ctx context.Context, paths []string, with scripttest.Loading) (*scripttest.Loaded, error) {
	set := new(policies.Set)
	if _, err := set.Registry.Install(with.First); err != nil {
		return nil, err
	}
	err := set.Add(ctx, policies.Named(paths), policies.Options{
		Grants: with.Grants, Services: with.Services, Coverage: with.Coverage, Log: with.Log,
	})
	return &scripttest.Loaded{Registry: &set.Registry, Scripts: set.Scripts(), Warnings: set.Warnings, Close: set.Close}, err
}
