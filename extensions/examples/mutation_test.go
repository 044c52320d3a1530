package examples_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
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
	nothing = regexp.MustCompile(`^\s*(?:end\b|$)`)
)

// blank hides comments, so that what they say is not taken for code.
func blank(source string) string {
	return comment.ReplaceAllStringFunc(source, func(c string) string { return strings.Repeat(" ", len(c)) })
}

// mutants are the policy with each condition negated, and with each return
// dropped.
func mutants(source string) (list []mutant) {
	code := blank(source)
	add := func(at int, what, changed string) {
		list = append(list, mutant{1 + strings.Count(source[:at], "\n"), what, changed})
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
		if nothing.MatchString(code[found[1]:]) {
			continue
		}
		line, _, _ := strings.Cut(source[found[0]:], "\n")
		add(found[0], "without "+line, source[:found[0]]+"local _ ="+source[found[1]:])
	}
	return list
}

// equivalent are mutants that decide as the policy does, with the reason.
var equivalent = map[string]string{
	"no-force-push/policy.lua: without return false":   "a function that ends without a return gives nil, which is not true either",
	"protected-paths/policy.lua: without return false": "likewise",
}

// broken returns the mutants that the tests beside a policy have to see: all of
// them. Those that judge lines by the module shell have thousands of lines of
// spec/corpus for what they know of programs, which cannot be put to every mutant,
// and the tests beside them are a selection: of these it is the mutants of the
// rules themselves, which are what dsh.on is given.
func broken(source string) (list []mutant) {
	rules := 0
	if strings.Contains(source, `require "shell"`) {
		rules = 1 + strings.Count(source[:strings.Index(source, "\ndsh.on(")+1], "\n")
	}
	for _, m := range mutants(source) {
		if m.line >= rules {
			list = append(list, m)
		}
	}
	return list
}

// TestMutants breaks each rule of each example, and demands that its own tests see
// it.
func TestMutants(t *testing.T) {
	for _, file := range tests(t) {
		policy := strings.TrimSuffix(file, scripttest.Suffix) + ".lua"
		source, err := os.ReadFile(policy)
		require.NoError(t, err)
		list := broken(string(source))
		require.NotEmpty(t, list)
		t.Run(policy, func(t *testing.T) {
			dir := copied(t, filepath.Dir(file))
			for _, m := range list {
				require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(policy)), []byte(m.source), 0o600))
				report, err := scripttest.Run(t.Context(), []string{filepath.Join(dir, filepath.Base(file))}, scripttest.Options{FailFast: true})
				require.NoError(t, err)
				if _, same := equivalent[policy+": "+m.mistake]; same {
					require.False(t, report.Files[0].Failed(), "%s:%d: %s: the tests do see the difference", policy, m.line, m.mistake)
					continue
				}
				if !report.Files[0].Failed() {
					t.Errorf("%s:%d: %s: the tests pass", policy, m.line, m.mistake)
				}
			}
		})
	}
}

// copied returns a copy of a folder.
func copied(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}
