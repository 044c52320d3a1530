// Command testbench times a thousand tests of one policy, half of them payloads of
// dsh's own and half the bytes of a client, and what counting coverage adds.
//
//	go run ./bench/cmd/testbench [-n ROUNDS] [-check]
//
// The machine is not idle, so every round times each work once; of the whole run
// the least time counts, of coverage the median of the ratios within a round. With
// -check the exit status is 1 if a goal is missed.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

// The goals.
const (
	cases     = 1000
	mostTime  = 2 * time.Second
	mostRatio = 1.5
)

// policy is the one under test, from the root of the project.
const policy = "extensions/examples/no-force-push/policy.lua"

const tests = `
for i = 1, 500 do
  test.it("denies " .. i, function()
    test.expect(test.fire("tools/pre-execute", test.shell("git push --force origin branch-" .. i))):denies "can drop"
  end)
  test.it("passes " .. i, function()
    test.expect(test.hook("claude-code", test.shell("git push origin branch-" .. i))):allows()
  end)
end`

func main() { os.Exit(rounds.Main(9, bench)) }

func bench(ctx context.Context, n int, _ io.Writer) ([]rounds.Goal, error) {
	dir, err := os.MkdirTemp("", "testbench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, err := os.ReadFile(policy)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "policy"+scripttest.Suffix)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "policy.lua"), source, 0o600), os.WriteFile(file, []byte(tests), 0o600)); err != nil {
		return nil, err
	}
	results, err := rounds.Interleave(ctx, []rounds.Work{
		{Name: "plain", Once: func() (time.Duration, error) { return once(ctx, file, nil) }},
		{Name: "covered", Once: func() (time.Duration, error) { return once(ctx, file, new(luavm.Coverage)) }},
	}, n)
	if err != nil {
		return nil, err
	}
	return []rounds.Goal{
		{What: fmt.Sprintf("%d tests", cases), Measured: rounds.Milli(results.Least("plain")), Bound: rounds.Milli(mostTime), Unit: "ms"},
		{What: "coverage", Measured: results.Ratio("covered", "plain"), Bound: mostRatio, Unit: "times the tests without it"},
	}, nil
}

func once(ctx context.Context, file string, counted *luavm.Coverage) (time.Duration, error) {
	report, err := scripttest.Run(ctx, []string{file}, scripttest.Options{Coverage: counted})
	if err != nil {
		return 0, err
	}
	if passed, failed, _ := report.Count(); passed != cases || failed > 0 {
		return 0, fmt.Errorf("%d tests passed and %d failed", passed, failed)
	}
	return report.Took, nil
}
