package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"dsh": main})
}

// TestScripts runs the binary as its users do. Each script is prose first; the
// home and the cache of the commands are folders of the test.
func TestScripts(t *testing.T) {
	spec, err := filepath.Abs(filepath.Join("..", "..", "spec"))
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("DSH_UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("SPEC", spec)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
			env.Setenv("CLAUDE_PROJECT_DIR", "")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond != "root" {
				return false, fmt.Errorf("no condition %q", cond)
			}
			return os.Getuid() == 0, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "lines": lineCount, "fill": fill,
		},
	})
}

// exits is "exits STATUS PROGRAM ARG...": exec with a certain exit status. No
// command ever shows a Go stack.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARG...")
	}
	status := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		failed := (*exec.ExitError)(nil)
		if !errors.As(err, &failed) {
			ts.Fatalf("%v", err)
		}
		status = failed.ExitCode()
	}
	if args[0] != strconv.Itoa(status) {
		ts.Fatalf("exit status %d", status)
	}
	for _, stream := range []string{"stdout", "stderr"} {
		if text := ts.ReadFile(stream); strings.Contains(text, "goroutine ") || strings.Contains(text, ".go:") {
			ts.Fatalf("a Go stack in %s", stream)
		}
	}
}

// lineCount is "lines STREAM N": that many lines that are not blank were printed.
func lineCount(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines STREAM N")
	}
	got := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if strings.TrimSpace(line) != "" {
			got++
		}
	}
	if args[1] != strconv.Itoa(got) {
		ts.Fatalf("%d lines in %s", got, args[0])
	}
}

// fill is "fill FILE TEXT N": FILE becomes N times TEXT, in which escapes mean
// what they mean in Go.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fill FILE TEXT N")
	}
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(text, n)), 0o600))
}
