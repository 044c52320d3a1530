package claudecode_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/clients/claudecode"
	"github.com/dsh-lua/dsh/runtime/host"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// A policy is an extension made of one function.
type policy func(in *point.Installer)

func (policy) Name() string { return "policy" }

func (p policy) Install(in *point.Installer) error {
	p(in)
	return nil
}

func nobody(*point.Installer) {}

// pre answers every call before it runs.
func pre(d tool.PreDecision) policy {
	return func(in *point.Installer) {
		tool.PreExecute.Handle(in, func(context.Context, tool.Call, tool.PreNext) (tool.PreDecision, error) { return d, nil })
	}
}

// post answers every result.
func post(d tool.PostDecision) policy {
	return func(in *point.Installer) {
		tool.PostExecute.Handle(in, func(context.Context, tool.Done, point.Next[tool.PostDecision]) (tool.PostDecision, error) {
			return d, nil
		})
	}
}

// real is a file system with one link in it.
func real(path string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "/home/dev/app/link"); ok {
		return "/etc" + rest, true
	}
	return path, true
}

func explain(t *testing.T, stdin string, policies ...policy) claudecode.Served {
	t.Helper()
	handlers := new(point.Registry)
	for _, p := range policies {
		_, err := handlers.Install(p, tool.Preapprove)
		require.NoError(t, err)
	}
	command := claudecode.New(claudecode.Options{Resolve: real, Approves: true})
	h := host.Host{Run: point.Run{Handlers: handlers}, Fires: claudecode.Points()}
	served := command.Explain(t.Context(), h, invocation(stdin))
	checkTaken(t, served.Event, served.Reply.Stdout)
	return served
}

func invocation(stdin string) host.Invocation {
	return host.Invocation{
		Stdin: []byte(stdin), Dir: "/home/dev/app",
		Env: host.Vars{"HOME": "/home/dev", "CLAUDE_PROJECT_DIR": "/home/dev/app"}.Get,
	}
}

func before(name, input string) string {
	return `{"session_id":"s1","cwd":"/home/dev/app","hook_event_name":"PreToolUse","tool_name":` +
		quote(name) + `,"tool_input":` + input + `,"tool_use_id":"c1"}` + "\n"
}

func after(name, input, response string) string {
	return `{"session_id":"s1","cwd":"/home/dev/app","hook_event_name":"PostToolUse","tool_name":` +
		quote(name) + `,"tool_input":` + input + `,"tool_response":` + response + `,"tool_use_id":"c1","duration_ms":12}` + "\n"
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// captured reads the payloads of an event as the client sent them.
func captured(t *testing.T, event string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "spec", "dialects", claudecode.Name, "payloads", event+".json"))
	require.NoError(t, err)
	var file struct {
		Samples []struct {
			Text string `json:"stdin_text"`
		} `json:"samples"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Samples)
	folders := strings.NewReplacer("$PROJECT", "/home/dev/app", "$HOME", "/home/dev", "$RUN", "/home/dev/run")
	var payloads []string
	for _, s := range file.Samples {
		payloads = append(payloads, folders.Replace(s.Text))
	}
	return payloads
}
