-- Denies what throws uncommitted work or stashes away.
--
-- Dry runs, what changes the index alone, and what brings work back are no such
-- thing.

local common = require "common"
local shell = require "shell"

local advice = "; commit or stash the work first"

-- What each command of git does to the work tree. An entry says verdict.deny or
-- verdict.ask, or nothing.
local judges = {}

function judges.reset(command, verdict)
  if shell.flag(command, "hard") then return verdict.deny("git reset --hard throws uncommitted work away" .. advice) end
  if shell.flag(command, "merge") then verdict.ask "git reset --merge throws staged work away" end
end

-- Whether a text looks like the path of a file rather than a branch.
local function is_path(text)
  local last = common.base(text)
  return text == "." or text:find("^%.") or text:find("/$") or text:find("[*?]") or text:find("^/") or text:find("^:")
    or last:find("%.%a[%w]*$") and not last:find("^v?%d") or last:find("^[A-Z][a-z]+file$") ~= nil
end

local function has_dashes(command)
  for _, word in ipairs(command.argv) do
    if word.text == "--" then return true end
  end
end

function judges.checkout(command, verdict)
  local words = command.operands
  if shell.flag(command, "f force") then return verdict.deny("a forced checkout throws uncommitted work away" .. advice) end
  if shell.flag(command, "p patch") then return verdict.ask "this throws away the parts that are chosen" end
  if shell.flag(command, "pathspec-from-file ours theirs") then return verdict.deny("this overwrites files of the work tree" .. advice) end
  if shell.flag(command, "b B orphan detach") and not has_dashes(command) then return end
  if #words > 0 and (has_dashes(command) and not (words[1].text and command.argv[#command.argv].text == "--") or #words > 1) then
    return verdict.deny("a checkout of paths throws their uncommitted changes away" .. advice)
  end
  for _, word in ipairs(words) do
    if not word.known then verdict.ask "nobody can tell whether this is a branch or a path" end
    for _, text in ipairs(word.texts) do
      if text == "." then return verdict.deny("a checkout of paths throws their uncommitted changes away" .. advice) end
      if is_path(text) then verdict.ask(text .. " looks like a path, whose uncommitted changes a checkout throws away") end
    end
  end
end

function judges.switch(command, verdict)
  if shell.flag(command, "f force discard-changes") then verdict.deny("a forced switch throws uncommitted work away" .. advice) end
end

function judges.restore(command, verdict)
  if shell.flag(command, "S staged") and not shell.flag(command, "W worktree") then return end
  if shell.flag(command, "p patch") then return verdict.ask "this throws away the parts that are chosen" end
  verdict.deny("git restore throws uncommitted changes away" .. advice)
end

function judges.clean(command, verdict)
  if shell.flag(command, "n dry-run") then return end
  local forced = shell.flag(command, "f force")
  common.settings(command, function(name, value)
    if name == "clean.requireforce" and value ~= "true" then forced = true end
  end)
  if forced then return verdict.deny("git clean deletes files that are in no commit" .. advice) end
  if shell.flag(command, "i interactive") then verdict.ask "git clean deletes files that are in no commit" end
end

function judges.stash(command, verdict)
  local verb = command.operands[1]
  if not verb then return end
  if verb.text == "drop" or verb.text == "clear" then return verdict.deny("git stash " .. verb.text .. " loses stashed work") end
  if not verb.known then verdict.ask "this may drop a stash" end
end

function judges.worktree(command, verdict)
  local verb = command.operands[1]
  if verb and verb.text == "remove" and shell.flag(command, "f force") then
    verdict.deny("a forced removal of a work tree loses what is uncommitted there" .. advice)
  end
end

function judges.rm(command, verdict)
  if shell.flag(command, "f force") and not shell.flag(command, "cached n dry-run") then
    verdict.ask "git rm -f deletes files with uncommitted changes"
  end
end

function judges.branch(command, verdict)
  local forced = shell.flag(command, "D") or shell.flag(command, "d delete") and shell.flag(command, "f force")
  if forced then verdict.ask "this may drop commits that no other branch has" end
end

function judges.apply(command, verdict)
  if shell.flag(command, "R reverse") and not shell.flag(command, "check stat numstat summary cached") then
    verdict.ask "a patch that is taken back may be uncommitted work"
  end
