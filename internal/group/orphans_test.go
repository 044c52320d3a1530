//go:build linux

package group_test

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/internal/group"
)

// abandon starts a command that leaves a process behind, and returns the process.
func abandon(t *testing.T) int {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "env -i setsid sleep 96 > /dev/null 2>&1 & echo $!").Output()
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	require.NoError(t, err)
	return pid
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestOrphans(t *testing.T) {
	earlier := exec.CommandContext(t.Context(), "sleep", "96")
	require.NoError(t, earlier.Start())
	pid := earlier.Process.Pid
	require.NoError(t, earlier.Process.Release()) // as if a shell had started it, and then become this process
	defer func() {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		_, err := syscall.Wait4(pid, nil, 0, nil)
		require.NoError(t, err)
	}()

	orphans, err := group.Adopt()
	require.NoError(t, err)
	left := abandon(t)
	orphans.Kill()
	require.False(t, alive(left), "an orphan is ended, and waited for")
	require.True(t, alive(pid), "what was there before is no orphan")

	other := exec.CommandContext(t.Context(), "sh", "-c", "env -i setsid sleep 96 > /dev/null 2>&1 & echo $!; read x")
	in, err := other.StdinPipe()
	require.NoError(t, err)
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	lines := bufio.NewReader(out)
	_, err = lines.ReadString('\n')
	require.NoError(t, err)
	left = abandon(t)
	orphans.Kill()
	require.True(t, alive(left), "it may be somebody else's")
	require.NoError(t, in.Close())
	_ = other.Wait()
	orphans.Kill()
	require.False(t, alive(left))

	require.NotEqual(t, 1, os.Getpid())
	(*group.Orphans)(nil).Kill()
}
