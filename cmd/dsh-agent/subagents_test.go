//go:build linux

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/console"
	"github.com/dsh-lua/dsh/runtime/session"
	"github.com/dsh-lua/dsh/runtime/value"
)

// delegation is a model that has a subagent work, which has another one work.
const delegation = `[
{"text": "I delegate.", "tools": [{"tool": "agent", "arguments": {"prompt": "look into it", "type": "reviewer"}, "answers": [
	{"text": "I look.", "tools": [{"tool": "read", "arguments": {"path": "in.txt"}}, {"tool": "bash", "arguments": {"command": "touch made"}}]},
	{"tools": [{"tool": "agent", "arguments": {"prompt": "help"}, "answers": [{"text": "I helped."}]}]},
	{"text": "It says:\nin"}]}]},
{"text": "Done."}]`

// A subagent works under the same policies, in a session of its own; its answer
// is the result of the call.
func TestSubagent(t *testing.T) {
	w := newWorkspace(t, map[string]string{"answers.json": delegation, "in.txt": "in", ".dsh/policies/p.lua": `
dsh.on("tools/pre-execute", { action = "shell", rule = "no-shell" }, function() return dsh.deny("no shell") end)
dsh.on("subagent/start", function(s) s.live:inject("be brief") s.live:tell("start " .. s.type .. ": " .. s.prompt) end)
dsh.on("subagent/end", function(s) s.live:tell("end " .. s.type .. " " .. s.outcome .. ": " .. s.last_message) end)
`})
	got := w.run(t, "", "--model", "answers.json", "--session", "log", "--yes", "go")
	require.Zero(t, got.status, got.err)
	require.Equal(t, "I delegate.\nDone.\n", got.out)
	require.Equal(t, []string{"It says:\nin"}, w.results(t))
	for _, line := range []string{
		"start reviewer: look into it", "[reviewer 1] I look.\n", "[reviewer 1] > read {\"path\":\"in.txt\"}\n[reviewer 1] < read done",
		"[reviewer 1]   deny: no shell  (rule no-shell, .dsh/policies/p.lua:2)\n", "[agent 2] I helped.\n",
		"[reviewer 1] It says:\n[reviewer 1] in\n", "end reviewer completed: It says:\nin", "< agent done",
	} {
		require.Contains(t, strings.ReplaceAll(got.err, "It says: in", "It says:\nin"), line)
	}
	require.False(t, w.has("made"))

	logs, err := filepath.Glob(filepath.Join(w.dir, "log.*"))
	require.NoError(t, err)
	require.Len(t, logs, 2)
	depths := map[int]string{}
	for _, path := range logs {
		require.NoError(t, session.ReadLog(path,
			func(h session.Header) error { depths[h.Depth] = h.Parent; return nil },
			func(session.Entry) error { return nil }))
	}
	require.Len(t, depths, 2)
	require.NotEmpty(t, depths[1])
	require.NotEmpty(t, depths[2])
	require.NotEqual(t, depths[1], depths[2])
}

// In JSON every event of a subagent names it.
func TestSubagentAsJSON(t *testing.T) {
	w := newWorkspace(t, map[string]string{"answers.json": delegation, "in.txt": "in"})
	got := w.run(t, "", "--model", "answers.json", "--no", "--json", "go")
	require.Zero(t, got.status, got.err)
	kinds := map[string][]string{}
	var order []string
	for _, v := range events(t, got.out) {
		id := v.Get("agent").String()
		if v.Get("agent").Kind() == value.Absent {
			id = ""
		}
		if kinds[id] == nil {
			order = append(order, id)
		}
		kinds[id] = append(kinds[id], v.Get("type").String())
	}
	require.Len(t, order, 3)
	require.Equal(t, strings.Fields("warning session mode turn-start text call result text turn-end"), kinds[order[0]])
	require.Equal(t, strings.Fields("session turn-start text call result call decision approval-asked approval result call result text turn-end"), kinds[order[1]])
	require.Equal(t, strings.Fields("session turn-start text turn-end"), kinds[order[2]])
}

