package claudecode_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto/claudecode"
)

func made[P any]() func() any { return func() any { return new(P) } }

var payloads = map[string]func() any{
	"SessionStart":         made[claudecode.SessionStart](),
	"Setup":                made[claudecode.Setup](),
	"InstructionsLoaded":   made[claudecode.InstructionsLoaded](),
	"UserPromptSubmit":     made[claudecode.UserPromptSubmit](),
	"UserPromptExpansion":  made[claudecode.UserPromptExpansion](),
	"PreSkillShellCommand": made[claudecode.PreSkillShellCommand](),
	"PreToolUse":           made[claudecode.PreToolUse](),
	"PermissionRequest":    made[claudecode.PermissionRequest](),
	"PermissionDenied":     made[claudecode.PermissionDenied](),
	"PostToolUse":          made[claudecode.PostToolUse](),
	"PostToolUseFailure":   made[claudecode.PostToolUseFailure](),
	"PostToolBatch":        made[claudecode.PostToolBatch](),
	"Stop":                 made[claudecode.Stop](),
	"StopFailure":          made[claudecode.StopFailure](),
	"SubagentStart":        made[claudecode.SubagentStart](),
	"SubagentStop":         made[claudecode.SubagentStop](),
	"PreCompact":           made[claudecode.PreCompact](),
	"PostCompact":          made[claudecode.PostCompact](),
	"Notification":         made[claudecode.Notification](),
	"SessionEnd":           made[claudecode.SessionEnd](),
	"PreModelSwitch":       made[claudecode.ModelSwitch](),
	"PostModelSwitch":      made[claudecode.ModelSwitch](),
	"TaskCreated":          made[claudecode.Task](),
	"TaskCompleted":        made[claudecode.Task](),
	"Elicitation":          made[claudecode.Elicitation](),
	"ElicitationResult":    made[claudecode.ElicitationResult](),
	"ConfigChange":         made[claudecode.ConfigChange](),
	"CwdChanged":           made[claudecode.CwdChanged](),
	"FileChanged":          made[claudecode.FileChanged](),
	"DirectoryAdded":       made[claudecode.DirectoryAdded](),
	"WorktreeCreate":       made[claudecode.WorktreeCreate](),
	"WorktreeRemove":       made[claudecode.WorktreeRemove](),
	"MessageDisplay":       made[claudecode.MessageDisplay](),
}

// Every captured payload is written again byte for byte.
func TestCapturedPayloads(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "spec", "dialects", "claude-code", "payloads", "*.json"))
	require.NoError(t, err)
	require.Len(t, files, len(payloads))
	for _, file := range files {
		event := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(event, func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			var captured struct {
				Samples []struct {
					Text string `json:"stdin_text"`
				} `json:"samples"`
			}
			require.NoError(t, json.Unmarshal(data, &captured))
			require.NotEmpty(t, captured.Samples)
			for _, s := range captured.Samples {
				require.Contains(t, payloads, event)
				p := payloads[event]()
				decoder := json.NewDecoder(bytes.NewReader([]byte(s.Text)))
				decoder.DisallowUnknownFields()
				require.NoError(t, decoder.Decode(p))
				got, err := claudecode.Marshal(p)
				require.NoError(t, err)
				require.Equal(t, s.Text, string(got))
			}
		})
	}
}

func TestPayloadBytes(t *testing.T) {
	got, err := claudecode.Marshal(claudecode.PreToolUse{
		Prefix: claudecode.Prefix{SessionID: "s", Cwd: "/p", Event: "PreToolUse"},
		Call:   claudecode.Call{ToolName: "Bash", ToolInput: json.RawMessage(`{ "command": "a <b> && c` + "\u2028" + `" }`)},
	})
	require.NoError(t, err)
	want := `{"session_id":"s","transcript_path":"","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Bash",` +
		`"tool_input":{"command":"a <b> && c` + "\u2028" + `"},"tool_use_id":""}` + "\n"
	require.Equal(t, []byte(want), got)
}
