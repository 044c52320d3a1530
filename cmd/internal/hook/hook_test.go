package hook

import (
	"bytes"
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
