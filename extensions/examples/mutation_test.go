package examples_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

// tests returns the files of tests of all examples.
func tests(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*/*" + scripttest.Suffix)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// shared is what policies of a folder have in common; it is no policy.
const shared = "common.lua"

// TestPolicyTests runs them, and demands one of every policy.
func TestPolicyTests(t *testing.T) {
	report, err := scripttest.Run(t.Context(), tests(t), scripttest.Options{})
	require.NoError(t, err)
	for _, f := range report.Files {
		require.Nil(t, f.Fault, "%+v", f.Fault)
		require.Empty(t, f.Warnings)
		for _, test := range f.Tests {
			require.Nil(t, test.Failure, "%s: %s: %+v", f.Path, test.Name(), test.Failure)
		}
		for _, r := range f.Rules {
			require.Positive(t, r.Spoke, "no test makes rule %s speak", r.Name)
		}
	}
	all, err := filepath.Glob("*/*.lua")
	require.NoError(t, err)
	for _, file := range all {
		if !strings.HasSuffix(file, scripttest.Suffix) && filepath.Base(file) != shared {
			require.FileExists(t, strings.TrimSuffix(file, ".lua")+scripttest.Suffix)
		}
	}
}

// A mutant is a policy with one mistake in it.
type mutant struct {
	line            int
	mistake, source string
}

var (
	comment = regexp.MustCompile(`--[^\n]*`)
	asks    = regexp.MustCompile(`\b(?:else)?if\b`)
	answers = regexp.MustCompile(`\breturn\b`)
	says    = regexp.MustCompile(`\bverdict\.(?:deny|ask)\b`)
	nothing = regexp.MustCompile(`^\s*(?:end\b|$)`)
	last    = regexp.MustCompile(`^\s*verdict\.deny\b`)
)

// unsaid stands for a verdict that is not given.
const unsaid = "unsaid"

// blank hides comments, so that what they say is not taken for code.
func blank(source string) string {
	return comment.ReplaceAllStringFunc(source, func(c string) string { return strings.Repeat(" ", len(c)) })
}

// mutants are the policy with each condition negated, with each return dropped,
// and with each verdict unsaid. To go on after a denial is no mistake, as the first
// denial decides.
func mutants(source string) (list []mutant) {
	code := blank(source)
	add := func(at int, what, changed string) {
		list = append(list, mutant{1 + strings.Count(source[:at], "\n"), what, changed})
	}
	line := func(at int) string {
		before, after := source[:at], source[at:]
		rest, _, _ := strings.Cut(after, "\n")
		return strings.TrimSpace(before[strings.LastIndex(before, "\n")+1:] + rest)
	}
	for _, found := range asks.FindAllStringIndex(code, -1) {
		length := strings.Index(code[found[1]:], " then")
		if length < 0 {
			continue
		}
		condition := source[found[1] : found[1]+length]
		add(found[0], "not"+condition, source[:found[1]]+" not ("+condition+")"+source[found[1]+length:])
	}
	for _, found := range answers.FindAllStringIndex(code, -1) {
		if !nothing.MatchString(code[found[1]:]) && !last.MatchString(code[found[1]:]) {
			add(found[0], "no return in "+line(found[0]), source[:found[0]]+"local _ ="+source[found[1]:])
		}
	}
	for _, found := range says.FindAllStringIndex(code, -1) {
		add(found[0], "no verdict in "+line(found[0]), "local function "+unsaid+"() end "+source[:found[0]]+unsaid+source[found[1]:])
	}
	return list
}

// equivalent are mutants that decide as the policy does, with the reason.
var equivalent = map[string]string{
	"no-force-push/policy.lua: no return in return false":                                                                     noReturn,
	"protected-paths/policy.lua: no return in return false":                                                                   noReturn,
	`safety/allow-git-read.lua: no return in if not known then return false end`:                                              "the policy has asked about words that are not known before it looks where they lead",
	`safety/no-drop-table.lua: no return in if line:find(pattern) then return verdict.ask "this drops or empties tables" end`: laterAsks,
	`safety/no-rm-outside.lua: no return in return verdict.ask "this deletes on another machine"`:                             laterAsks,
	`safety/no-secret-read.lua: no return in if name:find("%.pub$") then return nil end`:                                      "no name of a private key ends in .pub",
	`safety/no-force-push.lua: no return in return verdict.ask "this changes branches of the remote"`:                         laterAsks,
}

const (
	noReturn  = "a function that ends without a return gives nil, which is not true either"
	laterAsks = "what follows can only ask, and the first question is kept"
)

// tables are the tests that are told most by for what they cost: what holds of lines
// however they are written is tried with a hundred of them.
var tables = regexp.MustCompile(`^(?:denies|asks about|has nothing to say of) > `)

// A trial puts one mutant of a file to the tests that have to see it.
type trial struct {
	mutant
	file  string
	tests []string
}

// trials are those of every file of every example: a policy has its own tests, and
// what a folder shares has those of all its policies.
func trials(t *testing.T) (list []trial) {
	t.Helper()
	files, err := filepath.Glob("*/*.lua")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, scripttest.Suffix) {
			continue
		}
		seeing := []string{strings.TrimSuffix(file, ".lua") + scripttest.Suffix}
		if filepath.Base(file) == shared {
			seeing, err = filepath.Glob(filepath.Join(filepath.Dir(file), "*"+scripttest.Suffix))
			require.NoError(t, err)
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range mutants(string(source)) {
			list = append(list, trial{m, file, seeing})
		}
	}
	return list
}

// TestMutants breaks each function of each example, and demands that the tests of
// the examples see it.
func TestMutants(t *testing.T) {
	list := trials(t)
	survives, faults := make([]bool, len(list)), make([]error, len(list))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(".")))
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)); i = next.Add(1) - 1 {
				survives[i], faults[i] = list[i].run(t.Context(), dir)
			}
		})
	}
	workers.Wait()
	require.NoError(t, errors.Join(faults...))
	for i, m := range list {
		name := m.file + ": " + m.mistake
		_, same := equivalent[name]
		switch {
		case survives[i] && !same:
			t.Errorf("%s:%d: %s: the tests pass", m.file, m.line, m.mistake)
		case !survives[i] && same:
			t.Errorf("%s:%d: %s: the tests do see the difference", m.file, m.line, m.mistake)
		}
	}
}

// run reports whether the tests pass with the mutant in a copy of the examples.
func (m trial) run(ctx context.Context, dir string) (survives bool, err error) {
	file := filepath.Join(dir, m.file)
	sound, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(file, []byte(m.source), 0o600); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, os.WriteFile(file, sound, 0o600)) }()
	for _, which := range []*regexp.Regexp{tables, nil} {
		for _, test := range m.tests {
			report, err := scripttest.Run(ctx, []string{filepath.Join(dir, test)}, scripttest.Options{FailFast: true, Run: which})
			if err != nil || report.Files[0].Failed() {
				return false, err
			}
		}
	}
	return true, nil
}
