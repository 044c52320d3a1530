//go:build linux

package process_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/dsh-agent/internal/process"
	"github.com/dsh-lua/dsh/internal/group"
)

func TestRun(t *testing.T) {
	for _, test := range []struct {
		name, line, output, signal string
		exit                       int
	}{
		{name: "both streams in order", line: "echo a; echo b >&2; echo c", output: "a\nb\nc\n"},
		{name: "exit status", line: "exit 7", exit: 7},
		{name: "signal", line: "kill -KILL $$", exit: -1, signal: "killed"},
		{name: "no input", line: "cat; echo end", output: "end\n"},
		{name: "no terminal", line: "(: < /dev/tty) 2>/dev/null || echo none", output: "none\n"},
		{name: "what is no text", line: `printf 'a\377b'`, output: "a\uFFFDb"},
		{name: "environment", line: "echo $GIVEN $HOME", output: "yes\n"},
		{name: "a syntax error", line: "if", output: "syntax error", exit: 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := process.Run(t.Context(), process.Command{Line: test.line, Dir: t.TempDir(), Env: []string{"GIVEN=yes", "PATH=/usr/bin:/bin"}, Keep: 1000})
			require.NoError(t, err)
			require.Contains(t, out.Output, test.output)
			require.Equal(t, test.exit, out.Exit)
			require.Equal(t, test.signal, out.Signal)
			require.False(t, out.TimedOut)
		})
	}
}

// Wherever the cut falls, no character is torn and every byte is counted.
func TestLongOutputLosesItsMiddle(t *testing.T) {
	const line = "for i in $(seq 1000); do echo ääää$i; done"
	const total = 1000*9 + 9 + 90*2 + 900*3 + 4 // four characters of two bytes, the end, the number
	for keep := 100; keep < 126; keep++ {
		out, err := process.Run(t.Context(), process.Command{Line: line, Env: []string{"PATH=/usr/bin:/bin"}, Keep: keep})
		require.NoError(t, err)
		head, rest, cut := strings.Cut(out.Output, "\n[… "+strconv.FormatInt(out.Dropped, 10)+" bytes of output left out …]\n")
		require.True(t, cut, out.Output)
		require.True(t, strings.HasPrefix(head, "ääää1\nääää2\n"), out.Output)
		require.True(t, strings.HasSuffix(rest, "ääää999\nääää1000\n"), out.Output)
		require.NotContains(t, out.Output, "\uFFFD")
		require.Equal(t, total, len(head)+len(rest)+int(out.Dropped))
		require.LessOrEqual(t, len(head)+len(rest), keep)
	}
}

// left lists the command lines of living processes that contain text.
func left(t *testing.T, text string) []string {
	t.Helper()
	listed, err := exec.CommandContext(t.Context(), "ps", "-eo", "stat=,args=").Output()
	require.NoError(t, err)
	var found []string
	for line := range strings.Lines(string(listed)) {
		if strings.Contains(line, text) && !strings.HasPrefix(line, "Z") && !strings.Contains(line, "ps -eo") {
			found = append(found, line)
		}
	}
	return found
}

// Each line starts processes that would run for a long time. None may be left.
func TestNothingIsLeft(t *testing.T) {
	unique := "98" + strconv.Itoa(os.Getpid())
	orphans, err := group.Adopt()
	require.NoError(t, err)
	for _, test := range []struct {
		name, line string
		timedOut   bool
	}{
		{"the shell itself", "sleep UNIQUE", true},
		{"a child", "sleep UNIQUE; echo never", true},
		{"one that ignores the request to end", "trap '' TERM; sleep UNIQUE; sleep UNIQUE", true},
		{"one in the background, with the output", "sleep UNIQUE & echo started", false},
		{"one that hides its origin", "env -i sleep UNIQUE & until ps -eo args= | grep -q '^sleep UNIQUE'; do :; done; echo started", false},
		{"one that left the group", "setsid sleep UNIQUE & echo started", false},
		{"one that left the group and its parent", "(setsid sh -c 'sleep UNIQUE & sleep UNIQUE & wait' &) ; echo started", false},
		{"a daemon that hides its origin", "env -i setsid -f sh -c 'sleep UNIQUE & sleep UNIQUE' < /dev/null > /dev/null 2>&1; echo started", false},
		{"all of it at once", "trap '' TERM HUP; setsid sleep UNIQUE & sleep UNIQUE & sleep UNIQUE", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := process.Run(t.Context(), process.Command{
				Line: strings.ReplaceAll(test.line, "UNIQUE", unique), Env: []string{"PATH=/usr/bin:/bin"},
				Timeout: 300*time.Millisecond + map[bool]time.Duration{false: time.Minute}[test.timedOut], Keep: 1000, Orphans: orphans,
			})
			require.NoError(t, err)
			require.Equal(t, test.timedOut, out.TimedOut)
			require.Empty(t, left(t, unique))
			require.Less(t, out.Took, 10*time.Second)
		})
	}
}

func TestCancelled(t *testing.T) {
	unique := "97" + strconv.Itoa(os.Getpid())
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	done := make(chan error, 1)
	go func() {
		_, err := process.Run(ctx, process.Command{Line: "echo go > /proc/" + strconv.Itoa(os.Getpid()) + "/fd/" + strconv.Itoa(int(write.Fd())) + "; sleep " + unique, Env: []string{"PATH=/usr/bin:/bin"}, Keep: 10})
		done <- err
	}()
	_, err = read.Read(make([]byte, 10))
	require.NoError(t, err)
	cancel(cause)
	require.ErrorIs(t, <-done, cause)
	require.Empty(t, left(t, unique))

	_, err = process.Run(ctx, process.Command{Line: "true"})
	require.ErrorIs(t, err, cause)
}

func TestCannotStart(t *testing.T) {
	_, err := process.Run(t.Context(), process.Command{Line: "true", Dir: "/no/such/folder"})
	require.ErrorIs(t, err, os.ErrNotExist)
}