end

judges["checkout-index"] = function(command, verdict)
  if shell.flag(command, "f force") then verdict.deny("this overwrites files of the work tree" .. advice) end
end

judges["read-tree"] = function(command, verdict)
  if shell.flag(command, "reset") and shell.flag(command, "u") then verdict.deny("this overwrites the work tree" .. advice) end
end

judges["update-ref"] = function(command, verdict)
  if shell.flag(command, "d") and command.operands[1] and command.operands[1].text == "refs/stash" then
    verdict.deny "this loses all stashes"
  end
end

function judges.submodule(command, verdict)
  local verb = command.operands[1] and command.operands[1].text
  if (verb == "deinit" or verb == "update") and shell.flag(command, "f force") then
    verdict.ask "this throws uncommitted work in submodules away"
  end
end

function judges.reflog(command, verdict)
  local verb = command.operands[1] and command.operands[1].text
  if verb == "expire" or verb == "delete" then verdict.ask "without the reflog, dropped work cannot be found again" end
end

judges["filter-branch"] = function(_, verdict) verdict.ask "this rewrites the work tree and all commits" end

-- Commands whose output is what a file was before.
local shows = common.set "show cat-file archive"

local function judge_target(command, word, verdict, call)
  for _, place in ipairs(shell.places(command, word)) do
    local project = call.session.project or "/"
    if place.path and common.inside(place.path, project) then
      verdict.ask(place.text .. " is overwritten by another version; it may hold uncommitted work")
    end
  end
end

local function judge_redirects(command, verdict, call)
  for _, redirect in ipairs(command.redirects) do
    if redirect.kind == "write" then judge_target(command, redirect.target, verdict, call) end
  end
end

local others = {
  hg = function(command, verdict)
    if command.argv[2] and (command.argv[2].text == "revert" or command.argv[2].text == "purge" or shell.flag(command, "C clean")) then
      verdict.ask "this throws uncommitted work away"
    end
  end,
  svn = function(command, verdict)
    if command.argv[2] and command.argv[2].text == "revert" then verdict.ask "this throws uncommitted work away" end
  end,
  gh = function(command, verdict)
    local verb = command.operands[1] and command.operands[1].text
    if command.sub == "pr" and verb == "checkout" and shell.flag(command, "f force") then
      verdict.ask "this resets the branch of a pull request"
    end
  end,
}

-- What git shows of another version may be sent to a file by another program.
function others.tee(command, verdict, line, call)
  for _, at in ipairs(command.input and command.input.from or {}) do
    local source = line.commands[at]
    for _, word in ipairs(common.is_git(source) and shows[source.sub] and command.operands or {}) do
      judge_target(command, word, verdict, call)
    end
  end
end

function others.patch(command, verdict)
  if shell.flag(command, "R reverse") and not shell.flag(command, "dry-run") then verdict.ask "a patch that is taken back may be uncommitted work" end
end

-- Deletion of the repository itself loses all commits and stashes.
function others.rm(command, verdict)
  for _, word in ipairs(command.operands) do
    for _, text in ipairs(word.texts) do
      if common.base((text:gsub("/+$", ""))) == ".git" then verdict.ask "this deletes the repository, with its stashes" end
    end
  end
end

dsh.on("tools/pre-execute", { action = "shell", rule = "no-discard-work" }, function(call)
  return common.judge(call, function(command, verdict, line)
    if common.is_git(command) then
      local judge = judges[command.sub]
      if judge then judge(command, verdict) end
      if shows[command.sub] then judge_redirects(command, verdict, call) end
      if judge and command.unsure and command.sub ~= "branch" then verdict.ask "a word that is not known may throw work away" end
      if common.is_alias(command) then verdict.ask("git " .. (command.sub or "…") .. " may be an alias that throws work away") end
      common.settings(command, function(name, value)
        if value and name:find("^alias%.") then verdict.ask(name .. " may hide a command that throws work away") end
      end)
    elseif others[command.name] then
      others[command.name](command, verdict, line, call)
    end
    local code = common.code(command, true)
    if common.runs_git(code) and (code:find("hard") or code:find("stash") or code:find("clean") or code:find("checkout") or code:find("restore")) then
      verdict.ask "this program may throw uncommitted work away"
    end
  end, common.git)
end)
