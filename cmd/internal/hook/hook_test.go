package hook

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/console"
)

// slow is an event that the client takes its time to send.
type slow struct {
	io.Reader
	takes time.Duration
}

func (s *slow) Read(into []byte) (int, error) {
	time.Sleep(s.takes)
	s.takes = 0
	return s.Reader.Read(into)
}

func TestTooLateIsDenied(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("CLAUDE_PROJECT_DIR", dir)
	policy := filepath.Join(dir, "policy.lua")
	require.NoError(t, os.WriteFile(policy, []byte(`dsh.on("tools/pre-execute", function() end)`), 0o600))
	const event = `{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`
	for takes, want := range map[time.Duration]string{
		0:                     "",
		longest - time.Second: "",
		longest + time.Second: `could not be judged: no answer within 20s"`,
	} {
		synctest.Test(t, func(t *testing.T) {
			var out, told bytes.Buffer
			std := console.IO{In: &slow{strings.NewReader(event), takes}, Out: &out, Err: &told}
			require.Equal(t, console.ExitOK, Run(t.Context(), []string{"claude-code", "--policy", policy}, std))
			require.Empty(t, told.String())
			require.Contains(t, out.String(), want)
			require.Equal(t, want == "", out.Len() == 0, "%s: %s", takes, out.String())
		})
	}
}

// endless is an event that does not end.
type endless struct{}

func (endless) Read(into []byte) (int, error) { return len(into), nil }

func TestEventThatCannotBeRead(t *testing.T) {
	for want, in := range map[string]io.Reader{
		"more than 67108864 bytes": endless{},
		"unexpected EOF":           io.MultiReader(strings.NewReader("{"), &failing{}),
	} {
		var out, told bytes.Buffer
		require.Equal(t, console.ExitUsage, Run(t.Context(), []string{"codex"}, console.IO{In: in, Out: &out, Err: &told}))
		require.Equal(t, "dsh hook: the event cannot be read: "+want+"\n", told.String())
		require.Empty(t, out.String())
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// A client does not wait until all has been told that a project gives cause for.
func TestTellsOnceAndBounded(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	lines := make([]string, maxOnce+7)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i)
	}
	for _, want := range []int{maxOnce + 1, 0} {
		var told remarks
		told.once([]byte(`{"session_id":"s"}`), "/root", lines...)
		require.Equal(t, want, bytes.Count(told.text, []byte("\n")))
		require.Equal(t, want > 0, strings.HasSuffix(string(told.text), "dsh hook: 7 more of these are left out\n"))
	}
	files, err := os.ReadDir(filepath.Join(cache, "dsh", "told"))
	require.NoError(t, err)
	require.Len(t, files, maxOnce+1)
	require.Len(t, lines, maxOnce+7)
	require.Equal(t, fmt.Sprintf("line %d", maxOnce), lines[maxOnce], "the lines are the caller's")
}

// What was told long ago is forgotten, once for all that a hook tells.
func TestForgets(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	dir := filepath.Join(cache, "dsh", "told")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	var told remarks
	for _, left := range []int{1, 3} {
		old := filepath.Join(dir, fmt.Sprintf("old%d", left))
		require.NoError(t, os.WriteFile(old, nil, 0o600))
		require.NoError(t, os.Chtimes(old, time.Time{}, time.Now().Add(-2*toldAge)))
		require.True(t, told.first(fmt.Sprintf("what %d", left)))
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, files, left)
	}
}
