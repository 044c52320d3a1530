package codex_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/codex"
)

// A recorded case is what the unmodified client did.
type recorded struct {
	ID      string          `json:"id"`
	Kind    string          `json:"kind"`
	Event   json.RawMessage `json:"event"`
	Subject *string         `json:"subject"`
	Config  json.RawMessage `json:"config"`
	Hook    struct {
		Exit   int             `json:"exit"`
		Stdout json.RawMessage `json:"stdout"`
		Stderr json.RawMessage `json:"stderr"`
	} `json:"hook"`
	Observed json.RawMessage `json:"observed"`
}

func recordedCases(t *testing.T, kind string) []recorded {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "spec", "dialects", "codex", "cases.json"))
	require.NoError(t, err)
	var all, some []recorded
	require.NoError(t, json.Unmarshal(data, &all))
	for _, c := range all {
		if c.Kind == kind {
			some = append(some, c)
		}
	}
	require.NotEmpty(t, some)
	return some
}

// printed is what a hook of a case wrote: a text, or bytes in base64.
func printed(t *testing.T, raw json.RawMessage) []byte {
	t.Helper()
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(text)
	}
	var coded struct{ Base64 string }
	require.NoError(t, json.Unmarshal(raw, &coded))
	data, err := base64.StdEncoding.DecodeString(coded.Base64)
	require.NoError(t, err)
	return data
}

// shown is one hook run as the client reported it.
type shown struct {
	Status  hookproto.Status `json:"status"`
	Entries []string         `json:"entries"`
}

// Every answer of a hook, at every event, means what it means to the client.
func TestRecordedAnswers(t *testing.T) {
	cases := recordedCases(t, "")
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			var event string
			require.NoError(t, json.Unmarshal(c.Event, &event))
			result := hookproto.Result{Exit: c.Hook.Exit, Stdout: printed(t, c.Hook.Stdout), Stderr: printed(t, c.Hook.Stderr)}
			output := codex.Dialect{}.Parse(event, result)
			outcome := codex.Dialect{}.Fold(event, []hookproto.Completed{{Result: result, Output: output}})
			var observed struct {
				UI        []shown  `json:"ui"`
				Approvals []string `json:"approvals"`
				ToolRan   *string  `json:"tool_ran"`
			}
			require.NoError(t, json.Unmarshal(c.Observed, &observed))
			if len(observed.UI) == 0 {
				require.Equal(t, "SessionEnd", event)
				require.Empty(t, outcome.Contexts)
				require.Empty(t, outcome.Decision)
				return
			}
			requireShown(t, observed.UI[0], output)
			switch event {
			case "PreToolUse":
				requireRan(t, observed.ToolRan, outcome)
			case "PermissionRequest":
				require.Equal(t, len(observed.Approvals) == 0, outcome.Decision != "", "asked the user")
				require.Equal(t, observed.ToolRan != nil, outcome.Decision == hookproto.Allow)
			}
		})
	}
	t.Logf("%d cases", len(cases))
}

// requireShown compares the status and each text that the hook gave.
func requireShown(t *testing.T, want shown, got hookproto.Output) {
	t.Helper()
	require.Equal(t, want.Status, got.Status, got.Failure)
	texts := map[string][]string{}
	for _, e := range want.Entries {
		kind, text, _ := strings.Cut(e, ": ")
		texts[kind] = append(texts[kind], text)
	}
	require.Equal(t, texts["context"], got.Contexts)
	require.Equal(t, strings.Join(texts["warning"], ""), got.SystemMessage)
	if want.Status == hookproto.StatusFailed {
		require.NotEmpty(t, got.Failure)
	}
	if want.Status == hookproto.StatusBlocked {
		require.NotEmpty(t, got.Decision)
		if !strings.HasSuffix(texts["feedback"][0], "denied approval") {
			require.Equal(t, texts["feedback"][0], got.Reason)
		}
	}
	if stop := strings.Join(texts["stop"], ""); !strings.HasSuffix(stop, "stopped execution") {
		require.Equal(t, stop, got.HaltReason[:min(len(stop), len(got.HaltReason))])
	}
	require.Equal(t, want.Status == hookproto.StatusStopped, got.Status == hookproto.StatusStopped && got.Halt)
}

// requireRan compares whether the call ran with its own input, with the hook's,
// or not at all.
func requireRan(t *testing.T, ran *string, o hookproto.Outcome) {
	t.Helper()
	switch {
	case ran != nil && strings.Contains(*ran, "REWRITTEN"):
		require.Contains(t, string(o.UpdatedInput), "REWRITTEN")
	case ran != nil:
		require.NotEqual(t, hookproto.Deny, o.Decision)
	default:
		require.True(t, o.Decision == hookproto.Deny || o.UpdatedInput != nil)
	}
}
