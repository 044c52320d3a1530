package rounds_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dsh-lua/dsh/bench/internal/rounds"
	"github.com/stretchr/testify/require"
)

func TestRatioIsTakenWithinARound(t *testing.T) {
	// The machine slows down threefold; the second program costs twice the first throughout.
	results := rounds.Results{
		"a": {10, 10, 30, 30, 30},
		"b": {20, 20, 60, 60, 60},
	}
	require.InDelta(t, 2, results.Ratio("b", "a"), 1e-9)
	together := func(times ...float64) float64 { return times[0] + times[1] }
	require.InDelta(t, 90, results.Within(together, "a", "b"), 1e-9)
	require.Equal(t, time.Duration(30), results.Median("a"))
	require.Equal(t, time.Duration(20), results.Least("b"))
}

func TestMissingEntryHasNoFigures(t *testing.T) {
	results := rounds.Results{"a": {10}}
	require.Zero(t, results.Ratio("a", "b"))
	require.Zero(t, results.Ratio("b", "a"))
	require.Zero(t, results.Median("b"))
	require.Zero(t, results.Least("b"))
}

func TestRunTimesEveryEntryOncePerRound(t *testing.T) {
	entries := []rounds.Entry{self("pass", "-test.run=^$"), self("list", "-test.list=^$")}
	results, err := rounds.Run(t.Context(), entries, 3, os.DevNull)
	require.NoError(t, err)
	require.Len(t, results["pass"], 3)
	require.Len(t, results["list"], 3)
	require.Positive(t, results.Least("list"))
}

func TestRunRefusesWhatDidNotWork(t *testing.T) {
	ended, end := context.WithCancelCause(t.Context())
	end(context.Canceled)
	tests := []struct {
		name  string
		ctx   context.Context
		entry rounds.Entry
		stdin string
		want  string
	}{
		{"a failing program", t.Context(), self("fails", "-no-such-flag"), os.DevNull, "fails: exit status 2"},
		{"a missing program", t.Context(), rounds.Entry{Name: "x", Argv: []string{"/no/such/program"}}, os.DevNull, "no such file"},
		{"a missing input", t.Context(), self("pass"), filepath.Join(t.TempDir(), "none"), "no such file"},
		{"an ended context", ended, self("pass"), os.DevNull, "context canceled"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := rounds.Run(test.ctx, []rounds.Entry{test.entry}, 1, test.stdin)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestAnswerTellsWhatWasPrinted(t *testing.T) {
	printed, err := self("list", "-test.list=^TestAnswer").Answer(t.Context(), "")
	require.NoError(t, err)
	require.Contains(t, printed, "TestAnswerTellsWhatWasPrinted")

	_, err = self("fails", "-no-such-flag").Answer(t.Context(), "")
	require.ErrorContains(t, err, "flag provided but not defined")
}

// self is the test binary itself: a program that is there on every machine.
func self(name string, args ...string) rounds.Entry {
	return rounds.Entry{
		Name: name,
		Argv: append([]string{os.Args[0]}, args...),
		Env:  []string{"GORACE=atexit_sleep_ms=0"}, // else each process idles a second at its end
	}
}
