package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// said runs the body of a handler, in which reply says what it finds, and returns
// the words of the reply.
func said(t *testing.T, c tool.Call, body string) string {
	t.Helper()
	const reply = "local json = require 'json' local function reply(...) local out = {} for i = 1, select('#', ...) do out[i] = tostring((select(i, ...))) end return dsh.deny(table.concat(out, ' ')) end\n"
	d, err := newDesk(t, load(t, "policy.lua", reply+pre(body), offered())).ask(t, c)
	require.NoError(t, err)
	require.IsType(t, tool.Deny{}, d)
	return d.(tool.Deny).Reason
}

// bug-053: the short name of a tool of an MCP server does not depend on the name
// of the server, which may change.
func TestBug053(t *testing.T) {
	s := load(t, "policy.lua", `local mcp = require "mcp"
dsh.on("tools/pre-execute", function(call)
  local _, name = mcp.split(call.tool)
  if name == "send" then return dsh.deny "no mail" end
end)`, offered())
	for name, denied := range map[string]bool{
		"mcp__10b9c39d-5363__send": true, "mcp__mail__send": true, "mcp__mail__send_all": false, "mcp__a__b__send": false, "send": false, "mcp__send": false,
	} {
		c := rm()
		c.Tool = name
		d, err := newDesk(t, s).ask(t, c)
		require.NoError(t, err)
		_, isDeny := d.(tool.Deny)
		require.Equal(t, denied, isDeny, name)
	}
}

// bug-077: a rule that reads a field which the payload does not have fails, and a
// policy that fails does not allow.
func TestBug077(t *testing.T) {
	for body, want := range map[string]string{
		"return call.input.command":                `no field "input"`,
		"return call.tool_input":                   `no field "tool_input"`,
		"if call.action.comand == 'x' then end":    `did you mean "command"?`,
		"if call.arguments.input.command then end": "attempt to index",
	} {
		_, err := desked(t, pre(body)).ask(t, rm())
		require.Error(t, err, body)
		require.ErrorContains(t, err, "policy.lua:2", body)
		require.Contains(t, err.Error(), want, body)
	}
}

// bug-119: a file that registers nothing is an error, not a policy that allows.
func TestBug119(t *testing.T) {
	for _, source := range []string{
		"local function check(p) return {kind='deny'} end", "", "-- nothing", "if false then dsh.on('tools/pre-execute', function() end) end",
	} {
		for _, lazy := range []bool{false, true} {
			opts := offered()
			opts.Lazy = lazy
			_, err := script.Load(t.Context(), "policy.lua", source, opts)
			require.ErrorIs(t, err, script.ErrNothing, source)
		}
	}
}

// bug-149: a library call that would run long ends with the budget of the run.
func TestBug149(t *testing.T) {
	for _, body := range []string{
		"local s = ('a'):rep(30000) return string.find(s, '.-.-.-b')",
		"local s = ('a'):rep(30000) return (s:gsub('.-.-.-b', ''))",
		"local s = ('a'):rep(30000) for x in s:gmatch('.-.-.-b') do end",
		"while true do pcall(string.find, ('a'):rep(30000), '.-.-.-b') end",
	} {
		_, err := desked(t, pre(body)).ask(t, rm())
		var limit luavm.Limit
		require.ErrorAs(t, err, &limit, body)
	}
}

// bug-150: deep recursion of a pattern is bounded; the process goes on.
func TestBug150(t *testing.T) {
	for _, pattern := range []string{"(a*)b", "a-b", strings.Repeat("a?", 3000) + "b", strings.Repeat("(", 30) + "a*" + strings.Repeat(")", 30) + "b"} {
		_, err := desked(t, pre("local s = ('a'):rep(2000000) if s:match('"+pattern+"') then return dsh.deny 'found' end")).ask(t, rm())
		if err != nil {
			require.ErrorContains(t, err, "policy.lua", pattern)
		}
	}
	require.Equal(t, "alive", said(t, rm(), "return reply('alive')"))
}

// bug-152: a loop without end is stopped, whatever it does.
func TestBug152(t *testing.T) {
	for _, body := range []string{
		"while true do end", "repeat until false", "while true do pcall(error) end", "local function f() return f() end f()",
		"while true do pcall(function() while true do end end) end", "::a:: goto a",
	} {
		_, err := desked(t, pre(body)).ask(t, rm())
		require.ErrorIs(t, err, luavm.ErrInstructions, body)
	}
}

