-- Denies a git push that can drop commits or branches of the remote.
--
-- --force-with-lease is no such push: it refuses to overwrite what nobody has seen.

local common = require "common"
local shell = require "shell"

local pushes = common.set "push send-pack http-push"
local advice = "; push without it, or with --force-with-lease"

-- Settings that make a plain push drop something, or hide one.
local settings = { "^alias%.", "^include%.path", "^includeif%.", "^remote%..+%.mirror$", "^remote%..+%.push$", "^remote%..+%.prune$" }

local function judge_push(command, verdict)
  for _, names in ipairs({ "f force", "d delete", "mirror", "prune" }) do
    if shell.flag(command, names) then
      return verdict.deny("--" .. names:match("%S+$") .. " can drop commits or branches of the remote" .. advice)
    end
  end
  for _, word in ipairs(command.operands) do
    for _, text in ipairs(word.texts) do
      if text:find("^%+") or text:find("^:.") then return verdict.deny(text .. " can drop commits or branches of the remote" .. advice) end
    end
    local prefix = word.prefix
    if prefix and (prefix:find("^%+") or prefix:find("^:")) then
      return verdict.deny(prefix .. "… can drop commits or branches of the remote" .. advice)
    elseif prefix == "" or word.many then
      verdict.ask "a word that is not known may force this push"
    end
  end
  if command.unsure then verdict.ask "a word that is not known may force this push" end
end

local function judge_git(command, verdict)
  common.settings(command, function(name, value)
    for _, setting in ipairs(settings) do
      if value and name:find(setting) then verdict.ask(name .. " may force a push, or hide one") end
    end
  end)
  if pushes[command.sub] then
    judge_push(command, verdict)
  elseif command.sub == "remote" and shell.flag(command, "mirror") and command.operands[1] and command.operands[1].text == "add" then
    verdict.ask "a push to a mirror drops what the remote has more"
  elseif common.is_alias(command) then
    verdict.ask("git " .. (command.sub or "…") .. " may be an alias that forces a push")
  elseif command.sub == "subtree" or command.sub == "lfs" or command.sub == "svn" then
    if shell.flag(command, "f force") then verdict.ask("git " .. command.sub .. " may force a push") end
  end
end

-- Programs that speak to the interface of a host by themselves.
local clients = common.set "curl wget http https xh"
local changing = common.set "DELETE PATCH PUT"

-- Whether a request moves or deletes a branch: by a path of the interface and a method
-- that changes something, or by a mutation.
local function judge_request(command, verdict)
  local method = shell.flag(command, "X method request")
  local changes = type(method) == "table" and (not method.text or changing[method.text:upper()])
  for _, word in ipairs(command.argv) do
    for _, text in ipairs(common.texts(word)) do
      changes = changes or changing[text]
      if changes and (text:find("git/refs") or text:find("repository/branches") or text:find("/branches/")) or text == "force=true" or text:find('"force"%s*:%s*true') or text:find("deleteRef") or text:find("updateRef") then
        return verdict.ask "this changes branches of the remote"
      end
    end
  end
end

-- Other programs that move or delete branches of a remote.
local function judge_host(command, verdict)
  local sub = command.sub
  local verb = command.operands[1] and command.operands[1].text
  if (command.name == "gh" or command.name == "glab") and sub == "api" then
    return judge_request(command, verdict)
  elseif sub == "repo" and (verb == "sync" and shell.flag(command, "force") or verb == "delete") then
    verdict.ask "this can drop commits of the remote"
    return
  end
  if command.name == "jj" and verb == "git" then verb = command.operands[2] and command.operands[2].text end
  for _, what in ipairs({ sub or "", verb or "" }) do
    if (what == "submit" or what == "push") and shell.flag(command, "f force deleted delete") then
      verdict.ask "this may force a push"
    end
  end
end

local hosts = common.set "gh glab gt jj hg sl av spr ghstack git-push yadm"

dsh.on("tools/pre-execute", { action = "shell", rule = "no-force-push" }, function(call)
  return common.judge(call, function(command, verdict)
    if common.is_git(command) then
      judge_git(command, verdict)
    elseif hosts[command.name] then
      judge_host(command, verdict)
    elseif clients[command.name] then
      judge_request(command, verdict)
    end
    local hidden = common.hidden_settings(command)
    if hidden then verdict.ask(hidden .. " may force a push, or hide one") end
    local code = common.code(command, true)
    if common.runs_git(code) and code:find("push") and (code:find("%-f") or code:find("force") or code:find("[\"' ]%+%a") or code:find("[%w\"'] +:%a") or code:find("mirror") or code:find("delete")) then
      verdict.ask "this program may force a push"
    end
  end, common.git)
end)
