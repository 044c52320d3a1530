package scripttest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const agentPolicy = `
dsh.on("agent/session-start", { rule = "hello" }, function(start) start.live:inject "policy active" end)
dsh.on("tools/pre-execute", { action = "shell", rule = "no-rm" }, function(call)
  if call.action.command:find("rm", 1, true) then return dsh.deny "no rm" end
  if call.action.command == "fault" then error "broken" end
  if call.action.command == "halt" then call.live:halt "enough" end
end)
dsh.on("tools/guard", { tool = "danger", rule = "guard" }, function() return dsh.forbid "too dangerous" end)
dsh.on("tools/post-execute", { tool = "Bash", rule = "secrets" }, function(done)
  if done.result.value == "secret" then return dsh.block "withheld" end
end)
dsh.on("agent/turn-stopping", { rule = "stop" }, function(stop)
  if not stop.stop_active and stop.last_message == "too early" then stop.live:steer "go on" end
end)`

// sessions are played through the loop itself.
var sessions = []struct{ name, code, text string }{
	{"calls are judged one by one", `
local seen
local s = test.session {
  tools = { Bash = function(arguments) seen = arguments.command return "listed" end, danger = "boom" },
  answers = {
    { tools = { { tool = "Bash", arguments = { command = "ls" } }, { tool = "Bash", arguments = { command = "rm x" } }, { tool = "danger" } } },
    { text = "too early" }, { text = "done" },
  },
}
local turn = s:say "clean up"
expect(seen):equals "ls"
expect(#turn.calls):equals(3)
expect(turn.calls[1]):silent()
expect(turn.calls[2]):denies "no rm":rule "no-rm"
expect(turn.calls[3]):forbids "too dangerous":rule "guard"
expect(turn.results):equals { "listed", "Error: no rm", "Error: too dangerous" }
expect(turn.messages):equals { "policy active", "clean up", "go on" }
expect(turn.text):equals "done"
expect(turn.ended):equals "completed"
expect(turn.requests):equals(3)`, ""},
	{"turns follow each other", `
local s = test.session { answers = { { text = "one" }, { text = "two" } } }
expect(s:say("a").text):equals "one"
local turn = s:say "b"
expect(turn.text):equals "two"
expect(turn.messages):equals { "b" }`, ""},
	{"results are withheld", `
local s = test.session { tools = { Bash = "secret" }, answers = { { tools = { { tool = "Bash", arguments = { command = "cat" } } } }, { text = "done" } } }
expect(s:say("go").results[1]):contains "withheld"`, ""},
	{"a fault is not forgotten", `
local s = test.session { tools = { Bash = "x" }, answers = { { tools = { { tool = "Bash", arguments = { command = "fault" } } } }, { text = "done" } } }
s:say "go"
expect(1):truthy()`, "a policy is at fault, and no expectation spoke of it"},
	{"a fault can be expected", `
local s = test.session { tools = { Bash = "x" }, answers = { { tools = { { tool = "Bash", arguments = { command = "fault" } } } }, { text = "done" } } }
expect(s:say("go").calls[1]):faults "broken"`, ""},
	{"a policy ends the turn", `
local s = test.session { tools = { Bash = "x" }, answers = { { tools = { { tool = "Bash", arguments = { command = "halt" } } } }, { text = "done" } } }
expect(s:say("go").ended):contains "enough"`, ""},
	{"a script that ends", `
local s = test.session { answers = {} }
expect(s:say("go").ended):contains "error"`, ""},
	{"a misspelt member", `test.session { answer = {} }`, `script: has no "answer"; did you mean "answers"?`},
	{"a tool that fails", `
local s = test.session { tools = { Bash = function() error "no such file" end }, answers = { { tools = { { tool = "Bash", arguments = { command = "ls" } } } }, { text = "done" } } }
expect(s:say("go").results[1]):contains "no such file"`, ""},
}

func TestSessions(t *testing.T) {
	for _, s := range sessions {
		t.Run(s.name, func(t *testing.T) {
			report := runFiles(t, map[string]string{"p.lua": agentPolicy, "p_test.lua": body(s.code)}, nil)
			failed := only(t, report.Files[0]).Failure
			if s.text == "" {
				require.Nil(t, failed, "%+v", failed)
				return
			}
			require.NotNil(t, failed)
			require.Contains(t, failed.Text, s.text)
		})
	}
}

// TestSessionsCountRules: what policies say in a session makes their rules speak.
func TestSessionsCountRules(t *testing.T) {
	report := runFiles(t, map[string]string{"p.lua": agentPolicy, "p_test.lua": body(sessions[0].code)}, nil)
	spoke := map[string]int{}
	for _, r := range report.Files[0].Rules {
		spoke[r.Name] = r.Spoke
	}
	require.Equal(t, map[string]int{"hello": 1, "no-rm": 1, "guard": 1, "secrets": 0, "stop": 2}, spoke)
}
