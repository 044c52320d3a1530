-- Names that nothing defines, and members that their objects do not have.
local path = require "path"
local re = require("re")
local helper = require "helper"
local helpers = require "helpers" --- want: "unknown-module: no module .helpers. \(did you mean .helper.\?\)"
local function of(call) return call.session.projekt end --- want: "unknown-field: no field .projekt. in session.Ref \(did you mean .project.\?\)"

dsh.on("tools/pre-execute", { action = { "write", "edit" }, rule = "names" }, function(call, next)
  if pahts == 1 then return dsh.deny "no" end --- want: "unknown-global: unknown global 'pahts'"
  if path.insid(call.tool) then return dsh.deny "no" end --- want: "unknown-member: path has no .insid. \(did you mean .inside.\?\)"
  if call.command == "x" then return dsh.deny "no" end --- want: "unknown-field: no field .command. in tool.Call \(did you mean action.command\?\)"
  if call.project == "x" then return dsh.deny "no" end --- want: "did you mean session.project\?"
  if call.action.command then return dsh.deny "no" end --- want: "other-kind: the action of these calls never has .command."
  for _, file in ipairs(call.action.files) do
    if file.pth == "" then return dsh.deny "no" end --- want: "unknown-field: no field .pth. in tool.File \(did you mean .path.\?\)"
    if file.path:startswith "/etc" then return dsh.deny "no" end --- want: "unknown-member: a string has no method .startswith. \(write text:sub"
    if file.change == "creat" then return dsh.deny "no" end --- want: "unknown-value: change is never .creat. \(did you mean .create.\?\)"
    if string.contains(file.path, "x") then return dsh.deny "no" end --- want: "unknown-member: string has no .contains. \(write text:find"
  end
  for file in ipairs(call.action.files) do
    if file.path == "" then return dsh.deny "no" end --- want: "unknown-field: a number has no fields \(ipairs gives the index first"
  end
  call.live:injct "x" --- want: "unknown-member: a live handle has no method .injct. \(did you mean .inject.\?\)"
  call.live.tell("x") --- want: "dot-call: methods of the live handle are called with a colon"
  if path:clean("x") then return dsh.denied "no" end --- want: "dot-call: functions of path are called with a dot" "unknown-member: dsh has no .denied."
  local found = re.find("a", call.tool)
  if found and found.frm == 1 then return dsh.deny(of(call)) end --- want: "unknown-member: dsh.re.Match has no .frm."
  local answer = next()
  if answer.kind == "denied" then return answer end --- want: "unknown-value: no tool.PreDecision is of kind .denied."
  if answer.reson then return answer end --- want: "unknown-field: no field .reson."
  if call.action.kind == "fetch" then return dsh.deny "no" end --- want: "other-kind: the filter lets nothing of kind .fetch. through"
  if call.session.client == "claude" then return dsh.deny "no" end --- want: "unknown-value: no client is called .claude."
  if call.tool == "bsh" then return dsh.deny "no" end --- want: "unknown-tool: no host has a tool .bsh. \(did you mean .Bash.\?\)"
  if type(call.tool) == "text" then return dsh.deny "no" end --- want: "unknown-value: type never returns .text."
  if call.arguments.file_path == f"x" then return dsh.deny "no" end --- want: "unknown-global: unknown global 'f' \(texts have no prefixes"
  if semver.parse then return dsh.deny "no" end --- want: "unknown-global: unknown global 'semver' \(write local semver = require .semver.\)"
  return call.arguments.anything.goes and helper.x and helpers.y and null or nil --- want: "'null' is not available in scripts \(the absent value is nil\)"
end)

-- What is right: nothing is said about it.
local function deep(call) return call.action.files[1].real or call.session.agent and call.session.agent.type end
dsh.on("tools/post-execute", { tool = { "Bash", "mcp__x__y" }, rule = "right" }, function(done)
  local call = done.call
  if call.action.kind == "shell" and call.action.command or call.action.files then return dsh.block(deep(call) or call.tool) end
  if done.result.kind == "failure" and done.result.message then return dsh.block { feedback = "x", contexts = "y" } end
  if call.tool:lower():find("^mcp__") and path.base(call.tool) == "x" then return dsh.accept { content = "x" } end
end)
