package spec_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// A suite is one kind of recorded cases. A new kind is one more entry of suites.
type suite struct {
	name string
	// load finds the cases in a tree. A tree that has none is an error of the
	// caller's, not of load.
	load func(dir string) ([]testCase, error)
}

// A testCase is one recorded situation with its right outcome.
type testCase struct {
	id string
	// traits are what a row "NAME/when ..." of the deviations can ask for.
	traits map[string]string
	// applicable is false for what the recording has and this program, by its
	// nature, cannot be asked.
	applicable bool
	// beyond says why a case is not applicable.
	beyond string
	// virtual cases run in virtual time: nothing waits but for what is said to
	// last, and that for as long as is said, however busy the machine is.
	virtual bool
	// run returns what differs from the right outcome. Cases run at once.
	run func() error
}

// suites are all kinds of cases, each under the name by which
//
//	go test -count=1 -v ./spec -run 'TestCases/NAME'
//
// runs it.
var suites = []suite{
	{"sandbox", loadSandbox},
	{"pipeline", loadPipeline("go")},
	{"pipeline-lua", loadPipeline("lua")},
	{"scheduler", loadScheduler},
	{"schema", loadSchema},
	{"loop", loadLoop},
	{"codex", loadCodexCases},
	{"hookproto", loadHookproto},
	{"configs", loadConfigs},
	{"commands", loadCommands},
	{"claude-code", loadClaudeHooks},
	{"bridge", loadBridge},
}

// casesVariable names the folder to read the cases from, seen from this folder. Its
// default is this folder, which holds copies.
const casesVariable = "DSH_CASES_DIR"

func TestCases(t *testing.T) {
	dir, foreign := os.LookupEnv(casesVariable)
	if !foreign {
		dir = "."
	}
	require.DirExists(t, dir, "%s is seen from the folder spec", casesVariable)
	text, err := os.ReadFile("deviations.md")
	require.NoError(t, err)
	rows, err := parseDeviations(string(text))
	require.NoError(t, err)
	known := map[string]bool{}
	for _, s := range suites {
		known[s.name] = true
		t.Run(s.name, func(t *testing.T) {
			cases, err := s.load(dir)
			require.NoError(t, err)
			require.NotEmpty(t, cases, "%s holds no case of %s", dir, s.name)
			tally := runCases(t, s.name, cases, rows)
			if !foreign {
				tally.drift(t)
			}
			fmt.Print(tally)
			if tally.wrong() {
				t.Fail()
			}
		})
	}
	for _, row := range rows {
		require.True(t, known[row.suite], "deviations.md: no cases are named %q", row.suite)
	}
}

// A tally is the outcome of one suite.
type tally struct {
	name                                      string
	passed, failed, deviations, notApplicable int
	failures                                  []string // "id: what differs"
	beyond                                    map[string]int
	stale                                     []string // cases that pass in spite of a row
	unused                                    []string // rows that match nothing
	answers                                   map[string]string
	drifted                                   []string // deviations whose answer is not the one on record
}

func (t tally) wrong() bool {
	return t.failed > 0 || len(t.stale) > 0 || len(t.unused) > 0 || len(t.drifted) > 0
}

func (t tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d passed, %d failed, %d deviations, %d not applicable\n",
		t.name, t.passed, t.failed, t.deviations, t.notApplicable)
	if t.notApplicable > 0 {
		asked := t.passed + t.failed + t.deviations + len(t.stale)
		fmt.Fprintf(&b, "  applicable: %d of %d, which is %d %%\n", asked, asked+t.notApplicable, 100*asked/(asked+t.notApplicable))
	}
	for _, why := range slices.Sorted(maps.Keys(t.beyond)) {
		fmt.Fprintf(&b, "  not applicable: %d: %s\n", t.beyond[why], why)
	}
	for _, list := range []struct {
		what  string
		lines []string
	}{
		{"", t.failures},
		{"passes in spite of its row in deviations.md: ", t.stale},
		{"row in deviations.md matches nothing: ", t.unused},
		{"answers otherwise than " + recordOfDeviations + " says: ", t.drifted},
	} {
		for _, line := range list.lines {
			fmt.Fprintf(&b, "  %s%s\n", list.what, strings.ReplaceAll(line, "\n", "\n    "))
		}
	}
	return b.String()
}

// errUnexplained is wrapped by differences that no row of the deviations is about,
// though one names the case.
var errUnexplained = errors.New("")

// runCases runs the cases and counts them. A row is used by a case that ran.
func runCases(test *testing.T, name string, cases []testCase, rows []deviation) tally {
	t := tally{name: name, beyond: map[string]int{}, answers: map[string]string{}}
	used := map[int]bool{}
	differs := runAtOnce(test, cases)
	for k, c := range cases {
		if !c.applicable {
			t.notApplicable++
			if c.beyond != "" {
				t.beyond[c.beyond]++
			}
			continue
		}
		row := -1
		for i, r := range rows {
			if r.suite == name && r.matches(c) {
				row, used[i] = i, true
			}
		}
		switch err := differs[k]; {
		case err == nil && row >= 0:
			t.stale = append(t.stale, name+"/"+c.id)
		case err == nil:
			t.passed++
		case row >= 0 && !errors.Is(err, errUnexplained):
			t.deviations++
			t.answers[c.id] = err.Error()
		default:
			t.failed++
			t.failures = append(t.failures, c.id+": "+err.Error())
		}
	}
	for i, r := range rows {
		if r.suite == name && !used[i] {
			t.unused = append(t.unused, r.text)
		}
	}
	return t
}

// unreadable is a case that cannot be read. It fails, and the others are run.
func unreadable(id string, err error) testCase {
	return testCase{id: id, applicable: true, run: func() error { return err }}
}

// readRecording reads the JSON of a file of a tree. One that is not there holds no
// case.
func readRecording(to any, path ...string) error {
	name := filepath.Join(path...)
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// atOnce is how many cases run at the same time.
const atOnce = 2

// runAtOnce returns what differs for each of the cases that are applicable.
func runAtOnce(t *testing.T, cases []testCase) []error {
	differs := make([]error, len(cases))
	free := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	for i, c := range cases {
		if !c.applicable {
			continue
		}
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			if !c.virtual {
				differs[i] = c.run()
				return
			}
			synctest.Test(t, func(*testing.T) { differs[i] = c.run() })
		})
	}
	running.Wait()
	return differs
}
