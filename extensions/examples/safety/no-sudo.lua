-- Denies every change of user to root.

local common = require "common"
local shell = require "shell"

local programs = common.set "sudo sudo-rs sudoedit doas dzdo pfexec please calife pkexec run0 gksudo gksu kdesudo kdesu beesu ksu su runuser gosu su-exec"
local root = common.set "root 0 #0 +0"

-- Programs whose first operand is the user.
local takes_user = common.set "su gosu su-exec ksu"

-- The user that a command asks for; nil for the usual one, which is root.
local function user_of(command)
  local option = shell.flag(command, "u user")
  if type(option) == "table" then return option end
  if takes_user[command.name] then
    for _, word in ipairs(command.operands) do
      if word.text ~= "-" then return word end
    end
  end
end

local function judge(command, verdict)
  if programs[command.name] then
    if shell.flag(command, "V version h help k reset-timestamp K remove-timestamp") and not command.wrapper then return end
    if not takes_user[command.name] and shell.flag(command, "l list v validate") and not command.wrapper then return verdict.ask(command.name .. " asks for the rights of root, and runs nothing") end
    local user = user_of(command)
    local name = user and (user.text or ""):match("^[^:]*")
    if user and not (user.known and root[name]) and not root[name] then
      return verdict.ask(command.name .. " changes the user to " .. (name ~= "" and name or "one that is not known"))
    end
    return verdict.deny(command.name .. " changes the user to root; do it without, or ask the user to do it")
  end
  if command.name == "machinectl" and command.operands[1] and command.operands[1].text == "shell" then
    verdict.deny "machinectl shell changes the user to root"
  elseif command.name == "ansible" and shell.flag(command, "b become K ask-become-pass") then
    verdict.ask "ansible changes the user on other machines"
  elseif command.name == "setpriv" and shell.flag(command, "reuid") or command.name == "login" or command.name == "nsenter" then
    verdict.ask(command.name .. " may change the user to root")
  elseif command.name == "chmod" then
    local mode = command.operands[1] and command.operands[1].text or ""
    if mode:find("^[ugoa]*%+[rwxXt]*s") or mode:find("^[4267]%d%d%d$") then verdict.ask "this lets a program run as another user" end
  elseif command.name == "alias" then
    for _, word in ipairs(command.operands) do
      if (word.text or ""):find("=%s*sudo%f[%W]") then verdict.ask "this hides sudo behind another name" end
    end
  end
  local code = common.code(command, true)
  for name in code:gmatch("%f[%w_]%a[%w_]*") do
    if name == "sudo" or name == "doas" or name == "pkexec" or name == "setuid" or name == "seteuid" then
      verdict.ask("this program may use " .. name)
    end
  end
  if code:find("administrator privileges") or code:find("[Vv]erb%s+[Rr]un[Aa]s") then
    verdict.deny "this program asks for the rights of the administrator"
  end
end

dsh.on("tools/pre-execute", { action = "shell", rule = "no-sudo" }, function(call)
  return common.judge(call, judge)
end)
