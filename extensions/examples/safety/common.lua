-- What the policies of this folder share.

local shell = require "shell"

local common = {}

-- A set of the words of a text.
function common.set(text)
  local members = {}
  for word in text:gmatch("%S+") do members[word] = true end
  return members
end

-- Whether path is dir or below it.
function common.inside(path, dir)
  return path == dir or dir == "/" or path:sub(1, #dir + 1) == dir .. "/"
end

function common.base(path) return path:match("[^/]*$") end

local function quoted(word)
  return word.text and "'" .. word.text:gsub("'", "'\\''") .. "'" or '"$UNKNOWN"'
end

-- The texts of a program of which nobody knows what it does that it may run as
-- commands: a word with blanks, and words of which the first is one of the programs.
local function carried(command, programs)
  local texts = {}
  for i = 2, math.min(command.unlisted and #command.argv or 0, 16) do
    local word, rest = command.argv[i], {}
    if programs[common.base(word.text or "")] and command.argv[i + 1] then
      for k = i, #command.argv do rest[#rest + 1] = quoted(command.argv[k]) end
      texts[#texts + 1] = table.concat(rest, " ")
    elseif (word.text or ""):find("%s") then
      texts[#texts + 1] = (word.text:gsub("^%-*[%w_-]+=", ""))
    end
  end
  return texts
end

-- Judges every command that a call would run with look(command, verdict, line),
-- which says verdict.deny(reason) or verdict.ask(reason) or nothing. One deny is
-- enough. What cannot be known is asked about, never let through. If programs are given,
-- words are judged too that a program may run of which nobody knows what it does; what
-- would be denied is asked about there.
function common.judge(call, look, programs)
  local line = shell.parse(call.action.command)
  local denied, asked
  local verdict = {
    deny = function(reason) denied = denied or reason end,
    ask = function(reason) asked = asked or reason end,
  }
  local unsure = { ask = verdict.ask, deny = verdict.ask }
  for at, command in ipairs(line.commands) do
    look(command, verdict, line, at)
    if denied then return dsh.deny(denied) end
    if command.opaque then verdict.ask(command.opaque) end
    for _, text in ipairs(programs and carried(command, programs) or {}) do
      local inner = shell.parse(text, { cwd = command.cwd or "" })
      for k, found in ipairs(inner.commands) do look(found, unsure, inner, k) end
    end
  end
  if line.problem then verdict.ask("the line cannot be read: " .. line.problem) end
  if call.action.partial then verdict.ask "not all of the call can be seen" end
  if asked then return dsh.ask(asked) end
end

-- Judges every file that a call touches with look(path, verdict, file), which is given
-- the path as the call names it and, if that is another, where it leads.
function common.judge_files(call, look)
  local denied, asked
  local verdict = {
    deny = function(reason) denied = denied or reason end,
    ask = function(reason) asked = asked or reason end,
  }
  for _, file in ipairs(call.action.files) do
    look(file.path, verdict, file)
    if file.real and file.real ~= file.path then look(file.real, verdict, file) end
    if not file.real then verdict.ask("nobody can tell where " .. file.path .. " leads") end
  end
  if denied then return dsh.deny(denied) end
  if call.action.partial then verdict.ask "not all of the call can be seen" end
  if asked then return dsh.ask(asked) end
end

-- A pattern of Lua that matches what a pattern of the shell matches.
function common.pattern(glob)
  local out, class = {}, false
  for c in glob:gmatch(".") do
    if class then
      class = c ~= "]"
      if c == "!" and out[#out] == "[" then c = "^" end
      out[#out + 1] = c == "%" and "%%" or c
    elseif c == "*" then
      out[#out + 1] = ".*"
    elseif c == "?" then
      out[#out + 1] = "."
    elseif c == "[" then
      class, out[#out + 1] = true, c
    else
      out[#out + 1] = c:find("%w") and c or "%" .. c
    end
  end
  return "^" .. table.concat(out) .. "$"
end

-- Whether a pattern of the shell may match a name. Names with a dot in front have
-- to be matched by a dot.
function common.matches(glob, name)
  if name:sub(1, 1) == "." and glob:sub(1, 1) ~= "." then return false end
  local closed = not glob:find("[", 1, true) or glob:find("%[.-%]")
  return not closed or name:find(common.pattern(glob)) ~= nil
end

-- All texts that a word may have as far as it is known: of one that is not known
-- how it begins and how it ends.
function common.texts(word)
  local texts = {}
  for _, text in ipairs(word.texts) do texts[#texts + 1] = text end
  if not word.known then
    texts[#texts + 1] = word.prefix
    texts[#texts + 1] = word.suffix
  end
  return texts
end

-- The words that are given to any of some options.
function common.values(command, names)
  local values = {}
  for _, option in ipairs(command.options) do
    if names[option.name] and option.value then values[#values + 1] = option.value end
  end
  return values
end

-- The links and mounts that a line makes, and what it moves: where each of them is, and
-- the word that says where it leads, or was. What is behind one may be anywhere.
local makers = {
  ln = function(command) return shell.flag(command, "s symbolic") end,
  mount = function(command) return shell.flag(command, "bind rbind B R M move") or #command.operands > 1 end,
  bindfs = function() return true end, sshfs = function() return true end,
  mv = function(command) return #command.operands > 1 end,
}
function common.links_made(line)
  local made = {}
  for _, command in ipairs(line.commands) do
    local makes = makers[command.name]
    local last = makes and makes(command) and command.operands[#command.operands]
    for _, place in ipairs(last and shell.places(command, last) or {}) do
      made[#made + 1] = { path = place.path, source = command.operands[#command.operands - 1], command = command }
    end
  end
  return made
end

-- Languages of whose texts shell.parse has listed the commands that they run.
local listed = common.set "awk cron ed gdb make"

-- The texts of the programs in other languages that a command is given; with hidden
-- only of those that may run commands which are not in the list.
function common.code(command, hidden)
  local texts = {}
  for _, code in ipairs(command.code) do
    for _, text in ipairs(hidden and listed[code.language] and {} or common.texts(code.text)) do texts[#texts + 1] = text end
  end
  return table.concat(texts, "\n")
end

-- The program that the rules on git ask for among the words of others.
common.git = common.set "git"

-- Whether a command is git, or a program that passes its words on to git.
function common.is_git(command) return command.name == "git" or command.name == "hub" end

-- The commands that git has itself or that come with it. Any other name may be an
-- alias, for anything.
local own = common.set [[
  add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore
  check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone
  column commit commit-graph commit-tree config count-objects credential daemon describe diagnose diff diff-files
  diff-index diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch flow fmt-merge-msg
  for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object help hook http-push
  index-pack init instaweb interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit
  maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv
  name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push quiltimport range-diff
  read-tree rebase receive-pack reflog refs remote repack replace replay request-pull rerere reset restore
  rev-list rev-parse revert rm send-email send-pack shortlog show show-branch show-index show-ref
  sparse-checkout stage stash status stripspace submodule subtree svn switch symbolic-ref tag unpack-file
  unpack-objects update-index update-ref update-server-info upload-archive upload-pack var verify-commit
  verify-pack verify-tag version whatchanged worktree write-tree ]]

-- What hub has besides.
local hub_own = common.set "alias api browse ci-status compare create delete fork gist issue pr pull-request release sync"

-- Whether what a git command does is hidden behind a name that may be an alias.
function common.is_alias(command)
  local sub = command.sub
  if sub then return not own[sub] and not command.wrapper and not (command.name == "hub" and hub_own[sub]) end
  return command.unsure
end

local files_of_settings = common.set "GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM"

-- Calls look(name, value) for every setting that a git command uses or stores;
-- value is a word, or nil for a setting that is taken away.
function common.settings(command, look)
  local function pair(text)
    local name, value = text:match("^([^=]*)=?(.*)$")
    look(name:lower(), value)
  end
  for _, option in ipairs(command.before) do
    if (option.name == "c" or option.name == "config-env") and option.value then
      for _, text in ipairs(common.texts(option.value)) do pair(text) end
    end
  end
  for _, assign in ipairs(command.assigns) do
    if assign.name:find("^GIT_CONFIG_KEY") then
      for _, text in ipairs(common.texts(assign.value)) do look(text:lower(), "") end
    elseif files_of_settings[assign.name] and assign.value.text ~= "/dev/null" and assign.value.text ~= "" then
      look("include.path", common.texts(assign.value)[1] or "")
    elseif assign.name == "GIT_CONFIG_PARAMETERS" then
      for _, text in ipairs(common.texts(assign.value)) do pair((text:gsub("'", ""))) end
    end
  end
  if command.sub ~= "config" then return end
  local words, reads = command.operands, shell.flag(command, "get get-all get-regexp l list get-urlmatch")
  local first = words[1] and words[1].text
  local at = (first == "set" or first == "unset" or first == "get") and 2 or 1
  if reads or first == "get" or first == "list" then return end
  if not words[at] then return end
  local stores = words[at + 1] ~= nil
  for _, text in ipairs(common.texts(words[at])) do
    if stores then
      look(text:lower(), common.texts(words[at + 1])[1] or "")
    elseif first == "unset" or shell.flag(command, "unset unset-all") then
      look(text:lower(), nil)
    end
  end
end

-- The variable by which a command, which is not git, changes the settings of every
-- git that runs later; nil if there is none.
function common.hidden_settings(command)
  for _, assign in ipairs(command.assigns) do
    if assign.name:find("^GIT_CONFIG") and not common.is_git(command) then return assign.name end
  end
end

-- Whether a program in another language may run git.
function common.runs_git(code) return code:find("%f[%w]git%f[%W]") ~= nil end

return common
