package claudecode_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/bridges/claudecode"
	clients "github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/runtime/agent"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/subagent"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A sample is one captured payload, and the registry of the bridge that is to
// write it.
type sample struct {
	t     *testing.T
	event string
	in    value.Value
	ref   session.Ref
	run   point.Run
}

func (s *sample) text(key string) string { return s.in.Get(key).String() }

func (s *sample) member(key string) value.Value { return s.in.Get(key) }

func (s *sample) call() tool.Call {
	name, input := s.text("tool_name"), s.member("tool_input")
	a, _ := clients.Action(name, input, clients.Place{Cwd: s.ref.Cwd})
	return tool.Call{ID: s.text("tool_use_id"), Tool: name, Arguments: input, Action: a, Session: s.ref}
}

// firings fires the point of each event with what a captured payload says.
var firings = map[string]func(s *sample) error{
	"PreToolUse": func(s *sample) error {
		c := s.call()
		_, err := tool.OnRewrite.Run(s.t.Context(), s.run, tool.Proposal{ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, Action: c.Action, Session: c.Session})
		return err
	},
	"PermissionRequest": func(s *sample) error {
		_, err := tool.OnApprove.Run(s.t.Context(), s.run, tool.Approval{Call: s.call()})
		return err
	},
	"PostToolUse": func(s *sample) error {
		_, err := tool.PostExecute.Run(s.t.Context(), s.run, tool.Done{Call: s.call(), Result: tool.Success{Value: s.member("tool_response")}, Ran: true, DurationMS: 7})
		return err
	},
	"PostToolUseFailure": func(s *sample) error {
		_, err := tool.PostExecute.Run(s.t.Context(), s.run, tool.Done{Call: s.call(), Result: tool.Failure{Message: s.text("error")}, Ran: true, DurationMS: 7})
		return err
	},
	"PostToolBatch": func(s *sample) error {
		for _, c := range s.member("tool_calls").Items() {
			one := &sample{t: s.t, in: c, ref: s.ref}
			d := tool.Done{Call: one.call(), Result: tool.Success{Content: []session.Part{session.Text{Text: one.text("tool_response")}}}, Ran: true}
			if err := tool.OnResult.Run(s.t.Context(), s.run, d); err != nil {
				return err
			}
		}
		_, err := agent.PreStep.Run(s.t.Context(), s.run, agent.Step{Session: s.ref, Turn: 7, Step: 2})
		return err
	},
	"UserPromptSubmit": func(s *sample) error {
		_, err := agent.PreStep.Run(s.t.Context(), s.run, agent.Step{Session: s.ref, Turn: 7, Step: 1, Messages: []session.Message{agent.Said(s.text("prompt"))}, Prompt: s.text("prompt")})
		return err
	},
	"SessionStart": func(s *sample) error {
		return agent.OnSessionStart.Run(s.t.Context(), s.run, agent.Started{Session: s.ref, Source: s.text("source")})
	},
	"SessionEnd": func(s *sample) error {
		return agent.OnSessionEnd.Run(s.t.Context(), s.run, agent.Ended{Session: s.ref, Reason: s.text("reason")})
	},
	"Stop":         turnStops,
	"SubagentStop": turnStops,
	"StopFailure": func(s *sample) error {
		_, err := agent.OnRequestError.Run(s.t.Context(), s.run, agent.RequestFailure{Session: s.ref, Failure: agent.ModelFailure{Message: s.text("last_assistant_message"), Status: 400}})
		return err
	},
	"SubagentStart": func(s *sample) error {
		id := s.ref.Agent
		s.ref.Agent = nil
		return subagent.OnStart.Run(s.t.Context(), s.run, subagent.Started{Session: s.ref, ID: id.ID, Type: id.Type})
	},
	"PreCompact": func(s *sample) error {
		instructions, _ := s.member("custom_instructions").Str()
		_, err := agent.PreCompact.Run(s.t.Context(), s.run, agent.Compaction{Session: s.ref, Trigger: s.text("trigger"), Instructions: instructions})
		return err
	},
	"PostCompact": func(s *sample) error {
		return agent.OnCompacted.Run(s.t.Context(), s.run, agent.Compacted{Session: s.ref, Trigger: s.text("trigger"), Summary: s.text("compact_summary")})
	},
	"Notification": func(s *sample) error {
		return agent.OnNotify.Run(s.t.Context(), s.run, agent.Notice{Session: s.ref, Message: s.text("message"), Type: s.text("notification_type")})
	},
}

func turnStops(s *sample) error {
	active, _ := s.member("stop_hook_active").Bool()
	return agent.OnTurnStopping.Run(s.t.Context(), s.run, agent.Stopping{Session: s.ref, Turn: 7, LastMessage: s.text("last_assistant_message"), StopActive: active})
}

// unknowable lists members of payloads that nothing here can tell.
var unknowable = []string{
	"permission_suggestions", "seconds_since_last_response", "context_tokens", "prompt_cache_likely_expired", "estimated_cache_write_usd",
}

