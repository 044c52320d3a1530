-- Texts that are more than their characters, and patterns.
local re = require "re"
dsh.on("tools/pre-execute", { action = { "edit", "fetch" } }, function(call)
  for _, file in ipairs(call.action.files) do
    if file.path:sub(1, 4) == "/etc" then return dsh.deny "no" end --- want: "path-prefix"
    if file.path:find("/etc", 1, true) == 1 then return dsh.deny "no" end --- want: "path-prefix"
    if file.path:find("^/etc") then return dsh.deny "no" end --- want: "path-prefix: this fits /etc-other too"
    if file.path:find("^/etc/") or file.path:sub(1, 5) == "/etc/" then return dsh.deny "no" end
    if file.path:find("package.json") then return dsh.deny "no" end --- want: "pattern-magic: .\.. means any character"
    if file.path:find("node-gyp") then return dsh.deny "no" end --- want: "pattern-magic: .-. means as few"
    if file.path:find("node-gyp", 1, true) or file.path:find("%.lock$") or file.path:find("[a-z]-%d.-x") then return dsh.deny "no" end
    if file.path:find("(a") then return dsh.deny "no" end --- want: "bad-pattern: unfinished capture"
    if file.path:find("%") or file.path:find("[a") then return dsh.deny "no" end --- want: "bad-pattern" "bad-pattern"
    if file.path:find("\\d+") then return dsh.deny "no" end --- want: "foreign-pattern: the escape of Lua's patterns is %"
    if file.path:find("(lua)?$") then return dsh.deny "no" end --- want: "foreign-pattern: a group cannot be repeated"
    if file.path:find(".*.*x") then return dsh.deny "no" end --- want: "slow-pattern: two repetitions beside each other"
    if file.path:find(".*a.*b.*c") then return dsh.deny "no" end --- want: "slow-pattern: the time for this pattern grows"
    if re.match("(?=a)", file.path) then return dsh.deny "no" end --- want: "bad-pattern: invalid or unsupported Perl syntax"
    if re.match("a", file.path, 1, 2) then return dsh.deny "no" end --- want: "wrong-argument: match takes"
    if re.match(1, file.path) or re.match("a") then return dsh.deny "no" end --- want: "wrong-argument: match: pattern is a string, got a number" "wrong-argument: match: the argument text is missing"
  end
  if call.action.url:find("example.com") then return dsh.deny "no" end --- want: "text-rule: .* \(the module url reads it\)" "pattern-magic"
  if call.tool:find("Bash") then return dsh.deny "no" end --- want: "unanchored"
  if call.tool:find("^Bash|^Edit") then return dsh.deny "no" end --- want: "foreign-pattern"
  if call.tool:find("^Bash|Edit$") then return dsh.deny "no" end --- want: "foreign-pattern: Lua's patterns have no choice"
  local text = ""
  for _, file in ipairs(call.action.files) do
    text = text .. file.path --- want: "growing-text"
  end
  for a in call.tool:gmatch("%a+") do
    for b in call.tool:gmatch("%d+") do --- want: "nested-scan"
      if a .. b == text then return dsh.deny "no" end
    end
  end
end)
dsh.on("tools/post-execute", { rule = "content" }, function(done)
  local content = done.result.kind == "success" and done.result.content
  if type(done.result.content) == "string" and done.result.content:find("x", 1, true) or content == "y" then
    return dsh.accept { content = done.result.content:sub(1, 10) }
  end
end)
