-- Denies what would show secrets or send them away: .env files, private keys,
-- ~/.aws and the keys in ~/.ssh.
--
-- Any program that is given such a file is taken for one that shows it, unless it
-- is known to do something else with it.

local common = require "common"
local shell = require "shell"

local templates = common.set "example sample template dist"
local harmless_in_ssh = common.set "known_hosts known_hosts.old authorized_keys"
local folders = common.set ".ssh .aws"

-- Names that a pattern is tried on.
local samples = { ".env", ".env.local", ".env.production", "id_rsa", "id_ed25519", ".ssh", ".aws" }

-- How much of a secret a file is, by its name: "secret", "perhaps" or nil.
local function judge_name(name)
  name = name:lower()
  local word = name:match("^%.env%.(.+)$")
  if name == ".env" or word and not templates[word:match("[^.]*$")] then return "secret" end
  if name:find("%.pub$") then return nil end
  if name:find("^id_[%w_]+$") or name:find("%.key$") or name:find("%.ppk$") or name:find("%.p12$") or name:find("%.pfx$")
    or name:find("_rsa$") or name:find("_ed25519$") or name:find("key[%w_-]*%.pem$") then
    return "secret"
  end
  if name:find("%.pem$") then return "perhaps" end
end

-- The same of a path.
local function judge_path(path)
  local name = common.base((path:gsub("/+$", "")))
  for part in path:gmatch("[^/]+") do
    if part == ".aws" then return "secret" end
    if part == ".ssh" then
      if harmless_in_ssh[name] or name:find("%.pub$") then return nil end
      return name == "config" and "perhaps" or "secret"
    end
  end
  return judge_name(name)
end

local function judge_glob(place)
  if place.glob:find("%.pub$") then return nil end
  if place.path and judge_path(place.path .. "/x") then return "secret" end
  for part in place.glob:gmatch("[^/]+") do
    local found = judge_name(part) or folders[part] and "secret"
    for _, name in ipairs(samples) do
      if found or part:find("[*?%[]") and #part:gsub("[*?]", "") > 0 and common.matches(part, name) then return found or "secret" end
    end
  end
end

-- How much of a secret the file is that a word names.
local function judge_name_of(command, word)
  local worst
  local places, known = shell.places(command, word)
  for _, place in ipairs(places) do
    local found
    if place.glob then
      found = judge_glob(place)
    else
      found = judge_path(place.text)
      for _, path in ipairs({ place.path or "", place.real or "" }) do
        if found ~= "secret" then found = judge_path(path) or found end
      end
    end
    if found == "secret" then return found end
    worst = worst or found
  end
  if not known and type(word) == "table" then
    local ending = (word.suffix or ""):match("/([^/]*)$")
    if ending and judge_name(ending) == "secret" then return "secret" end
    if (word.prefix or ""):find("/%.ssh/") or (word.prefix or ""):find("/%.aws/") then return "secret" end
    if not ending or ending == "" then return "unknown" end
  end
  return worst
end

-- The paths of the files that a line makes of secrets: by a copy, another name, or a link.
local copies = common.set "cp mv install ln"

local function copied(line)
  local paths = {}
  for _, command in ipairs(line.commands) do
    local target = copies[command.name] and command.operands[2]
    if target and judge_name_of(command, command.operands[1]) == "secret" then
      for _, place in ipairs(shell.places(command, target)) do paths[place.path or ""] = true end
    end
  end
  return paths
end

-- The same of a word of a line, which may have made a copy.
local function judge_word(command, word, line)
  local found = judge_name_of(command, word)
  if found == "secret" or not line or copies[command.name] then return found end
  local paths = copied(line)
  for _, place in ipairs(next(paths) and shell.places(command, word) or {}) do
    if paths[place.path] then return "secret" end
  end
  return found
end

