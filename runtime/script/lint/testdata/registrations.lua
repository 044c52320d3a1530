-- Registrations that cannot be, or hardly do what they are meant to do.
dsh.on("tools/pre-exec", function() return dsh.deny "no" end) --- want: "unknown-point: no extension point .tools/pre-exec. \(did you mean .tools/pre-execute.\?\)"
dsh.on(function() end) --- want: "computed-registration" "unknown-point: dsh.on: the first argument is the name of a point, got a function"
dsh.on("agent/session-end", { rule = "hint", tool = "Bash" }, function(e) dsh.log(e.reason or "") end) --- want: "not-everywhere|unfit-filter" "unfit-filter|not-everywhere"
dsh.on("agent/notify", { rule = "never" }, function(n) dsh.log(n.message) end) --- want: "never-fired: no host fires agent/notify"
dsh.on("tools/guard", { tol = "Bash", rule = "" }, function(call) if call.tool == "Edit" then return dsh.forbid "no" end end) --- want: "unknown-filter: no field .tol. in a filter \(did you mean .tool.\?\)" "filter-value: the name of a rule"
dsh.on("tools/guard", { "Bash", rule = "list" }, function(call) if call.tool == "Edit" then return dsh.forbid "no" end end) --- want: "unknown-filter: a filter has named fields only \(such as tool = .Bash.\)"
dsh.on("tools/guard", { tool = "Bash*", rule = "star" }, function(call) if call.tool == "Edit" then return dsh.forbid "no" end end) --- want: "unknown-tool: no host has a tool .Bash\*. \(patterns stand in match"
dsh.on("tools/guard", { match = "Bash|Edit", rule = "choice" }, function(call) if call.tool == "Edit" then return dsh.forbid "no" end end) --- want: "unknown-tool: no host has a tool that fits .* \(it is no regular expression"
dsh.on("tools/guard", { action = {}, rule = "empty" }, function(call) if call.tool == "Edit" then return dsh.forbid "no" end end) --- want: "filter-value: action is a string or a list of strings that is not empty"
dsh.on("tools/guard", { raw = "yes", rule = "raw" }, function(call) if call.tool == "Edit" then return dsh.forbid "no" end end) --- want: "filter-value: raw is true or false"
dsh.on("tools/pre-execute", { rule = "same", action = "fetch" }, function(call) if call.tool == "Edit" then return dsh.deny "no" end end)
dsh.on("tools/pre-execute", { rule = "same", action = "shell" }, function(call) if call.tool == "Edit" then return dsh.deny "no" end end) --- want: "same-rule: rule .same. is already the name of the one in line 12"
dsh.on("tools/pre-execute", { rule = "wide", action = { "mcp", "agent" } }, function() return dsh.deny "no" end)
dsh.on("tools/pre-execute", { rule = "narrow", action = "mcp" }, function(call) return dsh.ask(call.tool) end) --- want: "shadowed-rule: this handler is never asked: the one on line 14"
dsh.on("tools/pre-execute", { rule = "wider" }, function(call) return dsh.ask(call.tool) end)
dsh.on("tools/pre-execute", { rule = "not-shadowed" }, function(call) return dsh.ask(call.tool) end)
for i = 1, 2 do
  dsh.on("tools/pre-execute", { rule = "r" .. i }, function() return dsh.ask "?" end) --- want: "computed-registration"
end
local function later()
  dsh.on("tools/pre-execute", { rule = "late" }, function() return dsh.ask "?" end) --- want: "late-registration"
  return require "json" --- want: "late-registration"
end
dsh.on("tools/pre-execute", { rule = "raw1", raw = true }, function(call, next)
  if call.tool == "Bash" then return dsh.allow() end --- want: "raw-swallows"
  if call.tool == "Edit" then return dsh.deny "no" end
  local answer = next()
  if answer.kind == "ask" then return dsh.allow() end
  return answer
end)
dsh.on("tools/pre-execute", { rule = "silent" }, function(call) --- want: "never-answers"
  for _, word in ipairs { "a" } do local _ = call.tool:find(word, 1, true) end
end)
dsh.on("tools/pre-execute", { rule = "speaks" }, function() later() end)
