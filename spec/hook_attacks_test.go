package spec_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hookCall is what the client gives to the hook under attack.
const hookCall = `{"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": "/home/dev/app",
 "tool_name": "Bash", "tool_input": {"command": "make"}}`

// hookAttacks are bodies of a handler that try to fill or to stop the hook by way
// of what the script host offers; a is a text of 4 MB, t a table with 2,000
// items and k one with 2,000 fields. Each ends by what stops says, or by the
// clock if the machine is busy.
var hookAttacks = []struct{ name, stops, body string }{
	{"tell", "too many effects", `while true do call.live:tell(a) end`},
	{"tell, caught", "too many effects", `while true do pcall(call.live.tell, call.live, a) end`},
	{"tell small texts", "too many effects", `while true do call.live:tell("x") end`},
	{"inject", "too many effects", `while true do call.live:inject(a) end`},
	{"inject a table", "too many effects", `while true do call.live:inject { text = a } end`},
	{"log", "too much for the log", `while true do dsh.log(a) end`},
	{"log small texts", "instruction budget", `while true do dsh.log("x") end`},
	{"a huge reason", "longer than", `return dsh.deny(a)`},
	{"huge contexts", "longer than", `return dsh.deny { reason = "x", contexts = { a, a, a, a, a, a, a, a } }`},
	{"answers that are kept", "instruction budget", `local kept = {} while true do kept[#kept + 1] = dsh.deny { reason = a } end`},
	{"large lists", "instruction budget", `local kept = {} while true do kept[#kept + 1] = json.array(t) end`},
	{"large changes", "instruction budget", `local kept = {} while true do kept[#kept + 1] = dsh.with(k, {}) end`},
	{"large arguments", "instruction budget", `local kept = {} while true do kept[#kept + 1] = dsh.deny { reason = "x", contexts = t } end`},
}

// hookAttackHead is the file in front of a body.
const hookAttackHead = `local json = require "json"
dsh.on("tools/pre-execute", function(call)
local t, k = {}, { kind = "deny", reason = "x" }
for i = 1, 2000 do t[i], k["k" .. i] = "x", "x" end
local a = string.rep("x", 4000000)
`

const (
	hookTime   = 5 * time.Second
	hookMemory = 400 // MB
)

// TestAttacksThroughHook runs attacks in the program itself, as a client starts
// it. Each must end in a denial, in time and within its memory.
func TestAttacksThroughHook(t *testing.T) {
	dsh := buildHook(t)
	for _, attack := range hookAttacks {
		t.Run(attack.name, func(t *testing.T) {
			policy := filepath.Join(t.TempDir(), "policy.lua")
			source := hookAttackHead + attack.body + "\nend)\n"
			require.NoError(t, os.WriteFile(policy, []byte(source), 0o600))
			ctx, cancel := context.WithTimeout(t.Context(), attackKill)
			defer cancel()
			hook := exec.CommandContext(ctx, dsh, "hook", "claude-code", "--policy", policy)
			hook.Dir = filepath.Dir(policy)
			hook.Stdin = strings.NewReader(hookCall)
			var stdout, stderr bytes.Buffer
			hook.Stdout, hook.Stderr = &stdout, &stderr
			start := time.Now()
			require.NoError(t, hook.Run(), "%.500s", stderr.String())
			took := min(time.Since(start), hook.ProcessState.UserTime()+hook.ProcessState.SystemTime())
			requireDenial(t, stdout.Bytes(), attack.stops)
			require.Less(t, took, hookTime)
			require.Less(t, peakMemoryOf(hook.ProcessState), float64(hookMemory))
		})
	}
}

func requireDenial(t *testing.T, printed []byte, because string) {
	t.Helper()
	var answer struct {
		HookSpecificOutput struct{ PermissionDecision, PermissionDecisionReason string } `json:"hookSpecificOutput"`
	}
	require.NoError(t, json.Unmarshal(printed, &answer), "%.500s", printed)
	require.Equal(t, "deny", answer.HookSpecificOutput.PermissionDecision)
	require.Regexp(t, because+"|time limit exceeded", answer.HookSpecificOutput.PermissionDecisionReason)
}

// buildHook makes the dsh binary, without the race detector. The sources are read
// here too: the test cache does not see what a subprocess reads.
func buildHook(t *testing.T) string {
	t.Helper()
	for _, folder := range []string{"../cmd", "../runtime", "../clients", "../bridges", "../lua", "../hookproto", "../internal"} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".go" {
				_, err = os.Stat(path)
			}
			return err
		}))
	}
	dsh := filepath.Join(t.TempDir(), "dsh")
	printed, err := exec.CommandContext(t.Context(), "go", "build", "-o", dsh, "../cmd/dsh").CombinedOutput()
	require.NoError(t, err, "%s", printed)
	return dsh
}
