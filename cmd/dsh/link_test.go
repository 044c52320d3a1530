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
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// unlinked are packages that dsh must not contain. It is started for every call
// of an agent; what needs the network belongs into dsh-agent.
var unlinked = []string{"net/http", "crypto/tls", "testing"}

func TestLinksNoNetworkStack(t *testing.T) {
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	packages := strings.Fields(string(listed))
	require.Contains(t, packages, "os")
	for _, banned := range unlinked {
		require.NotContains(t, packages, banned)
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

// allowed are packages that may allocate more than others, each with the bytes
// and the reason. The bound on time holds for them too.
var allowed = map[string]int{
	// Matchers of Claude Code are regular expressions of JavaScript. No other
	// library has them, and this one makes a table of Unicode's categories.
	"github.com/dlclark/regexp2/syntax": 29 << 10,
}

// initRuns is how often each program is started; the least time counts.
const initRuns = 21

func TestInitIsCheap(t *testing.T) {
	dir := t.TempDir()
	dsh := buildForTrace(t, dir, ".")
	noop := buildForTrace(t, dir, "../../bench/cmd/noop")
	hook := buildForTrace(t, dir, "../../bench/cmd/jsononly")

	// What any hook written in Go contains is not for dsh to answer for.
	exempt, _ := trace(t, hook)
	costs, least := map[string]initCost{}, time.Hour
	for range initRuns {
		_, took := trace(t, noop)
		least = min(least, took)
		found, _ := trace(t, dsh, "version")
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
		require.LessOrEqual(t, cost.bytes, max(initBytes, allowed[pkg]), "%s allocates %d bytes before main starts", pkg, cost.bytes)
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

func buildForTrace(t *testing.T, dir, pkg string) string {
	t.Helper()
	binary := filepath.Join(dir, strings.ReplaceAll(strings.Trim(pkg, "./"), "/", "-")+".bin")
	printed, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags", "-s -w", "-buildvcs=false", "-o", binary, pkg).CombinedOutput()
	require.NoError(t, err, "%s", printed)
	return binary
}
