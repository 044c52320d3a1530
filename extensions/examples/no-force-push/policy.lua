-- Denies a git push that can drop commits or branches of the remote.
--
-- It judges what a call does (its action), not the arguments of some tool, so
-- the same file guards every client.

local function set(text)
  local members = {}
  for word in text:gmatch("%S+") do members[word] = true end
  return members
end

-- Long options of a push that drop something. --force-with-lease is not one of
-- them: it refuses to overwrite what nobody has seen.
local forcing = " force delete mirror prune"

-- Settings that make a plain push drop something, or hide a push in an alias.
local settings = { "alias%.", "include%.path", "includeif%.", "remote%..+%.mirror", "remote%..+%.push" }

local pushes = set "push send-pack http-push"

-- No alias can have the name of a command of git itself; any other name may be
-- an alias for a forced push.
local own = set [[
  add am apply archive bisect blame branch bundle cat-file check-ignore checkout cherry cherry-pick
  clean clone commit config describe diff diff-tree difftool fetch for-each-ref format-patch fsck gc
  grep help init log ls-files ls-remote ls-tree maintenance merge merge-base mergetool mv notes prune
  pull push range-diff rebase reflog remote repack reset restore rev-list rev-parse revert rm shortlog
  show show-ref sparse-checkout stash status submodule switch tag update-index version worktree ]]

-- Options of git itself whose value is the next word.
local valued = set "-C -c --git-dir --work-tree --namespace --config-env --attr-source --super-prefix"

-- Programs that run none of their arguments. All others may: sudo, env, nohup...
local inert = set "cat cd echo grep head ls printf tail true type which"

-- The words of a line without any character that means something to a shell; nil
-- for any other line. In zsh "=" does, where a word begins with it.
local function words_of(line)
  if line:find("[^%w_%-./=:@%%+ \t]") or (" " .. line):find("[ \t]=") then return nil end
  local words = {}
  for word in line:gmatch("%S+") do words[#words + 1] = word end
  return words
end

-- "GIT" is git too, where file names have no case.
local function is_git(word) return word:match("[^/]*$"):lower():gsub("%.exe$", "") == "git" end

local function sets(word)
  for _, setting in ipairs(settings) do
    if ("=" .. word:lower()):find("=" .. setting) then return true end
  end
  return false
end

-- Whether an option makes a push drop something. Short options come in clusters,
-- where what follows -o is its value; git takes any beginning of a long one.
local function forces(option)
  local name = option:match("^%-%-([^=]+)")
  return option:find("^%-[^%-o]*[fd]") or name and forcing:find(" " .. name, 1, true)
end

-- The word behind words[at] that makes this push drop something, if there is one.
local function dropping(words, at)
  local options = true
  for i = at + 1, #words do
    local word = words[i]
    if options and forces(word) or word:find("^%+") or word:find("^:.") then return word end
    -- "--" ends the options, unless it is the value of one: "-o -- --force" forces.
    if word == "--" and not words[i - 1]:find("^%-") then options = false end
  end
end

-- Judges the command of the git at words[at].
local function judge(words, at)
  local i = at + 1
  while words[i] and words[i]:find("^%-") do i = i + (valued[words[i]] and 2 or 1) end
  local command = words[i]
  local dropped = pushes[command] and dropping(words, i)
  if dropped then
    return dsh.deny(dropped .. " can drop commits or branches of the remote; push without it, or with --force-with-lease")
  elseif command and not own[command] and not pushes[command] then
    return dsh.ask("git " .. command .. " may be an alias that forces a push")
  end
  for k = 1, command == "config" and #words or i - 1 do
    if words[k] and sets(words[k]) then return dsh.ask(words[k] .. " may be a setting that forces a push") end
  end
end

dsh.on("tools/pre-execute", { action = "shell", rule = "no-force-push" }, function(call)
  local words = not call.action.partial and words_of(call.action.command)
  if not words then
    return dsh.ask "only a plain list of words can be judged; look whether this line forces a push"
  end
  local answer
  for at = 1, inert[words[1]] and 0 or #words do
    local judged = is_git(words[at]) and judge(words, at)
    if judged and judged.kind == "deny" then return judged end
    answer = answer or judged or nil
  end
  return answer
end)
