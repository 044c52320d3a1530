package main

// These tests look at the binary, through subprocesses that the test cache does
// not see. They are in package main so that the test binary contains the very
// packages they judge: whatever changes one of them makes the test run again.

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// unlinked are packages that dsh must not contain, by the tags that it is built
// with. What needs the network belongs into dsh-agent. The small program is started
// for every call of an agent; what only authors and builders need belongs into the
// commands.
var unlinked = map[string][]string{
	"": {"net/http", "crypto/tls", "testing"},
	"small": {
		"net", "net/http", "crypto/tls", "testing", "encoding/json", "text/template", "github.com/spf13/cobra", "github.com/dlclark/regexp2",
		"github.com/pelletier/go-toml/v2", "github.com/dsh-lua/dsh/bridges/claudecode", "github.com/dsh-lua/dsh/runtime/script/lint",
		"github.com/dsh-lua/dsh/runtime/script/scripttest", "github.com/dsh-lua/dsh/cmd/internal/cli",
	},
}

func TestLinks(t *testing.T) {
	for tags, banned := range unlinked {
		listed, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", tags, ".").Output()
		require.NoError(t, err)
		packages := strings.Fields(string(listed))
		require.Contains(t, packages, "github.com/dsh-lua/dsh/cmd/internal/hook")
		for _, pkg := range banned {
			require.False(t, slices.Contains(packages, pkg), "dsh built with tags %q contains %s", tags, pkg)
		}
	}
}

// What one package may do before main starts. Allocation is the strict bound,
// because it is the same on every machine, and such time goes nearly all to
// building tables: 16 KiB took 20 µs where starting a process is cheap. The
// bound on time catches what allocates nothing. It is a share of the time of a
// process that does nothing, since page faults, and with them any figure in
// microseconds, differ tenfold between machines and twofold between runs.
const (
	initBytes = 16 << 10
	initShare = 0.1
)

// initRuns is how often each program is started; the least time counts.
const initRuns = 21

func TestInitIsCheap(t *testing.T) {
	dir := t.TempDir()
	dsh := build(t, filepath.Join(dir, "dsh"), ".", "small")
	noop := build(t, filepath.Join(dir, "noop"), "../../bench/cmd/noop", "")
	hook := build(t, filepath.Join(dir, "hook"), "../../bench/cmd/jsononly", "")

	// What any hook written in Go contains is not for dsh to answer for.
	exempt, _ := trace(t, hook)
	costs, least := map[string]initCost{}, time.Hour
	for range initRuns {
		_, took := trace(t, noop)
		least = min(least, took)
		found, _ := trace(t, dsh, "hook", "--help")
		for pkg, cost := range found {
			if before, ok := costs[pkg]; ok {
				cost.took = min(cost.took, before.took)
			}
			costs[pkg] = cost
		}
	}
	require.NotEmpty(t, costs)
	limit := time.Duration(float64(least) * initShare)
	for pkg, cost := range costs {
		if _, ok := exempt[pkg]; ok {
			continue
		}
		require.LessOrEqual(t, cost.bytes, initBytes, "%s allocates %d bytes before main starts", pkg, cost.bytes)
		require.LessOrEqual(t, cost.took, limit, "%s takes %s before main starts, of the %s of a no-op process", pkg, cost.took, least)
	}
}

// initCost is what the initialisation of one package cost in one run.
type initCost struct {
	took  time.Duration
	bytes int
}

// trace runs a program and returns what each package's initialisation cost, and
// how long the process took in all.
func trace(t *testing.T, program string, args ...string) (map[string]initCost, time.Duration) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	command.Stdin = strings.NewReader("{}")
	var told bytes.Buffer
	command.Stderr = &told
	start := time.Now()
	require.NoError(t, command.Run())
	took := time.Since(start)
	costs := map[string]initCost{}
	for line := range strings.Lines(told.String()) {
		var pkg string
		var at, clock float64
		var cost initCost
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes", &pkg, &at, &clock, &cost.bytes); err == nil {
			cost.took = time.Duration(clock * float64(time.Millisecond))
			costs[pkg] = cost
		}
	}
	return costs, took
}

