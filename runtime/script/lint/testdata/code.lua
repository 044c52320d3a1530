-- Code that does not do what it looks like.
local counts, list = {}, { "a" }
local unused = 1 --- want: "unused-local: local 'unused' is never read"
local function never() return never() end --- want: "unused-local: local 'never' is never read"
local _meant = 2
limit = 3 --- want: "global-assignment: 'limit' is assigned without local"
ipairs = nil --- want: "global-assignment: this replaces ipairs"
local seen = 0
dsh.on("tools/pre-execute", { action = "edit" }, function(call)
  if call.tool == "Bash" or "Write" then return dsh.deny "no" end --- want: "truthy-or: .* \(write call.tool == .Bash. or call.tool == .Write.\)"
  if not call.tool == "Bash" then return dsh.deny "no" end --- want: "not-binds-tighter: .* \(write call.tool ~= .Bash.\)"
  if call.tool == call.tool then return dsh.deny "no" end --- want: "self-comparison"
  if false then return dsh.deny "no" end --- want: "constant-condition: this condition is never true"
  if call.tool == "Edit" then return dsh.deny "no" elseif call.tool == "Edit" then return dsh.ask "?" end --- want: "constant-condition: the same condition was tested before"
  seen = seen + 1 --- want: "forgotten: the next run does not see what is assigned to 'seen'"
  counts[call.tool] = (counts[call.tool] or 0) + 1 --- want: "forgotten: the next run does not see what is stored in 'counts'"
  call.tool = "x" --- want: "frozen: a payload is frozen"
  call.action.files[1].path = "x" --- want: "frozen"
  table.insert(call.action.files, 1) --- want: "frozen"
  string.trim = 1 --- want: "frozen: a library is read-only" "unknown-member"
  call.tool:lower() --- want: "unused-result"
  if list[0] == "a" or call.action.files[0] then return dsh.deny "no" end --- want: "zero-index" "zero-index"
  for i = 0, #list do dsh.log(list[i]) end --- want: "zero-index"
  for _, file in call.action.files do dsh.log(file.path) end --- want: "bad-iterator: a table is no iterator \(write in ipairs"
  for k in { a = 1, a = 2 } do dsh.log(k) end --- want: "bad-iterator" "duplicate-key"
  if #call.action.files == "1" or call.action.files == "x" then return dsh.deny "no" end --- want: "never-equal" "never-equal"
  if call.tool == 1 then return dsh.deny "no" end --- want: "never-equal: tool is a text, never equal to a number"
  while true do dsh.log(call.tool) end --- want: "endless-loop"
  return dsh.deny("a" + call.tool) --- want: "unreachable" "plus-on-text"
end)
function forbid_all() if later() then return dsh.deny "no" end end --- want: "global-assignment" "unknown-kind: no answer of tools/guard is of kind .deny."
function later() return true end --- want: "global-assignment"
dsh.on("tools/guard", forbid_all)
dsh.on("tools/guard", { rule = "fill" }, function(call)
  local name = call.tool
  if #name > 3 then return dsh.forbid "${HOME} and ${name:upper()} cannot be" end --- want: "unfilled-text: \$\{name\} is not replaced in a text \(write .…. \.\. name"
end)
dsh.on("tools/guard", { rule = "text" }, function(call) if call.tool.name == "x" then return dsh.forbid "no" end end) --- want: "unknown-field: a text has no field .name."
-- What is right.
local words = { length = 1 }
for word in ("a b"):gmatch("%S+") do words[#words + 1] = word end
local function find(t, want)
  for i, item in ipairs(t) do
    if item == want then return i end
  end
  error("no " .. want)
end
dsh.on("tools/guard", { rule = "right" }, function(call)
  local n = 0
  while true do
    n = n + 1
    if n > limit then break end
  end
  repeat n = n - 1 until n == 0 or not (call.tool == "Bash")
  local parts = {}
  parts[#parts + 1] = tostring(find(words, "a"))
  if words[call.tool] or not call.tool then return dsh.forbid(table.concat(parts)) end
end)