// notOurs lists members whose own members are those of a tool, or of what runs in
// the background, which nothing here does.
var notOurs = []string{"tool_input", "tool_response", "background_tasks"}

// Every captured payload of an event that the bridge fires is written with the
// same members, in the same order and of the same types, and with the same
// values where the point has them.
func TestBridgeWritesCapturedPayloads(t *testing.T) {
	for event, fire := range firings {
		t.Run(event, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "..", "spec", "dialects", "claude-code", "payloads", event+".json"))
			require.NoError(t, err)
			var captured struct {
				Samples []struct {
					Text string `json:"stdin_text"`
				}
			}
			require.NoError(t, json.Unmarshal(data, &captured))
			require.NotEmpty(t, captured.Samples)
			for i, c := range captured.Samples {
				want, err := value.ParseString(strings.TrimSpace(strings.ReplaceAll(c.Text, "$", "/")))
				require.NoError(t, err)
				got := writes(t, event, want, fire)
				require.True(t, strings.HasSuffix(got, "}\n"), got)
				written, err := value.ParseString(strings.TrimSpace(got))
				require.NoError(t, err)
				require.Equal(t, outline(want), outline(written), "sample %d", i)
				for _, key := range []string{"session_id", "transcript_path", "cwd", "tool_name", "tool_input", "tool_response", "tool_use_id", "prompt", "source", "error", "agent_id", "agent_type", "effort"} {
					require.True(t, want.Get(key).Equal(written.Get(key)), "%s: %s", key, written.Get(key))
				}
			}
		})
	}
}

// Every captured event is either one that the bridge is held to, or one that it
// tells it never fires.
func TestCapturedEventsWithAPointAreHeld(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "spec", "dialects", "claude-code", "payloads", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	held := 0
	for _, file := range files {
		event := strings.TrimSuffix(filepath.Base(file), ".json")
		b := claudecode.NewBridge(claudecode.BridgeOptions{
			Config: hookproto.Config{Handlers: []hookproto.Handler{{Event: event, Kind: hookproto.CommandHandler, Command: "true"}}}, Fires: everyPoint(),
		})
		if _, is := firings[event]; is {
			held++
			require.Empty(t, b.Problems(), event)
			continue
		}
		require.Len(t, b.Problems(), 1, event)
		require.Equal(t, "unsupported-event", b.Problems()[0].Kind, event)
	}
	require.Len(t, firings, held)
}

// outline lists the members of a payload with their types, and those of lists and
// objects in it that are the client's own.
func outline(v value.Value) (out []string) {
	for key, x := range v.Members() {
		if slices.Contains(unknowable, key) {
			continue
		}
		out = append(out, fmt.Sprintf("%s %s", key, x.Kind()))
		if slices.Contains(notOurs, key) {
			continue
		}
		for _, line := range outline(x) {
			out = append(out, key+"."+line)
		}
		for _, item := range x.Items() {
			for _, line := range outline(item) {
				out = append(out, key+"."+line)
			}
		}
	}
	return out
}

// writes returns what a hook reads when the point of a captured payload is fired.
func writes(t *testing.T, event string, in value.Value, fire func(*sample) error) string {
	file := filepath.Join(t.TempDir(), "payload")
	b := claudecode.NewBridge(claudecode.BridgeOptions{
		Config: hookproto.Config{Handlers: []hookproto.Handler{{Event: event, Kind: hookproto.CommandHandler, Command: "cat > " + file}}},
		Effort: in.Get("effort").Get("level").String(), Fires: everyPoint(),
		Warn: func(text string) { t.Error(text) },
	})
	require.Empty(t, b.Problems())
	handlers := new(point.Registry)
	_, err := handlers.Install(b)
	require.NoError(t, err)
	s := &sample{t: t, event: event, in: in, run: point.Run{Handlers: handlers}}
	s.ref = session.Ref{ID: s.text("session_id"), Cwd: s.text("cwd"), Transcript: s.text("transcript_path")}
	s.ref.Mode, _ = in.Get("permission_mode").Str()
	s.ref.Model, _ = in.Get("model").Str()
	if !in.Get("prompt_id").IsAbsent() {
		s.ref.Turn = "7"
	}
	if !in.Get("agent_type").IsAbsent() {
		s.child(event)
	}
	require.NoError(t, fire(s))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(data)
}

// child makes the session of the sample that of a subagent.
func (s *sample) child(event string) {
	kind := &session.AgentRef{Type: s.text("agent_type")}
	if id, ok := s.member("agent_id").Str(); ok {
		kind.ID = id
		if event != "SubagentStart" {
			require.NoError(s.t, subagent.OnStart.Run(s.t.Context(), s.run, subagent.Started{Session: s.ref, ID: id, Type: kind.Type}))
			s.ref.ID, s.ref.Transcript = id, s.in.Get("agent_transcript_path").String()
		}
	}
	s.ref.Agent = kind
}

func everyPoint() []point.Point {
	return slices.Concat(tool.Points(), agent.Points(), subagent.Points())
}
