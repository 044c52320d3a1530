//go:build linux

package process_test

import (
	"bytes"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto/process"
)

// streams lists the pipes and sockets that this process has, by their descriptors.
func streams(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	all := map[string]string{}
	for _, e := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && (target[0] == 'p' || target[0] == 's') {
			all[e.Name()] = target
		}
	}
	return all
}

// A Spare keeps the streams of one command, however many run, and none when it is
// closed. No two commands get the same.
func TestSpare(t *testing.T) { // not parallel: it counts what the process has open
	before := len(streams(t))
	o := polite
	o.Spare = new(process.Spare)
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			got := o.Run(t.Context(), process.Command{Line: "cat; echo err >&2", Env: command("").Env, Stdin: []byte("in")})
			require.Equal(t, "in", string(got.Stdout))
			require.Equal(t, "err\n", string(got.Stderr))
		})
	}
	wait.Wait()
	kept := streams(t)
	require.Len(t, kept, before+6)

	got := o.Run(t.Context(), command("readlink /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2; ls /proc/self/fd"))
	used := 0
	for _, name := range kept {
		if bytes.Contains(got.Stdout, []byte(name)) {
			used++
		}
	}
	require.Equal(t, 3, used, "the next command has what was kept: %s", got.Stdout)
	require.Len(t, streams(t), before+6)

	o.Spare.Close()
	require.Len(t, streams(t), before)
	require.Zero(t, o.Run(t.Context(), command("true")).Exit)
	require.Len(t, streams(t), before, "nothing is kept any longer")
}
