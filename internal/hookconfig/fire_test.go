package hookconfig_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/internal/hookconfig"
)

// fire runs the hooks of a set on a sample.
func fire(t *testing.T, s hookconfig.Set, event, tool string) hookconfig.Report {
	t.Helper()
	if s.Root == "" {
		s.Root = t.TempDir()
	}
	payload, err := hookconfig.Sample(s.Dialect, event, tool, s.Root, "/home/none")
	require.NoError(t, err)
	r, err := hookconfig.Fire(t.Context(), s, hookconfig.Trial{Event: event, Payload: payload, Environ: os.Environ()})
	require.NoError(t, err)
	return r
}

// hooksOf is a file with several commands for an event.
func hooksOf(event string, commands ...string) string {
	var list []map[string]any
	for _, c := range commands {
		list = append(list, map[string]any{"type": "command", "command": c, "timeout": 60})
	}
	text, _ := json.Marshal(map[string]any{"hooks": map[string]any{event: []any{map[string]any{"hooks": list}}}})
	return string(text)
}

// Every event of either client has a sample, which names the event.
func TestSamples(t *testing.T) {
	for _, dialect := range hookconfig.Dialects() {
		for _, event := range hookconfig.EventNames(dialect) {
			payload, err := hookconfig.Sample(dialect, event, "", "/p r", `/h"o`)
			require.NoError(t, err, event)
			var got map[string]any
			require.NoError(t, json.Unmarshal(payload, &got), "%s", payload)
			require.Equal(t, event, got["hook_event_name"])
			require.NotContains(t, string(payload), "$")
			require.Equal(t, dialect == hookconfig.ClaudeCode, strings.HasSuffix(string(payload), "\n"))
		}
		for _, tool := range []string{"Bash", "mcp__a__b", "Odd\"name"} {
			payload, err := hookconfig.Sample(dialect, "PreToolUse", tool, "/p", "/h")
			require.NoError(t, err)
			var got struct {
				Tool string `json:"tool_name"`
			}
			require.NoError(t, json.Unmarshal(payload, &got))
			require.Equal(t, tool, got.Tool)
		}
		_, err := hookconfig.Sample(dialect, "Stop", "Bash", "", "")
		require.ErrorContains(t, err, "no tool")
		_, err = hookconfig.Sample(dialect, "stop", "", "", "")
		require.ErrorContains(t, err, "did you mean Stop")
	}
}

// What the samples of calls hold is what the clients were seen to write: same
// names in the same order.
func TestSamplesAreLikeTheClients(t *testing.T) {
	for dialect, list := range map[string]string{hookconfig.ClaudeCode: "samples", hookconfig.Codex: "captures"} {
		for _, event := range []string{"PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit", "SubagentStop"} {
			text, err := os.ReadFile(filepath.Join("..", "..", "spec", "dialects", dialect, "payloads", event+".json"))
			require.NoError(t, err)
			var captured map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(text, &captured))
			var payloads []struct{ Stdin json.RawMessage }
			require.NoError(t, json.Unmarshal(captured[list], &payloads))
			want := map[string]bool{}
			for _, p := range payloads {
				want[names(t, p.Stdin)] = true
			}
			sample, err := hookconfig.Sample(dialect, event, "", "/p", "/h")
			require.NoError(t, err)
			require.True(t, want[names(t, sample)], "%s %s: %s", dialect, event, names(t, sample))
		}
	}
}

// names joins the names of an object's members, in order.
func names(t *testing.T, object []byte) string {
	d := json.NewDecoder(strings.NewReader(string(object)))
	_, err := d.Token()
	require.NoError(t, err)
	var list []string
	for d.More() {
		name, err := d.Token()
		require.NoError(t, err)
		list = append(list, fmt.Sprint(name))
		require.NoError(t, d.Decode(new(json.RawMessage)))
	}
	return strings.Join(list, " ")
}

