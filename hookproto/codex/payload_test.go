package codex_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/hookproto/document"
)

var payloads = map[string]func() any{
	"PreModelRequest":   func() any { return new(codex.PreModelRequest) },
	"PostModelRequest":  func() any { return new(codex.PostModelRequest) },
	"PreToolUse":        func() any { return new(codex.PreToolUse) },
	"PermissionRequest": func() any { return new(codex.PermissionRequest) },
	"PostToolUse":       func() any { return new(codex.PostToolUse) },
	"PreCompact":        func() any { return new(codex.Compact) },
	"PostCompact":       func() any { return new(codex.Compact) },
	"SessionStart":      func() any { return new(codex.SessionStart) },
	"SessionEnd":        func() any { return new(codex.SessionEnd) },
	"UserPromptSubmit":  func() any { return new(codex.UserPromptSubmit) },
	"SubagentStart":     func() any { return new(codex.SubagentStart) },
	"SubagentStop":      func() any { return new(codex.SubagentStop) },
	"Stop":              func() any { return new(codex.Stop) },
	"Interrupt":         func() any { return new(codex.Interrupt) },
}

// Every captured payload is written again byte for byte, and its keys are those
// of the events table.
func TestCapturedPayloads(t *testing.T) {
	for _, e := range codex.Events() {
		t.Run(e.Name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "..", "spec", "dialects", "codex", "payloads", e.Name+".json"))
			require.NoError(t, err)
			var file struct {
				Captures []struct {
					Variant         string          `json:"variant"`
					TrailingNewline bool            `json:"trailing_newline"`
					KeyOrder        []string        `json:"key_order"`
					Stdin           json.RawMessage `json:"stdin"`
				} `json:"captures"`
			}
			require.NoError(t, json.Unmarshal(data, &file))
			require.NotEmpty(t, file.Captures)
			for _, c := range file.Captures {
				p := payloads[e.Name]()
				require.NoError(t, json.Unmarshal(c.Stdin, p), c.Variant)
				got, err := codex.Marshal(p)
				require.NoError(t, err)
				var want bytes.Buffer
				require.NoError(t, json.Compact(&want, c.Stdin))
				require.Equal(t, want.String(), string(got), c.Variant)
				require.False(t, c.TrailingNewline)
				root, err := document.ParseJSON(got)
				require.NoError(t, err)
				var names []string
				for _, m := range root.Members {
					names = append(names, m.Name)
				}
				require.Equal(t, c.KeyOrder, names, c.Variant)
				require.Subset(t, e.Fields, names, c.Variant)
				requireOrder(t, e.Fields, names)
			}
		})
	}
}

// requireOrder tells that names stand in the order of the table.
func requireOrder(t *testing.T, table, names []string) {
	t.Helper()
	require.Regexp(t, "^"+strings.Join(names, " (.* )?")+"$", strings.Join(table, " "))
}

func TestPayloadBytes(t *testing.T) {
	got, err := codex.Marshal(codex.UserPromptSubmit{
		Turn: codex.Turn{SessionID: "s", TurnID: "t"}, Where: codex.Where{Cwd: "/p", Event: "UserPromptSubmit", Model: "m"},
		Mode: codex.Mode{PermissionMode: "default"}, Prompt: "<a>&\u2028\u2029 \\u2028 \xff\x01\u007f",
	})
	require.NoError(t, err)
	want := `{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/p","hook_event_name":"UserPromptSubmit","model":"m",` +
		`"permission_mode":"default","prompt":"<a>&` + "\u2028\u2029" + ` \\u2028 ` + "\ufffd" + `\u0001` + "\u007f" + `"}`
	require.Equal(t, []byte(want), got)
	_, err = codex.Marshal(codex.PreToolUse{Call: codex.Call{ToolInput: json.RawMessage("{")}})
	require.Error(t, err)
}