func build(t *testing.T, binary, pkg, tags string) string {
	t.Helper()
	printed, err := exec.CommandContext(t.Context(), "go", "build", "-tags", tags, "-ldflags", "-s -w", "-buildvcs=false", "-o", binary, pkg).CombinedOutput()
	require.NoError(t, err, "%s", printed)
	return binary
}

// The small program answers events as the full one does, and hands it the rest.
func TestSmall(t *testing.T) {
	dir := t.TempDir()
	small := build(t, filepath.Join(dir, "bin", "dsh"), ".", "small")
	start := func(program, stdin string, args ...string) (out string, status int) {
		command := exec.CommandContext(t.Context(), program, args...)
		command.Dir, command.Stdin = dir, strings.NewReader(stdin)
		command.Env = []string{"HOME=" + dir, "PATH=" + filepath.Join(dir, "empty")}
		printed, _ := command.CombinedOutput()
		return string(printed), command.ProcessState.ExitCode()
	}
	const event = `{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force"}}`
	policy, err := filepath.Abs("../../extensions/examples/no-force-push/policy.lua")
	require.NoError(t, err)

	out, status := start(small, "", "version")
	require.Equal(t, 1, status)
	require.Contains(t, out, "dsh: version needs the program dsh-full beside dsh or on the PATH")

	full := build(t, filepath.Join(dir, "bin", "dsh-full"), ".", "")
	for _, test := range []struct {
		name, stdin string
		args        []string
	}{
		{"a denial", event, []string{"hook", "claude-code", "--policy", policy}},
		{"no event", "{", []string{"hook", "codex"}},
		{"help", "", nil},
		{"a command", "", []string{"spec", "points"}},
		{"no command", "", []string{"speck"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, wantStatus := start(full, test.stdin, test.args...)
			got, status := start(small, test.stdin, test.args...)
			require.NotEmpty(t, want)
			require.Equal(t, want, got)
			require.Equal(t, wantStatus, status)
		})
	}

	const itself = "what dsh finds as dsh-full is a program that has no other command than hook"
	require.NoError(t, os.Remove(full))
	require.NoError(t, os.Symlink("dsh", full))
	out, status = start(small, "", "version")
	require.Equal(t, 1, status)
	require.Contains(t, out, itself)

	require.NoError(t, os.Rename(small, full))
	out, status = start(full, "", "version")
	require.Equal(t, 1, status)
	require.Contains(t, out, itself)
}

// A client that does not read what a hook tells, or its answer, gets the status that
// is safe.
func TestClosedStreams(t *testing.T) {
	dir := t.TempDir()
	dsh := build(t, filepath.Join(dir, "dsh"), ".", "small")
	policy := filepath.Join(dir, "policy.lua")
	require.NoError(t, os.WriteFile(policy, []byte(`dsh.on("tools/pre-execute", function() dsh.log("text") return dsh.deny("no") end)`), 0o600))
	const event = `{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`
	for _, test := range []struct {
		closes func(command *exec.Cmd, closed *os.File)
		status int
		want   string
	}{
		{func(command *exec.Cmd, closed *os.File) { command.Stderr = closed }, 0, `"permissionDecision":"deny"`},
		{func(command *exec.Cmd, closed *os.File) { command.Stdout = closed }, 2, ""},
	} {
		read, write, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, read.Close())
		var out bytes.Buffer
		command := exec.CommandContext(t.Context(), dsh, "hook", "claude-code", "--policy", policy)
		command.Dir, command.Stdin, command.Stdout = dir, strings.NewReader(event), &out
		test.closes(command, write)
		_ = command.Run()
		require.NoError(t, write.Close())
		require.Equal(t, test.status, command.ProcessState.ExitCode(), command.ProcessState)
		require.Contains(t, out.String(), test.want)
	}
}