func TestFire(t *testing.T) {
	for _, test := range []struct {
		name, file, event, command     string
		decided                        hookproto.Decision
		point, decision, reason, other string
	}{
		{"denies", "settings.json", "PreToolUse", "echo no >&2; exit 2", hookproto.Deny, "tools/pre-execute", "deny", "no", ""},
		{"no opinion", "settings.json", "PreToolUse", "cat >/dev/null", hookproto.NoDecision, "tools/pre-execute", "allow", "", ""},
		{"asks", "settings.json", "PreToolUse", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure"}}'`, hookproto.Ask, "tools/pre-execute", "ask", "sure", ""},
		{"rewrites", "settings.json", "PreToolUse", `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"}}}'`, hookproto.Allow, "tools/pre-execute", "allow", "", "tools/rewrite"},
		{"goes on", "settings.json", "Stop", `echo '{"decision":"block","reason":"more"}'`, hookproto.Block, "agent/turn-stopping", "", "more", "steers: the turn goes on"},
		{"lets stop", "settings.json", "Stop", "true", hookproto.NoDecision, "agent/turn-stopping", "", "", ""},
		{"rejects", "settings.json", "UserPromptSubmit", "echo no >&2; exit 2", hookproto.Block, "agent/pre-step", "reject", "no", ""},
		{"adds", "settings.json", "SessionStart", "echo hello", hookproto.NoDecision, "agent/session-start", "", "", "texts for the model"},
		{"halts", "settings.json", "PostToolUse", `echo '{"continue":false,"stopReason":"enough"}'`, hookproto.NoDecision, "tools/post-execute", "accept", "", "ends the turn: enough"},
		{"no point", "settings.json", "WorktreeCreate", "true", hookproto.NoDecision, "", "", "", ""},
		{"goes on with a text", "settings.json", "Stop", `echo '{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"more"}}'`, hookproto.NoDecision, "agent/turn-stopping", "", "", "steers: the turn goes on"},
		{"objects", "settings.json", "PostToolUse", "echo no >&2; exit 2", hookproto.Block, "tools/post-execute", "accept", "no", "told the objection beside the result"},
		{"never fired", "settings.json", "PreCompact", "echo no >&2; exit 2", hookproto.Block, "agent/pre-compact", "cancel", "no", "nothing here fires the point"},
		{"withholds", ".codex/hooks.json", "PostToolUse", "echo no >&2; exit 2", hookproto.Block, "tools/post-execute", "block", "no", ""},
		{"codex", ".codex/hooks.json", "PreToolUse", "echo no >&2; exit 2", hookproto.Deny, "tools/pre-execute", "deny", "no", ""},
		{"codex asks nobody", ".codex/hooks.json", "PermissionRequest", `echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}'`, hookproto.Deny, "tools/approve", "refuse", "no", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := fire(t, one(t, test.file, hooksOf(test.event, test.command)), test.event, "")
			require.Len(t, r.Runs, 1)
			require.Equal(t, test.decided, r.Outcome.Decision)
			require.Equal(t, test.point, r.Means.Point)
			require.Equal(t, test.decision, r.Means.Decision)
			require.Contains(t, r.Means.Reason, test.reason)
			require.Contains(t, strings.Join(r.Means.Effects, "\n"), test.other)
		})
	}
}

// A hook sees the payload, its project and its plugin.
func TestFireGivesWhatTheClientGives(t *testing.T) {
	dir := folder(t, map[string]string{"plugin/hooks/hooks.json": hooksOf("PreToolUse", `cat; echo "$CLAUDE_PROJECT_DIR $CLAUDE_PLUGIN_ROOT ${CLAUDE_PLUGIN_ROOT} $CLAUDECODE" >&2`)})
	s := named(t, filepath.Join(dir, "plugin", "hooks", "hooks.json"))[0]
	s.Root = dir
	r := fire(t, s, "PreToolUse", "Write")
	sample, err := hookconfig.Sample(s.Dialect, "PreToolUse", "Write", dir, "/home/none")
	require.NoError(t, err)
	require.Equal(t, string(sample), string(r.Runs[0].Result.Stdout))
	require.Equal(t, fmt.Sprintf("%s %s/plugin %s/plugin 1\n", dir, dir, dir), string(r.Runs[0].Result.Stderr))
	require.Equal(t, "Write", r.Subject)
}

func TestFireTellsWhatDoesNotRun(t *testing.T) {
	const text = `{"hooks": {"PreToolUse": [
		{"matcher": "Write", "hooks": [{"type": "command", "command": "a"}]},
		{"matcher": "(", "hooks": [{"type": "command", "command": "b"}]},
		{"hooks": [{"type": "command", "command": "c", "if": "Bash(git *)"}]},
		{"hooks": [{"type": "http", "url": "d"}]},
		{"hooks": [{"type": "mcp_tool", "server": "e", "tool": "t"}]},
		{"hooks": [{"type": "command", "command": "true"}]},
		{"hooks": [{"type": "command", "command": "true"}]}]}}`
	r := fire(t, one(t, "settings.json", text), "PreToolUse", "")
	require.Len(t, r.Runs, 1)
	var why []string
	for _, s := range r.Skipped {
		why = append(why, s.Why)
	}
	require.Len(t, why, 6)
	for i, want := range []string{`matcher "Write" does not fit "Bash"`, `matcher "(" matches nothing`, `rule "Bash(git *)"`, "http hooks are not run", "no server", "same as another"} {
		require.Contains(t, why[i], want)
	}
}