// What becomes of a subagent that does not finish is a failure of the call, which
// says why.
func TestSubagentThatDoesNotFinish(t *testing.T) {
	for name, test := range map[string]struct{ arguments, answers, policy, want string }{
		"no answers":     {`{"prompt": "x"}`, "", "", "the agent did not finish: error: the script has no answer number 1 (SCRIPT_ENDED)"},
		"too few":        {`{"prompt": "x"}`, `, "answers": [{"text": "so far", "tools": [{"tool": "glob", "arguments": {"pattern": "*"}}]}]`, "", "its last answer was:\nso far"},
		"cut off":        {`{"prompt": "x"}`, `, "answers": [{"text": "a", "finish": "max-tokens"}]`, "", "the agent did not finish: max-tokens"},
		"not let in":     {`{"prompt": "x"}`, `, "answers": [{"text": "a"}]`, `dsh.on("agent/pre-step", function(s) if s.session.agent then return dsh.reject("not today") end end)`, "the agent did not finish: refusal: not today"},
		"denied":         {`{"prompt": "x"}`, `, "answers": [{"text": "a"}]`, `dsh.on("tools/pre-execute", { action = "agent" }, function() return dsh.deny("alone") end)`, "alone"},
		"no prompt":      {`{"prompt": " "}`, "", "", "the prompt is empty"},
		"no task at all": {`{}`, "", "", "prompt"},
		"no answer text": {`{"prompt": "x"}`, `, "answers": [{}]`, "", "[the agent ended without an answer]"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t, map[string]string{
				"answers.json":        `[{"tools": [{"tool": "agent", "arguments": ` + test.arguments + test.answers + `}]}, {"text": "ok"}]`,
				".dsh/policies/p.lua": test.policy + "\n" + `dsh.on("tools/result", function() end)`,
			})
			got := w.run(t, "", "--model", "answers.json", "--session", "log", "--no", "go")
			require.Zero(t, got.status, got.err)
			require.Contains(t, w.results(t)[0], test.want)
		})
	}
}

func TestSubagentsNestOnlySoDeep(t *testing.T) {
	answers := `[{"text": "deepest"}]`
	for range 6 {
		answers = `[{"tools": [{"tool": "agent", "arguments": {"prompt": "deeper"}, "answers": ` + answers + `}]}, {"text": "up"}]`
	}
	w := newWorkspace(t, map[string]string{"answers.json": answers})
	got := w.run(t, "", "--model", "answers.json", "--no", "go")
	require.Zero(t, got.status, got.err)
	require.Contains(t, got.err, "too many agents work for each other")
	require.NotContains(t, got.err, "deepest")
}

// Ctrl-C ends a subagent with the turn that it works for.
func TestControlCEndsSubagents(t *testing.T) {
	long := unique("91")
	w := newWorkspace(t, map[string]string{"answers.json": `[{"tools": [{"tool": "agent", "arguments": {"prompt": "x"}, "answers": [
		{"tools": [{"tool": "bash", "arguments": {"command": "sleep ` + long + `"}}]}]}]}, {"text": "ok"}]`})
	k := w.talk(t, "--yes", "--model", "answers.json", "--session", "log", "go")
	waitForProcess(t, "sleep "+long)
	k.typed("\x03")
	k.expect("aborted: cancelled by user")
	status, rest := k.end()
	require.Equal(t, console.ExitFault, status, rest)
	require.Empty(t, alive(t, "sleep "+long))
	require.Equal(t, []session.EndKind{session.EndAborted}, w.ends(t, "log"))
	logs, err := filepath.Glob(filepath.Join(w.dir, "log.*"))
	require.NoError(t, err)
	require.Len(t, logs, 1)
	require.Equal(t, []session.EndKind{session.EndAborted}, w.ends(t, filepath.Base(logs[0])))
}
