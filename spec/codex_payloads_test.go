package spec_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	bridge "github.com/dsh-lua/dsh/bridges/codex"
	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/codex"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// codexBeyond are captured payloads that our loop has no occasion for.
var codexBeyond = []string{"PostModelRequest"}

// shapeOf lists the keys of an object in their order, each with its type. Those
// of a call's input are listed too, if the client makes it.
func shapeOf(v value.Value) string {
	var keys []string
	for key, m := range v.Members() {
		kind := m.Kind().String()
		if name := v.Get("tool_name").String(); key == "tool_input" && (name == "Bash" || name == "apply_patch") {
			kind = "{" + shapeOf(m) + "}"
		}
		keys = append(keys, key+":"+kind)
	}
	return strings.Join(keys, " ")
}

// payloadShape names the event, the tool if there is one, and the shape.
func payloadShape(v value.Value) string {
	name, _ := v.Get("tool_name").Str()
	return fmt.Sprintf("%s %s: %s", v.Get("hook_event_name"), name, shapeOf(v))
}

// captured returns the shapes of all captured payloads of the client.
func captured(t *testing.T, dialect string, beyond []string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("dialects", dialect, "payloads", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var out []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := value.Parse(text)
		require.NoError(t, err)
		for _, c := range file.Get("captures").Items() {
			if event := file.Get("event").String(); !slices.Contains(beyond, event) {
				out = append(out, payloadShape(c.Get("stdin")))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// everyHook is a configuration with a hook for every event.
func everyHook(t *testing.T) string {
	t.Helper()
	events := map[string]any{}
	for _, name := range codex.Names() {
		events[name] = []any{map[string]any{"hooks": []any{map[string]string{"type": "command", "command": "$HOOK " + name}}}}
	}
	text, err := json.Marshal(map[string]any{"hooks": events})
	require.NoError(t, err)
	return string(text)
}

// codexLives are sessions in which everything happens that was captured.
func codexLives(t *testing.T) []codexCase {
	t.Helper()
	script := func(ops string, turns ...string) codexScript {
		s := codexScript{Subturns: map[string][]json.RawMessage{"CHILDTASK": {
			json.RawMessage(`[{"call":"exec_command","args":{"cmd":"echo child"}}]`), json.RawMessage(`[{"message":"child1"}]`),
		}}}
		for _, turn := range turns {
			s.Turns = append(s.Turns, json.RawMessage(turn))
		}
		require.NoError(t, json.Unmarshal([]byte(ops), &s.Ops))
		return s
	}
	config, err := json.Marshal(codexSettings{HooksJSON: json.RawMessage(everyHook(t)), Approval: "untrusted", Model: "m", Mode: "app-server"})
	require.NoError(t, err)
	const patch = `*** Begin Patch\n*** Add File: new.txt\n+line\n*** End Patch\n`
	all := script(`[{"op": "turn"}, {"op": "compact"}, {"op": "turn", "text": "second"}, {"op": "turn", "nowait": true}, {"op": "interrupt"}]`,
		`[{"call":"exec_command","args":{"cmd":"echo hi","workdir":"/"}}, {"custom":"apply_patch","input":"`+patch+`"},
		  {"call":"write_thing","namespace":"mcp__rig","args":{"text":"w"}}, {"call":"echo","namespace":"mcp__rig","args":{"text":"w"}},
		  {"call":"view_image","args":{"path":"x.png"}},
		  {"call":"exec_command","args":{"cmd":"true","sandbox_permissions":"require_escalated","justification":"because"}}]`,
		subagentTurns[0], subagentTurns[1], `[{"message":"done"}]`, `[{"message":"SUMMARY"}]`, `[]`,
		`[{"call":"exec_command","args":{"cmd":"sleep 20"}}]`)
	ephemeral := script(`[]`, `[{"message":"done"}]`)
	ephemeral.Steps = []codexStep{{Prompt: "hi", Args: []string{"--ephemeral"}}}
	out := []codexCase{{ID: "all", Kind: "scenario", Config: config, Script: all}, {ID: "ephemeral", Kind: "scenario", Config: config, Script: ephemeral}}
	for i := range out {
		out[i].Observed = json.RawMessage("{}")
	}
	return out
}

// For everything that was captured, the bridge writes the same keys in the same
// order with the same types. What was not captured has the keys of the client's
// table.
func TestCodexPayloads(t *testing.T) {
	got := map[string]bool{}
	for _, c := range codexLives(t) {
		p, err := c.play()
		require.NoError(t, err)
		p.session.grants = func(tool.Call) bool { return true }
		p.session.files["project/x.png"] = "image"
		require.NoError(t, playHooks(p.session, func(w *hookWorld) error {
			v := codexVerdict{world: w}
			for _, op := range p.ops {
				require.NoError(t, v.do(op))
			}
			require.NoError(t, w.end("other"))
			calls, err := w.calls()
			for _, call := range calls {
				require.NotEqual(t, byte('\n'), call.Stdin[len(call.Stdin)-1])
				requireKeys(t, call)
				got[payloadShape(call.Payload)] = true
			}
			return err
		}))
	}
	require.Equal(t, codexBeyond, codexNeverFired(t))
	for _, shape := range captured(t, "codex", codexBeyond) {
		require.True(t, got[shape], "nothing writes %s", shape)
	}
}

// codexNeverFired lists the events of the client that the bridge tells it never
// fires, in a host that fires every point.
func codexNeverFired(t *testing.T) (events []string) {
	t.Helper()
	o := bridge.BridgeOptions{Fires: slices.Concat(tool.Points(), agent.Points(), subagent.Points())}
	for _, name := range codex.Names() {
		o.Config.Handlers = append(o.Config.Handlers, hookproto.Handler{Event: name, Kind: hookproto.CommandHandler, Command: "true"})
	}
	for _, p := range bridge.NewBridge(o).Problems() {
		events = append(events, p.Event)
	}
	return events
}

// requireKeys tells that the keys of a payload are those of the client's table,
// in their order.
func requireKeys(t *testing.T, call hookRun) {
	t.Helper()
	e, known := codex.Lookup(call.Event)
	require.True(t, known, call.Event)
	at := 0
	for key := range call.Payload.Members() {
		i := slices.Index(e.Fields[at:], key)
		require.GreaterOrEqual(t, i, 0, "%s of %s", key, call.Event)
		at += i + 1
	}
}
