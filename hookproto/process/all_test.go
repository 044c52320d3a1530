//go:build unix

package process_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/process"
)

// meet is a command that ends only if n of its kind run at the same time.
func meet(dir string, i, n int) process.Job {
	return process.Job{Command: command(fmt.Sprintf(
		`: > %[1]s/%[2]d; while [ $(ls %[1]s | wc -l) -lt %[3]d ]; do sleep 0.05; done; echo %[2]d`, dir, i, n))}
}

func TestAllAtOnce(t *testing.T) {
	t.Parallel()
	const n = 50
	dir := t.TempDir()
	var jobs []process.Job
	for i := range n {
		jobs = append(jobs, meet(dir, i, n))
	}
	all := strict.RunAll(t.Context(), jobs, nil)
	ranks := map[int]bool{}
	for i, ran := range all {
		require.Equal(t, i, ran.Configured)
		require.Equal(t, fmt.Sprintf("%d\n", i), string(ran.Result.Stdout))
		ranks[ran.Rank] = true
	}
	require.Len(t, ranks, n)
}

func TestRanks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "go")
	all := strict.RunAll(t.Context(), []process.Job{
		{Command: command("while [ ! -e " + file + " ]; do sleep 0.01; done")},
		{Command: command("exit 3")},
	}, func(configured int, r hookproto.Result) bool {
		if configured == 1 {
			strict.Run(t.Context(), command(": > "+file))
		}
		return false
	})
	require.Equal(t, []int{1, 0}, []int{all[0].Rank, all[1].Rank})
	byRank := process.ByRank(all)
	require.Equal(t, 3, byRank[0].Result.Exit)
}

func TestEnough(t *testing.T) {
	t.Parallel()
	all := strict.RunAll(t.Context(), []process.Job{{Command: command("sleep 3600")}, {Command: command("exit 2")}},
		func(_ int, r hookproto.Result) bool { return r.Exit == 2 })
	require.True(t, all[0].Result.Canceled)
	require.False(t, all[1].Result.Canceled)
}

func async(line []byte) bool { return strings.Contains(string(line), `"async":true`) }

func TestDetach(t *testing.T) {
	t.Parallel()
	var background process.Background
	ctx, cancel := context.WithCancel(t.Context())
	file := filepath.Join(t.TempDir(), "go")
	all := polite.RunAll(ctx, []process.Job{
		{Command: command(`echo '{"async":true}'; while [ ! -e ` + file + ` ]; do sleep 0.01; done; echo later`), Detach: async},
		{Command: command(`printf '{"async":true}'`), Detach: async},
		{Command: command(`echo text`), Detach: async},
	}, nil)
	cancel()
	require.NotNil(t, all[0].Detached)
	require.Nil(t, all[1].Detached, "there is no whole line")
	require.Equal(t, "text\n", string(all[2].Result.Stdout))
	results := make(chan hookproto.Result, 1)
	background.Adopt(all[0].Detached, func(r hookproto.Result) { results <- r })
	strict.Run(t.Context(), command(": > "+file))
	r := <-results
	require.Equal(t, "{\"async\":true}\nlater\n", string(r.Stdout))
	require.NoError(t, background.Close(t.Context()))
}

func TestBackground(t *testing.T) {
	t.Parallel()
	var background process.Background
	results := make(chan hookproto.Result, 3)
	collect := func(r hookproto.Result) { results <- r }
	background.Go(polite, command("echo done"), collect)
	require.NoError(t, background.Drain(t.Context()))
	require.Equal(t, "done\n", string((<-results).Stdout))

	marker := filepath.Join(t.TempDir(), "marker")
	background.Go(polite, command("exec 9>"+marker+"; sleep 3600"), collect)
	late, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, background.Drain(late), context.Canceled)
	require.NoError(t, background.Close(t.Context()))
	require.True(t, (<-results).Canceled)
	require.Empty(t, left(t, marker))

	background.Go(polite, command("echo late"), collect)
	require.NoError(t, background.Close(t.Context()))
	r := <-results
	require.True(t, r.Canceled)
	require.ErrorIs(t, r.Err, process.ErrClosed)
}
