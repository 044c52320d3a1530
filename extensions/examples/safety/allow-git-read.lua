-- Lets lines run without asking that only look: git status, log and diff, ls, cat,
-- head, wc, grep, and cd inside the project. Asks about every other line.
--
-- It says yes in the user's place where it has the grant "preapprove". Without it, as
-- in a project's own policies, it has no opinion of those lines, and the client asks
-- its user or not, as it would without this policy.

local common = require "common"
local shell = require "shell"

local subs = common.set "status log diff"

-- Options of git that run programs, write files, or read other settings.
local git_options = "ext-diff textconv output O open-files-in-pager show-signature exec-path config-env c git-dir work-tree namespace super-prefix upload-pack no-index"
local git_before = common.set "C no-pager P no-optional-locks literal-pathspecs no-replace-objects"

-- The options that each of the other programs must not have.
local programs = { ls = "", cat = "", head = "", wc = "files0-from", grep = "f file", cd = "" }

-- Whether all that a word names is inside the project.
local function stays(command, word, project)
  local places, known = shell.places(command, word)
  if not known then return false end
  for _, place in ipairs(places) do
    local path = place.real
    if not path or not common.inside(path, project) or place.glob and place.glob:find("..", 1, true) then return false end
  end
  return true
end

-- Why a command may not run unasked; nil if it may.
local function objection(command, call)
  local project = call.session.project
  local name = command.argv[1] and command.argv[1].text
  if not name then return "there is more to it than a command" end
  if #command.assigns > 0 then return "it sets " .. command.assigns[1].name end
  if command.wrapper or command.opaque or command.where then return name .. " may run anything" end
  if not command.cwd or not project or not common.inside(command.cwd, project) then return "it leaves the project" end
  for _, redirect in ipairs(command.redirects) do
    local null = redirect.target.text == "/dev/null" and (redirect.kind == "write" or redirect.kind == "append")
    if not null and redirect.kind ~= "duplicate" and redirect.kind ~= "here" then return "it redirects to a file" end
  end
  for _, word in ipairs(command.argv) do
    if not word.known or #word.from > 0 then return "a word of it is not known" end
  end
  if name == "git" then
    if not subs[command.sub] then return "git " .. (command.sub or "") .. " is not listed" end
    for _, option in ipairs(command.before) do
      if not git_before[option.name] then return "git -" .. option.name .. " may run programs" end
    end
    if shell.flag(command, git_options) then return "an option of it runs programs or writes" end
    return nil
  end
  if not programs[name] then return name .. " is not listed" end
  if programs[name] ~= "" and shell.flag(command, programs[name]) then return "an option of " .. name .. " is not listed" end
  local first = name == "grep" and not shell.flag(command, "e regexp") and 2 or 1
  if name == "cd" and (#command.operands == 0 or command.operands[1].text == "-") then return "it leaves the project" end
  for i = first, #command.operands do
    if not stays(command, command.operands[i], project) then return "it leaves the project" end
  end
end

dsh.on("tools/pre-execute", { action = "shell", rule = "allow-git-read" }, function(call)
  local line = shell.parse(call.action.command)
  if call.action.partial or line.problem then return dsh.ask "the line cannot be read" end
  for _, command in ipairs(line.commands) do
    local why = objection(command, call)
    if why then return dsh.ask(why) end
  end
  if dsh.granted "preapprove" then return dsh.allow { preapproved = true } end
end)

dsh.on("agent/session-start", { rule = "allow-git-read-grant" }, function(started)
  if not dsh.granted "preapprove" then
    started.live:tell "allow-git-read has not the grant preapprove: it spares no question, and still asks about other lines"
  end
end)
