package examples_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/runtime/catalog"
	"github.com/dsh-lua/dsh/runtime/point"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/tool"
	"github.com/dsh-lua/dsh/runtime/value"
)

// A story is one session under a policy that remembers.
type story struct {
	t        *testing.T
	registry point.Registry
	now      time.Time
}

func newStory(t *testing.T, file string) *story {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("safety", file))
	require.NoError(t, err)
	s := &story{t: t, now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	policy, err := script.Load(t.Context(), file, string(source), script.Options{
		Points: catalog.Points(), Actions: tool.ActionKinds(),
		Services: stdlib.Services{
			FS: stdlib.Links{}, Home: "/home/dev", State: new(stdlib.Memory),
			Clock: func(context.Context) time.Time { return s.now },
		},
	})
	require.NoError(t, err)
	require.Empty(t, policy.Warnings())
	require.True(t, script.Scan(string(source)).Known)
	_, err = s.registry.Install(policy)
	require.NoError(t, err)
	return s
}

// put puts a payload to a point, and returns the answer and what was steered.
func (s *story) put(at string, payload map[string]any) (kind, steered string) {
	s.t.Helper()
	payload["session"] = map[string]any{"id": "s1", "cwd": project, "project": project}
	if call, ok := payload["call"].(map[string]any); ok {
		call["session"] = payload["session"]
		delete(payload, "session")
	}
	text, err := json.Marshal(payload)
	require.NoError(s.t, err)
	doc, err := value.Parse(text)
	require.NoError(s.t, err)
	live := session.NewEffects(session.EffectSteer, session.EffectInject)
	answer, err := catalog.Find(at).RunValue(s.t.Context(), point.Run{Handlers: &s.registry}, doc, live)
	require.NoError(s.t, err)
	for _, m := range live.Steered() {
		steered += m.Content[0].(session.Text).Text
	}
	kind, _ = answer.Get("kind").Str()
	return kind, steered
}

func call(name string, action map[string]any) map[string]any {
	return map[string]any{"id": "1", "tool": name, "arguments": map[string]any{}, "action": action}
}

func shell(line string) map[string]any {
	return call("Bash", map[string]any{"kind": "shell", "command": line})
}

func edit(path string) map[string]any {
	return call("Edit", map[string]any{"kind": "edit", "files": []any{map[string]any{"path": path, "change": "edit"}}})
}

func done(c map[string]any, text string) map[string]any {
	result := map[string]any{"kind": "success", "value": map[string]any{"stdout": text}}
	return map[string]any{"call": c, "result": result, "ran": true}
}

func failed(c map[string]any) map[string]any {
	return map[string]any{"call": c, "result": map[string]any{"kind": "failure", "message": "exit status 1", "code": "TOOL_ERROR"}, "ran": true}
}

func (s *story) goesOn(stops int) bool {
	s.t.Helper()
	_, steered := s.put("agent/turn-stopping", map[string]any{"turn": 1, "stop_active": stops > 0, "stops": stops})
	return steered != ""
}

func TestTestsBeforeStop(t *testing.T) {
	s := newStory(t, "tests-before-stop.lua")
	require.False(t, s.goesOn(0), "nothing was changed")
	s.put("tools/result", done(edit("/home/dev/other/a.go"), ""))
	s.put("tools/result", done(edit("/home/dev/app/README.md"), ""))
	require.False(t, s.goesOn(0), "no test looks at what was changed")
	s.put("tools/result", done(edit("/home/dev/app/a.go"), ""))
	require.True(t, s.goesOn(0))
	require.True(t, s.goesOn(1))
	require.False(t, s.goesOn(2), "it is told twice")
	for _, line := range []string{
		"echo go test", "go test ./... || true", "go test ./... | tail", "go test ./...; ls", "go vet ./...", "cat go test", "true $(go test)", "make testdata",
	} {
		s.put("tools/result", done(shell(line), ""))
		require.True(t, s.goesOn(0), line)
	}
	s.put("tools/result", failed(shell("go test ./...")))
	require.True(t, s.goesOn(0), "they failed")
	for _, line := range []string{
		"go test ./...", "cd sub && go test -run 'X' ./... && go vet", "CGO_ENABLED=0 GOFLAGS=-v go test", "npm run test", "python3 -m pytest -q", "cargo test", "make check", "npx jest",
	} {
		s.put("tools/result", done(edit("/home/dev/app/a.go"), ""))
		require.True(t, s.goesOn(0), line)
		s.put("tools/result", done(shell(line), ""))
		require.False(t, s.goesOn(0), line)
	}
}

func TestDestructiveRate(t *testing.T) {
	s := newStory(t, "destructive-rate.lua")
	kind := func(line string) string {
		k, _ := s.put("tools/pre-execute", shell(line))
		return k
	}
	harmful := []string{
		"rm a", "cd x && rm -rf y", "sudo -n rm a", `\rm a`, "/bin/rm a", "git -C x reset --hard", "find . -delete",
		"psql -c 'DROP TABLE a'", "kubectl delete pod a", "ls | xargs -0 rm -f",
	}
	for _, line := range harmful {
		require.Equal(t, "allow", kind(line), line)
	}
	for _, line := range []string{"ls", "echo rm", "cat rm.txt", "grep -r 'rm ' .", "git status", "docker ps", "format x"} {
		require.Equal(t, "allow", kind(line), line)
	}
	for _, line := range harmful {
		require.Equal(t, "ask", kind(line), line)
	}
	gone, _ := s.put("tools/pre-execute", call("Delete", map[string]any{"kind": "delete", "files": []any{map[string]any{"path": "/home/dev/app/a", "change": "delete"}}}))
	require.Equal(t, "ask", gone)
	s.now = s.now.Add(10 * time.Minute)
	require.Equal(t, "allow", kind("rm a"), "the window is over")
}

func TestWithholdSecrets(t *testing.T) {
	s := newStory(t, "withhold-secrets.lua")
	for text, want := range map[string]string{
		"plain": "accept",
		"":      "accept",
		"-----BEGIN OPENSSH " + "PRIVATE KEY-----\nabc": "block",
		"-----BEGIN PUBLIC KEY-----":                    "accept",
		"id=AKIA" + "ABCDEFGHIJKLMNOP":                  "block",
		"id=AKIA" + "short":                             "accept",
		"ghp_" + strings.Repeat("a1", 18):               "block",
		"sk-ant-" + strings.Repeat("x", 24):             "block",
		"https://user:hunter2@example.com/":             "block",
		"postgres://user:password@localhost/db":         "accept",
		"postgres://user:$PASSWORD@localhost/db":        "accept",
		"https://example.com/a:b@c":                     "accept",
		strings.Repeat("a line of output\n", 30_000):    "accept",
		strings.Repeat("x", 1<<20):                      "block",
	} {
		kind, _ := s.put("tools/post-execute", done(shell("make"), text))
		require.Equal(t, want, kind, "%.60s", text)
	}
	kind, _ := s.put("tools/post-execute", failed(shell("make")))
	require.Equal(t, "accept", kind)
}
