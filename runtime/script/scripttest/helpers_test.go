package scripttest_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/script/scripttest"
)

// policy answers in every way that there are expectations for.
const policy = `
local state = require "state"
local time = require "time"
local path = require "path"

dsh.on("tools/pre-execute", { action = "shell", rule = "commands" }, function(call)
  local line = call.action.command
  if line == "deny" then return dsh.deny { reason = "no such command", contexts = { "be careful" } } end
  if line == "ask" then return dsh.ask "are you sure" end
  if line == "preapprove" then return dsh.allow { preapproved = true } end
  if line == "fault" then error "broken policy" end
  if line == "halt" then call.live:halt "enough" end
  if line == "tell" then call.live:tell "look here" end
  if line == "inject" then call.live:inject "remember" end
  if line == "count" then return dsh.deny("number " .. state.session:incr "n") end
  if line == "time" then return dsh.deny(time.format(time.now())) end
  if line == "where" then return dsh.deny(path.real("link") or "nowhere") end
  if line == "forever" then while true do end end
end)
dsh.on("tools/pre-execute", { action = "write", rule = "files" }, function(call)
  return dsh.deny(call.action.files[1].real or "unknown")
end)
dsh.on("tools/rewrite", { tool = "Bash", rule = "rewrite" }, function(call)
  if call.arguments.command == "rewrite" then return dsh.rewrite { arguments = { command = "rewritten" } } end
end)
dsh.on("tools/guard", { match = "mcp__*", rule = "guard" }, function() return dsh.forbid "no servers" end)
dsh.on("tools/post-execute", { rule = "results" }, function(done)
  if done.call.arguments.command == "block" then return dsh.block "withheld" end
end)
dsh.on("agent/pre-step", { rule = "steps" }, function(step)
  if step.prompt == "reject" then return dsh.reject "not that" end
end)
dsh.on("agent/turn-stopping", { rule = "stops" }, function(stop) stop.live:steer "go on" end)
`

// run runs a file of tests of policy.
func run(t *testing.T, tests string, change func(o *scripttest.Options)) scripttest.File {
	t.Helper()
	return runFiles(t, map[string]string{"p.lua": policy, "p_test.lua": tests}, change).Files[0]
}

// runFiles runs the file p_test.lua among other files.
func runFiles(t *testing.T, files map[string]string, change func(o *scripttest.Options)) scripttest.Report {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	scripttest.LimitTests(t, luavm.Limits{Instructions: 5_000_000, Wall: -1})
	o := scripttest.Options{Load: loadUntimed}
	if change != nil {
		change(&o)
	}
	report, err := scripttest.Run(context.Background(), []string{"p_test.lua"}, o)
	require.NoError(t, err)
	return report
}

// loadUntimed loads policies without a limit of time, so that on a slow machine, too,
// it is the budget that ends an endless loop.
func loadUntimed(ctx context.Context, paths []string, with scripttest.Loading) (*scripttest.Loaded, error) {
	return scripttest.Load(ctx, paths, with, script.Options{Limits: luavm.Limits{Wall: -1}})
}

// body is a file with one test.
func body(code string) string {
	return "local expect, fire, shell = test.expect, test.fire, test.shell\n" +
		"local function pre(line) return fire('tools/pre-execute', shell(line)) end\n" +
		"test.it('the test', function()\n" + code + "\nend)\n"
}

// only returns the one test of a file.
func only(t *testing.T, f scripttest.File) scripttest.Test {
	t.Helper()
	require.Nil(t, f.Fault, "%+v", f.Fault)
	require.Len(t, f.Tests, 1)
	return f.Tests[0]
}
