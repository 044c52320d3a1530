package claudecode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto/claudecode"
)

func TestEnvironment(t *testing.T) {
	e := claudecode.Environment{Event: "PreToolUse", Project: "/p", Session: "s", PID: 7, Effort: "high", EnvFile: "/tmp/e"}
	require.Equal(t, []string{
		"CLAUDECODE=1", "CLAUDE_PROJECT_DIR=/p", "CLAUDE_CODE_SESSION_ID=s", "CLAUDE_CODE_ENTRYPOINT=dsh", "CLAUDE_CODE_CHILD_SESSION=1",
		"CLAUDE_PID=7", "COREPACK_ENABLE_AUTO_PIN=0", "NoDefaultCurrentDirectoryInExePath=1", "CLAUDE_EFFORT=high",
	}, e.Pairs())
	e.Event = "SessionStart"
	require.Contains(t, e.Pairs(), "CLAUDE_ENV_FILE=/tmp/e")
	require.NotContains(t, e.Pairs(), "CLAUDE_EFFORT=high")
	e.EnvFile = ""
	require.NotContains(t, e.Pairs(), "CLAUDE_ENV_FILE=")
}
