package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/script/lint"
	"github.com/dsh-lua/dsh/runtime/tool"
)

func options() lint.Options {
	var fires, all []string
	for _, p := range claudecode.Points() {
		fires = append(fires, p.Name())
	}
	for _, p := range catalog.Points() {
		if p.Name() != "agent/notify" {
			all = append(all, p.Name())
		}
	}
	return lint.Options{
		Points: catalog.Points(), Actions: tool.ActionKinds(),
		Hosts: []lint.Host{
			{Name: "claude-code", Fires: fires, Tools: claudecode.Tools()},
			{Name: "dsh", Fires: all, Tools: []string{"bash", "edit", "read", "write"}},
		},
	}
}

func check(t testing.TB, source string, opts lint.Options) []lint.Finding {
	t.Helper()
	return lint.Check(t.Context(), "p.lua", source, opts)
}

// TestEveryKindIsSeen checks the example of each kind, and that a comment and an
// option drop what it finds.
func TestEveryKindIsSeen(t *testing.T) {
	for _, k := range lint.Kinds() {
		t.Run(k.ID, func(t *testing.T) {
			found := check(t, k.Bad, options())
			var ids []string
			for _, f := range found {
				ids = append(ids, f.ID)
				require.NotEmpty(t, f.Message)
				require.Positive(t, f.Line)
				require.Positive(t, f.Column)
				require.Equal(t, k.Fix != "" && f.ID == k.ID, f.Fix != nil && f.ID == k.ID, "%s", f)
			}
			require.Contains(t, ids, k.ID)
			opts := options()
			opts.Disable = []string{k.ID}
			for _, f := range check(t, k.Bad, opts) {
				require.NotEqual(t, k.ID, f.ID)
			}
		})
	}
}

// TestFixesMend applies the fix of each kind that has one.
func TestFixesMend(t *testing.T) {
	for _, k := range lint.Kinds() {
		if k.Fix == "" {
			continue
		}
		t.Run(k.ID, func(t *testing.T) {
			fixed, mended := lint.Apply(k.Bad, check(t, k.Bad, options()))
			require.NotEmpty(t, mended)
			for _, f := range check(t, fixed, options()) {
				require.NotEqual(t, k.ID, f.ID, fixed)
				require.NotEqual(t, "syntax", f.ID, fixed)
			}
		})
	}
}

var wanted = regexp.MustCompile(`--- want:(( "[^"]*")+)\s*$`)

// TestCases checks the files in testdata: each line says at its end what is found
// on it, as regular expressions for "id: message (hint)". Everything else is a mistake.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.lua")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			opts := options()
			opts.Folder = os.DirFS("testdata/folder")
			found := map[int][]string{}
			for _, f := range lint.Check(t.Context(), file, string(text), opts) {
				_, message, _ := strings.Cut(f.String(), fmt.Sprintf(":%d: ", f.Column))
				found[f.Line] = append(found[f.Line], f.ID+": "+message)
			}
			for i, line := range strings.Split(string(text), "\n") {
				compare(t, fmt.Sprintf("%s:%d", file, i+1), wants(line), found[i+1])
			}
		})
	}
}

func wants(line string) (list []string) {
	m := wanted.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	for _, quoted := range regexp.MustCompile(`"[^"]*"`).FindAllString(m[1], -1) {
		list = append(list, strings.Trim(quoted, `"`))
	}
	return list
}

func compare(t *testing.T, at string, want, got []string) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%s: want %q, got %q", at, want, got)
		return
	}
	for i := range want {
		if !regexp.MustCompile(want[i]).MatchString(got[i]) {
			t.Errorf("%s: want %q, got %q", at, want[i], got[i])
		}
	}
}

// TestExamplesAreClean checks the policies of the repository.
func TestExamplesAreClean(t *testing.T) {
	opts := options()
	opts.Hosts = nil
	require.NoError(t, filepath.WalkDir("../../../extensions/examples", func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".lua" || strings.HasSuffix(path, "_test.lua") {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		opts.Folder = os.DirFS(filepath.Dir(path))
		opts.Module = func() bool { return filepath.Base(path) == "common.lua" }
		for _, f := range lint.Check(t.Context(), path, string(text), opts) {
			if f.Severity != lint.Hint {
				t.Errorf("%s [%s]", f, f.ID)
			} else {
				t.Logf("%s [%s]", f, f.ID)
			}
		}
		return nil
	}))
}

// TestPlaceOfAFault: one that has no column is marked where its line begins.
func TestPlaceOfAFault(t *testing.T) {
	found := lint.Check(t.Context(), "p.lua", "local x = 1\n  break", lint.Options{})
	require.Len(t, found, 1)
	require.Equal(t, "p.lua:2:3: break outside of a loop", found[0].String())
}

// TestLibraries checks a file that has a library of its own, as files of tests have.
func TestLibraries(t *testing.T) {
	opts := options()
	opts.Globals = []string{"test"}
	opts.Libraries = []stdlib.Module{{Name: "test", Functions: []stdlib.Function{{
		Name: "it", Params: []stdlib.Field{{Name: "name", Type: "string"}, {Name: "body", Type: "function"}},
	}}}}
	require.Empty(t, check(t, `test.it("works", function() end)`, opts))
	for source, id := range map[string]string{
		`test.its("works", function() end)`: "unknown-member", `test.it("works")`: "wrong-argument",
		`tset.it("works", function() end)`: "unknown-global", `test.it(1, function() end)`: "wrong-argument",
		`local m = require "jsn" test.it(m.x, function() end)`: "unknown-module",
	} {
		found := check(t, source, opts)
		require.Len(t, found, 1, source)
		require.Equal(t, id, found[0].ID)
	}
}

func FuzzCheck(f *testing.F) {
	for _, k := range lint.Kinds() {
		f.Add(k.Bad)
	}
	f.Add("\xff\xfe")
	f.Add("dsh.on()")
	f.Add("dsh.on('tools/pre-execute', {[1]=2}, function(...) return ... end)")
	opts := options()
	f.Fuzz(func(t *testing.T, source string) {
		findings := check(t, source, opts)
		for _, found := range findings {
			require.Positive(t, found.Line)
			require.LessOrEqual(t, found.Line, 1+strings.Count(source, "\n")+strings.Count(source, "\r"))
		}
		_, _ = lint.Apply(source, findings)
	})
}