func TestFireRefuses(t *testing.T) {
	s := one(t, "settings.json", hooksOf("Stop", "true"))
	for payload, want := range map[string]string{
		`{"hook_event_name":"SessionStart"}`: `the payload is of the event "SessionStart"`, `{`: "the payload: ", `[]`: "expected an object",
	} {
		_, err := hookconfig.Fire(t.Context(), s, hookconfig.Trial{Event: "Stop", Payload: []byte(payload)})
		require.ErrorContains(t, err, want)
	}
	_, err := hookconfig.Fire(t.Context(), s, hookconfig.Trial{Event: "Interrupt"})
	require.ErrorContains(t, err, `Claude Code has no event "Interrupt"`)
}

// Fifty hooks of one event run at the same time: each waits until all are there.
func TestFireRunsAllAtOnce(t *testing.T) {
	const n = 50
	dir := t.TempDir()
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`touch %q; until [ "$(ls %q | wc -l)" -ge %d ]; do sleep 0.05; done`, filepath.Join(dir, fmt.Sprint(i)), dir, n))
	}
	for _, file := range []string{"settings.json", ".codex/hooks.json"} {
		r := fire(t, one(t, file, hooksOf("Stop", list...)), "Stop", "")
		require.Len(t, r.Runs, n)
		for _, run := range r.Runs {
			require.Zero(t, run.Result.Exit, "%+v", run.Result)
		}
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			require.NoError(t, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
}

// Hooks that nobody waits for run too, and decide nothing; the first block of a
// prompt ends the others.
func TestFireLikeASession(t *testing.T) {
	const deny = `echo '{"decision":"block","reason":"no"}'`
	for name, test := range map[string]struct {
		file, event string
		late        []bool
		reason      string
	}{
		"async":              {`[{"type":"command","command":` + quoted(deny) + `,"async":true},{"type":"command","command":"true"}]`, "PreToolUse", []bool{true, false}, ""},
		"asyncRewake":        {`[{"type":"command","command":` + quoted(deny) + `,"asyncRewake":true}]`, "Stop", []bool{true}, ""},
		"async by a line":    {`[{"type":"command","command":` + quoted(`echo '{"async":true}'; `+deny) + `}]`, "PreToolUse", []bool{true}, ""},
		"the first block":    {`[{"type":"command","command":"sleep 60"},{"type":"command","command":` + quoted(deny) + `}]`, "UserPromptSubmit", []bool{false, false}, "no"},
		"a folder of a call": {`[{"type":"command","command":` + quoted(`test "$PWD" = "$CLAUDE_PROJECT_DIR" && test "$CLAUDE_CODE_SESSION_ID" && test "$CLAUDE_EFFORT" && `+deny) + `}]`, "PreToolUse", []bool{false}, "no"},
		"variables":          {`[{"type":"command","command":` + quoted(`test -w "$CLAUDE_ENV_FILE" && echo there`) + `}]`, "SessionStart", []bool{false}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := fire(t, one(t, "settings.json", `{"hooks": {"`+test.event+`": [{"hooks": `+test.file+`}]}}`), test.event, "")
			var late []bool
			for _, run := range r.Runs {
				late = append(late, run.Late)
				require.True(t, run.Result.Canceled || run.Output.Status != hookproto.StatusFailed, "%+v", run)
			}
			require.Equal(t, test.late, late)
			require.Equal(t, test.reason, r.Outcome.Reason)
			require.Empty(t, r.Skipped)
			if name == "variables" {
				require.Equal(t, []hookproto.Text{{Text: "there", Plain: true}}, r.Outcome.Contexts)
			}
		})
	}
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// A failing guard denies in strict mode.
func TestFireStrictly(t *testing.T) {
	s := one(t, "settings.json", hooksOf("PreToolUse", "exit 1"))
	payload, err := hookconfig.Sample(s.Dialect, "PreToolUse", "", t.TempDir(), "/home/none")
	require.NoError(t, err)
	for strict, want := range map[bool]string{false: "allow", true: "deny"} {
		r, err := hookconfig.Fire(t.Context(), s, hookconfig.Trial{Event: "PreToolUse", Payload: payload, Environ: os.Environ(), Strict: strict})
		require.NoError(t, err)
		require.Equal(t, want, r.Means.Decision)
	}
}

// A trial can be given up; its hooks are gone then.
func TestFireCanBeGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := one(t, "settings.json", hooksOf("Stop", "sleep 60"))
	payload, err := hookconfig.Sample(s.Dialect, "Stop", "", "/", "/")
	require.NoError(t, err)
	r, err := hookconfig.Fire(ctx, s, hookconfig.Trial{Event: "Stop", Payload: payload})
	require.NoError(t, err)
	require.True(t, r.Runs[0].Result.Canceled)
	require.Equal(t, hookproto.NoDecision, r.Outcome.Decision)
}