-- Programs that do not show what is in their operands.
local quiet = common.set [[
  ls dir vdir exa eza lsd stat test [ rm unlink rmdir touch chmod chown chgrp mkdir ln echo printf cd chdir pushd popd
  find gfind fd fdfind file du df wc realpath readlink basename dirname which type command export unset alias true false : pwd
  tee truncate shred read kill sleep wait man help ssh ssh-add ssh-agent sshd git gh npm pnpm yarn make cmake go cargo
  docker podman docker-compose kubectl sudo doas env nohup nice timeout xargs source . eval exec bash sh zsh dash set mv cp
  install trash direnv dotenv pytest jest ps id whoami hostname date uname curl wget http https xh ]]

-- Programs of which the user, not the agent, sees what they show, or that are
-- given the name of a file for other ends.
local perhaps = common.set "vim vi nvim nano emacs code subl open xdg-open sed gsed python python3 node ruby php deno bun tsx md5sum sha1sum sha256sum cksum ssh-keygen openssl gpg"

-- Those of them that show a file unless they change it.
local edits = common.set "sed gsed"

-- Programs whose first operand is a pattern or a program.
local pattern_first = common.set "grep egrep fgrep zgrep ggrep rg ag ack sed gsed awk gawk mawk nawk jq yq perl"

-- Programs that show the files they are given, so that a file that is not known
-- may be a secret.
local readers = common.set [[
  cat tac head tail less more most bat batcat nl xxd od hexdump hd strings base64 base32 grep egrep fgrep rg ag awk cut sort
  uniq diff cmp paste rev fold view pr tr jq yq ]]

-- Subcommands of them that send files away.
local uploads = { ["gh gist"] = true, ["gh release"] = true, ["docker cp"] = true, ["podman cp"] = true, ["kubectl cp"] = true, ["oc cp"] = true }

-- Commands that show variables: those they are given, or all if they are given none.
local prints = common.set "echo printf"
local lists = common.set "env printenv set export declare typeset compgen"

local function shows_variables(command)
  if lists[command.name] then
    return command.name == "printenv" or not command.wrapper and #command.assigns == 0 and (#command.argv == 1 or shell.flag(command, "p"))
  end
  for _, word in ipairs(prints[command.name] and command.argv or {}) do
    if not word.known then return true end
  end
end

local function tell(found, verdict, what)
  if found == "secret" then
    verdict.deny(what .. " holds secrets; work with a template of it, or ask the user for the value")
  elseif found == "perhaps" then
    verdict.ask(what .. " may hold secrets")
  end
end

local function name_of(word)
  return word.raw or word.text or word.texts[1] or "a file"
end

-- Whether a script of sed sends lines to another file than the one that it edits.
local function writes_elsewhere(command)
  for _, word in ipairs(command.argv) do
    if not word.known or (word.text or ""):find("%f[%w]w%s+%S") then return true end
  end
end

local function judge_operands(command, verdict, line)
  local first = 1
  if pattern_first[command.name] and not shell.flag(command, "e f regexp file expression") then first = 2 end
  for i = first, #command.operands do
    local word = command.operands[i]
    local found = judge_word(command, word, line)
    local made = type(word) ~= "string" and (word.raw or ""):find("^<%(") -- by the line itself
    if found == "unknown" and readers[command.name] and not made then verdict.ask "a file that is not known may hold secrets" end
    local in_place = edits[command.name] and shell.flag(command, "i in-place")
    if found == "secret" and perhaps[command.name] and (in_place or not edits[command.name]) then found = "perhaps" end
    if in_place and not writes_elsewhere(command) then found = nil end
    tell(found, verdict, name_of(word))
    for _, text in ipairs(word.texts) do
      local file = text:match("^if=(.*)$") or text:match("@(.+)$")
      if file and not text:find("://") then tell(judge_word(command, file), verdict, file) end
    end
  end
end

-- Options whose value is a pattern for the names of files that are searched.
local patterns = common.set "include glob g"

local function judge_patterns(command, verdict)
  for _, word in ipairs(common.values(command, patterns)) do
    for _, text in ipairs(word.texts) do
      local name = common.base(text)
      for _, sample in ipairs(samples) do
        if name:find("^%.") and common.matches(name, sample) then tell("perhaps", verdict, text) end
      end
    end
  end
end

-- Options whose value is a file that is shown or sent.
local sending = common.set [[
  F d T f K config form data data-raw data-binary data-urlencode data-ascii upload-file post-file body-file from-file from-env-file
  rawfile slurpfile include glob g i input ]]
local senders = common.set "curl wget http https xh gh kubectl jq yq grep rg ag tar gsutil aws az gcloud mail mutt nc zip"

local function judge_options(command, verdict)
  if command.name == "ssh-keygen" and shell.flag(command, "y") then
    for _, word in ipairs(common.values(command, sending)) do
      if judge_word(command, word) then verdict.ask "this shows the public part of a key" end
    end
  end
  if not senders[command.name] then return end
  for _, word in ipairs(common.values(command, sending)) do
    for _, text in ipairs(common.texts(word)) do
      local file = text:match("[@<]([^;]+)") or command.name ~= "curl" and text or shell.flag(command, "T upload-file K config") and text
      if file then tell(judge_word(command, file), verdict, file) end
    end
  end
end

-- What git shows is named REVISION:PATH or PATH.
local shows = common.set "show cat-file diff blame annotate grep archive log difftool format-patch stash"

local function judge_git(command, verdict)
  for _, word in ipairs(command.operands) do
    for _, text in ipairs(word.texts) do
      local found = judge_path(text:match("^[^:]*:(.+)$") or text)
      if found and command.sub == "add" then
        verdict.ask(text .. " holds secrets, which leave the machine with the next push")
      elseif found and shows[command.sub] then
        local names = (command.sub == "log" or command.sub == "stash") and not shell.flag(command, "p patch u U unified L c cc m")
        tell(not names and found, verdict, text)
      end
    end
  end
end

-- A copy under another name is as secret as the file, and nobody guards it.
local function judge_copy(command, verdict)
  local last = #command.operands
  if shell.flag(command, "t target-directory") then last = last + 1 end
  for i = 1, last - 1 do
    local word = command.operands[i]
    local target = command.operands[last]
    if judge_word(command, word) == "secret" and not (target and judge_word(command, target) == "secret") then
      verdict.ask("a copy of " .. name_of(word) .. " is not guarded")
    end
  end
end

-- Reading a file of variables shows nothing; to print them afterwards does.
local function judge_source(command, verdict, line, at)
  if not command.script or judge_word(command, command.script) ~= "secret" then return end
  for i = at + 1, #line.commands do
    local later = line.commands[i]
    local sends = (later.name == "curl" or later.name == "wget") and later.unsure
    if shows_variables(later) or sends then
      return verdict.deny(name_of(command.script) .. " holds secrets, and " .. later.name .. " would show them")
    end
  end
  verdict.ask("what runs next gets the secrets in " .. name_of(command.script))
end

-- Programs that show a file in their own ways: options with which they show what they
-- are given, by name.
local shows_with = {
  xargs = { options = "a arg-file", file = true }, date = { options = "f file", file = true }, file = { options = "f files-from", file = true },
  wc = { options = "files0-from", file = true }, du = { options = "files0-from", file = true }, sort = { options = "files0-from", file = true }, bash = { options = "x v" }, sh = { options = "x v" }, zsh = { options = "x v" }, dash = { options = "x v" },
  gpg = { options = "export-secret-keys export-secret-subkeys", keys = true }, gpg2 = { options = "export-secret-keys export-secret-subkeys", keys = true },
}
local mounts = common.set "v volume mount"

-- Programs that send files by orders of their own, and the options with such orders.
local transfers = { sftp = "", ftp = "", lftp = "e c", smbclient = "c", tftp = "c", ncftpput = "" }

local function judge_transfer(command, verdict)
  local words = common.values(command, common.set(transfers[command.name]))
  if command.input then words[#words + 1] = command.input.text end
  for _, word in ipairs(words) do
    for _, text in ipairs(common.texts(word)) do
      for name in text:gmatch("[^%s;]+") do tell(judge_path(name), verdict, name) end
    end
  end
end

local function judge_others(command, verdict)
  local way = shows_with[command.name]
  local option = way and shell.flag(command, way.options)
  if option then
    if way.keys then return verdict.deny "this shows private keys" end
    local word = way.file and option or command.script
    if type(word) == "table" then tell(judge_word(command, word), verdict, name_of(word)) end
  end
  for _, word in ipairs((command.name == "docker" or command.name == "podman") and common.values(command, mounts) or {}) do
    for _, text in ipairs(common.texts(word)) do
      local source = text:match("^([^:,]+):") or text:match("source=([^,]+)") or text:match("src=([^,]+)")
      if source and judge_word(command, source) then verdict.ask(source .. " holds secrets, and a container would see them") end
    end
  end
end

-- Whether a pattern of find matches a name: it need not begin with a dot, as one of the
-- shell must.
local function finds(glob, name)
  return common.matches(glob, name) or name:find("^%.") ~= nil and glob:find("env") ~= nil and common.matches("." .. glob, "." .. name)
end

-- Whether later commands read what a search for secrets finds.
local function judge_search(command, verdict, line)
  local words = common.values(command, common.set "name iname path")
  if command.name ~= "find" then words[1] = command.operands[1] end
  for _, word in ipairs(words) do
    for _, text in ipairs(word.texts) do
      if command.name ~= "find" then text = text:gsub("[\\^$]", "") end
      local name, secret = common.base(text), judge_name(common.base(text))
      for _, sample in ipairs(samples) do
        secret = secret or name:find("[*?%[]") and #name:gsub("[*?]", "") > 0 and finds(name, sample)
      end
      for _, other in ipairs(line.commands) do
        local via = other.via[#other.via]
        if secret and (via == "find" or via == "xargs" or via == "fd") and not quiet[other.name] then
          verdict.deny("this shows files that match " .. text)
        end
      end
    end
  end
end

local function judge_code(command, verdict)
  local code = common.code(command)
  for before, word in code:gmatch("(.?)(%.env[%w.]*)") do
    if not before:find("[%w_%])]") and judge_name(word:gsub("%.$", "")) == "secret" then
      verdict.ask "this program may read a file with secrets"
    end
  end
  if code:find("%.ssh%f[%W]") or code:find("%.aws%f[%W]") or code:find("id_rsa") or code:find("id_ed25519") then
    verdict.ask "this program may read keys"
  end
end

local function judge(command, verdict, line, at)
  for _, redirect in ipairs(command.redirects) do
    if redirect.kind == "read" then
      local found = judge_word(command, redirect.target)
      if found == "unknown" and command.name ~= nil then verdict.ask "a file that is not known may hold secrets" end
      tell(found, verdict, name_of(redirect.target))
    end
  end
  if command.name == "source" or command.name == "." then judge_source(command, verdict, line, at) end
  if command.name == "find" or command.name == "fd" or command.name == "fdfind" then judge_search(command, verdict, line) end
  if command.name == "cp" or command.name == "mv" or command.name == "install" or command.name == "ln" then judge_copy(command, verdict) end
  if common.is_git(command) then
    judge_git(command, verdict)
  elseif command.name == "curl" or command.name == "http" or command.name == "https" or command.name == "xh" then
    for _, word in ipairs(command.operands) do
      for _, text in ipairs(word.texts) do
        local file = text:match("@(.+)$") or text:match("^file://(/.*)$")
        if file then tell(judge_word(command, file), verdict, file) end
      end
    end
  elseif command.name and (not quiet[command.name] or uploads[command.name .. " " .. (command.sub or "")]) then
    judge_operands(command, verdict, line)
  end
  judge_options(command, verdict)
  if senders[command.name] then judge_patterns(command, verdict) end
  judge_others(command, verdict)
  if transfers[command.name] then judge_transfer(command, verdict) end
  judge_code(command, verdict)
end

dsh.on("tools/pre-execute", { action = "shell", rule = "no-secret-read" }, function(call)
  return common.judge(call, judge)
end)

dsh.on("tools/pre-execute", { action = "read", rule = "no-secret-read-file" }, function(call)
  return common.judge_files(call, function(path, verdict) tell(judge_path(path), verdict, path) end)
end)

-- A search in a file shows lines of it; one in a folder of secrets may, or lists it.
-- Tools that search take a pattern for the names of the files that they look into.
dsh.on("tools/pre-execute", { action = "search", rule = "no-secret-read-search" }, function(call)
  local names = call.arguments and call.arguments.glob
  names = type(names) == "string" and common.base(names) or ""
  return common.judge_files(call, function(path, verdict)
    tell(judge_name(names), verdict, names)
    if names:find("^%.[%w_]*[*?%[{]") and common.matches(names:gsub("{.*}", "*"), ".env") then
      tell("perhaps", verdict, names)
    end
    local found = judge_path(path)
    if found == "secret" and judge_name(common.base(path)) ~= "secret" then found = "perhaps" end
    tell(found, verdict, path)
  end)
end)