// bug-155: numerals are read as Lua reads them.
func TestBug155(t *testing.T) {
	require.Equal(t, "200 255 0.5 nil nil -3", said(t, rm(), "return reply(tonumber('2e2'), tonumber('0xff'), tonumber(' .5 '), tonumber('2e'), tonumber('1 2'), tonumber('-11', 2))"))
}

// bug-156: large integers of a payload are not rounded, neither read nor handed back.
func TestBug156(t *testing.T) {
	c := rm()
	c.Arguments = doc(`{"id":9223372036854775807,"less":9723275009654785,"exact":9007199254740991}`)
	require.Equal(t, "9223372036854775807 9723275009654785 9007199254740991", said(t, c, "return reply(call.arguments.id, call.arguments.less, ('%d'):format(call.arguments.exact))"))
}

// bug-157: an error in the handler of xpcall is an error of xpcall's result.
func TestBug157(t *testing.T) {
	require.Regexp(t, "^false .+", said(t, rm(), "return reply(xpcall(function() error('a') end, function() error('b') end))"))
}

// bug-158: to call nil with pcall is a failure with a message.
func TestBug158(t *testing.T) {
	require.Equal(t, "false attempt to call a nil value", said(t, rm(), "return reply(pcall(nil))"))
}

// bug-164: what a script does to its globals reaches neither the library nor the
// modules.
func TestBug164(t *testing.T) {
	source := "local rules, json = require 'rules', require 'json'\n" + `
ipairs = function() return function() end end
pairs, type, tostring, next, select = ipairs, ipairs, ipairs, ipairs, ipairs
local set = rules.new({{name = "a", reason = "b", match = function(part) return part == "y" end}})
` + pre("return set:deny(json.decode('[\"x\",\"y\"]'))")
	d, err := desked(t, source).ask(t, rm())
	require.NoError(t, err)
	require.Equal(t, tool.Deny{Reason: "a: b"}, d)
}

// bug-165: no script changes the methods of strings for another one.
func TestBug165(t *testing.T) {
	pool := new(script.Pool)
	opts := offered()
	opts.Pool = pool
	evil := load(t, "evil.lua", "pcall(function() getmetatable('').__index = function() return function() return 'pwned' end end end)\n"+
		"pcall(function() string.upper = function() return 'pwned' end end)\n"+pre("pcall(rawset, string, 'upper', function() return 'pwned' end)"), opts)
	good := load(t, "good.lua", pre("return dsh.deny((call.tool):upper())"), opts)
	for range 3 {
		d, err := newDesk(t, evil, good).ask(t, rm())
		require.NoError(t, err)
		require.Equal(t, tool.Deny{Reason: "BASH"}, d)
	}
}

// bug-170: a payload cannot be changed; what runs is what was judged.
func TestBug170(t *testing.T) {
	c := rm()
	for _, body := range []string{
		"call.arguments.command = 'ls'", "call.tool = 'Read'", "call.new = 1", "rawset(call.arguments, 'command', 'ls')",
		"table.insert(call.arguments, 'ls')", "setmetatable(call, {})", "local a = call.action a.command = 'ls'",
	} {
		_, err := desked(t, pre(body)).ask(t, c)
		require.Error(t, err, body)
		require.Equal(t, rm(), c)
	}
}

// bug-172: lists and objects of a payload are tables to every function, and keep
// their kind.
func TestBug172(t *testing.T) {
	c := rm()
	c.Arguments = doc(`{"edits":[{"a":1},{"a":2}],"none":null,"empty":[],"object":{}}`)
	const body = `local a, keys, sum = call.arguments, "", ""
for k in pairs(a) do keys = keys .. k .. "," end
for _, e in ipairs(a.edits) do sum = sum .. e.a end
return reply(#a.edits, type(a), keys, sum, a.edits == a.edits, a.edits[0], a.none, json.encode(a))`
	require.Equal(t, `2 table edits,empty,object, 12 true nil nil {"edits":[{"a":1},{"a":2}],"none":null,"empty":[],"object":{}}`, said(t, c, body))
}
