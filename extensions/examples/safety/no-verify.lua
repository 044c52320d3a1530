-- Denies skipping or disabling the hooks of git.

local common = require "common"
local shell = require "shell"

local advice = "; the hooks of this project have to run"

-- Variables that tell hook managers to do nothing, and the value with which they do not.
local switches = {
  HUSKY = "1", HUSKY_SKIP_HOOKS = "0", HUSKY_SKIP_INSTALL = "0", SKIP = "", LEFTHOOK = "1", LEFTHOOK_EXCLUDE = "", OVERCOMMIT_DISABLE = "0",
  SKIP_SIMPLE_GIT_HOOKS = "0", PRE_COMMIT_ALLOW_NO_CONFIG = "0", GIT_HOOKS_DISABLE = "0",
}

-- Programs that commit, or push, by themselves, and pass on that hooks are to be skipped.
local committers = common.set [[
  npm yarn pnpm lerna np standard-version commit-and-tag-version release-it semantic-release changeset bumpversion bump-my-version cz git-cz czg
  gt jj stg ghstack spr ]]

-- The hooks of git, by whose names a file in a folder that is not known is found.
local hooks = common.set [[
  applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout
  post-merge pre-push post-rewrite ]]
local managers = common.set "husky lefthook pre-commit overcommit simple-git-hooks captainhook"

local plumbing = common.set "commit-tree update-ref fast-import replace"

local function judge_git(command, verdict)
  if shell.flag(command, "no-verify") then return verdict.deny("--no-verify skips hooks" .. advice) end
  if command.sub == "commit" and shell.flag(command, "n") then return verdict.deny("git commit -n skips hooks" .. advice) end
  if command.sub == "am" and shell.flag(command, "n") then verdict.ask "git am -n skips hooks" end
  if plumbing[command.sub] then verdict.ask("git " .. command.sub .. " runs no hooks") end
  common.settings(command, function(name, value)
    if not value and name == "core.hookspath" then verdict.ask "without core.hooksPath other hooks run" end
    if not value then return end
    if name == "core.hookspath" then verdict.deny("core.hooksPath decides which hooks run" .. advice) end
    if name:find("^alias%.") then verdict.ask(name .. " may hide a command that skips hooks") end
    if name:find("^include") or name:find("^hook%.") then verdict.ask(name .. " may change which hooks run") end
  end)
  if common.is_alias(command) then verdict.ask("git " .. (command.sub or "…") .. " may be an alias that skips hooks") end
  local writes = command.sub == "commit" or command.sub == "push" or command.sub == "merge" or command.sub == "rebase" or command.sub == "am"
  if writes and command.unsure then
    local first = command.operands[1]
    if command.sub == "commit" or first and first.prefix == "" then verdict.ask "a word that is not known may skip hooks" end
  end
end

-- Where hooks live: "git" for git's own folder, "manager" for that of a manager.
local function holds_hooks(path)
  if path:find("/%.git/hooks%f[/%z]") or path:find("/%.git/hooks$") or path:find("/%.git/modules/.*/hooks") then return "git" end
  if path:find("/%.husky%f[/%z]") or path:find("/%.husky$") or path:find("/%.githooks") or path:find("/lefthook%.ya?ml$") or path:find("/%.pre%-commit%-config%.yaml$") then return "manager" end
end

local removers = common.set "rm unlink mv chmod truncate shred rmdir"
local writers = common.set "cp ln tee install touch sed mount"
local copiers = common.set "cp ln install"

local function judge_files(command, verdict)
  local takes = removers[command.name]
  local words = {}
  local given = common.values(command, { t = true, ["target-directory"] = true })
  for i, word in ipairs((takes or writers[command.name]) and command.operands or {}) do
    local is_source = copiers[command.name] and (#given > 0 or i < #command.operands)
    if not is_source then words[#words + 1] = word end
  end
  for _, word in ipairs(copiers[command.name] and given or {}) do words[#words + 1] = word end
  if command.name == "dd" then
    for _, word in ipairs(command.operands) do words[#words + 1] = (word.text or ""):match("^of=(.*)$") end
  end
  for _, redirect in ipairs(command.redirects) do
    if redirect.kind == "write" or redirect.kind == "append" then words[#words + 1] = redirect.target end
  end
  for _, word in ipairs(words) do
    local ending = type(word) ~= "string" and word.suffix or ""
    if ending:find("/hooks") or ending:find("/") and hooks[common.base(ending)] then verdict.ask "this may change a hook" end
    for _, place in ipairs(shell.places(command, word)) do
      local path = (place.path or place.text) .. (place.glob and "/" .. place.glob or "")
      local where = holds_hooks(path) or holds_hooks(place.real or "")
      local enables = command.name == "chmod" and (command.operands[1].text or ""):find("+x")
      if where == "git" and takes and not enables then
        return verdict.deny("this disables a hook" .. advice)
      elseif where and not enables then
        verdict.ask(place.text .. " decides what hooks do")
      elseif path:find("/%.git/config$") then
        verdict.ask "the configuration of git decides which hooks run"
      end
    end
  end
  if command.name == "find" and shell.flag(command, "delete") then
    for _, word in ipairs(command.argv) do
      if (word.text or ""):find("%.git/hooks") then verdict.deny("this deletes hooks" .. advice) end
    end
  end
end

local function judge_variables(command, verdict)
  local hidden = common.hidden_settings(command)
  if hidden then verdict.ask(hidden .. " may change which hooks run") end
  for _, assign in ipairs(command.assigns) do
    if switches[assign.name] and assign.value.text ~= switches[assign.name] then
      if common.is_git(command) or managers[command.name] then
        verdict.deny(assign.name .. " disables hooks" .. advice)
      else
        verdict.ask(assign.name .. " may disable hooks")
      end
    end
  end
end

-- Whether a program is told that git is to skip hooks.
local function passes_on(command)
  for _, word in ipairs(command.argv) do
    for _, text in ipairs(common.texts(word)) do
      if text:find("%-%-no%-verify%f[^%w-]") or text:find("%-%-no%-commit%-hooks") then return true end
    end
  end
end

local function judge(command, verdict)
  if common.is_git(command) then judge_git(command, verdict) end
  judge_files(command, verdict)
  judge_variables(command, verdict)
  local verb = command.sub or command.operands[1] and command.operands[1].text
  if committers[command.name] and passes_on(command) then verdict.ask(command.name .. " may skip hooks") end
  if managers[command.name] and (verb == "uninstall" or shell.flag(command, "uninstall")) then verdict.deny("this takes the hooks away" .. advice) end
  local code = common.code(command, true)
  if common.runs_git(code) and (code:find("no%-verify") or code:find("hooksPath")) or code:find("%.git/hooks") then
    verdict.ask "this program may skip hooks"
  end
end

dsh.on("tools/pre-execute", { action = "shell", rule = "no-verify" }, function(call)
  return common.judge(call, judge, common.git)
end)
