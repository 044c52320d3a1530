-- Denies writes to what guards or starts other things: the inside of .git, the
-- start-up files of shells, ~/.ssh, devices, and the settings of the agent itself.

local common = require "common"
local shell = require "shell"

local devices = common.set "null zero full random urandom tty stdin stdout stderr ptmx"
local startup = common.set [[
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login
  .inputrc .xprofile .pam_environment ]]
local etc = { "^/etc/profile", "^/etc/bash%.bashrc$", "^/etc/bashrc$", "^/etc/zsh", "^/etc/environment$", "^/etc/ssh/" }

-- Why a path must not be written; nil if it may be.
local function protected(path)
  local device = path:match("^/dev/(.+)$")
  if device then
    local usual = devices[device] or device:find("^fd/") or device:find("^shm/") or device:find("^pts/") or device:find("^tcp/") or device:find("^udp/")
    return not usual and "is a device" or nil
  end
  local inside = path:match("/%.git/(.+)$")
  if inside or path:find("/%.git$") then return "is the inside of a repository" end
  local home, rest = path:match("^(/home/[^/]+)/(.+)$")
  if not home then home, rest = path:match("^(/Users/[^/]+)/(.+)$") end
  if not home then home, rest = path:match("^(/[^/]+/home/[^/]+)/(.+)$") end
  if not home then home, rest = path:match("^(/root)/(.+)$") end
  if rest then
    if startup[rest] or rest:find("^%.config/fish/") or rest:find("^%.zsh/") then return "is run by every shell that starts" end
  end
  if path:find("/%.ssh/") or path:find("/%.ssh$") then return "decides who may log in" end
  for _, pattern in ipairs(etc) do
    if path:find(pattern) then return "is run by every shell that starts" end
  end
  if path:find("/%.claude/settings[%w.]*%.json$") or path:find("/%.claude/hooks/") or path:find("/%.claude$") or path:find("/%.codex/hooks%.json$")
    or path:find("/%.codex/config%.toml$") or path:find("/%.dsh/") or path:find("/%.dsh$") then
    return "guards this agent"
  end
end

-- Names that a pattern is tried on.
local samples = { ".git", ".bashrc", ".zshrc", ".profile", ".ssh", ".claude", ".dsh" }

-- Where links that the line itself has made lead, by the path of the link.
local function behind(line, path)
  for _, link in ipairs(line and common.links_made(line) or {}) do
    if path and link.path == path and link.source then
      for _, place in ipairs(shell.places(link.command, link.source)) do
        if protected(place.path or "") and not (link.command.name == "mount" and place.path:find("^/dev/")) then return place.path end
      end
    end
  end
end

local function judge_word(command, word, verdict, line)
  local places, known = shell.places(command, word)
  for _, place in ipairs(places) do
    local why = protected(place.path or "") or protected(place.real or "") or protected(place.entry or "")
    local link = command.name ~= "ln" and behind(line, place.path)
    why = why or link and protected(link)
    if place.glob then
      why = why or protected((place.path or "") .. "/x")
      for part in place.glob:gmatch("[^/]+") do
        for _, name in ipairs(samples) do
          if part:find("[*?%[]") and #part:gsub("[*?]", "") > 0 and common.matches(part, name) then verdict.ask(place.text .. " may match " .. name) end
          if part == name then verdict.ask(place.text .. " leads into " .. name) end
        end
      end
    end
    if not place.path then -- in a folder that is not known
      local text = "/" .. place.text
      if protected(text) or startup[common.base(text)] then verdict.ask("nobody can tell where " .. place.text .. " is") end
    end
    if why and command.where == "remote" then
      verdict.ask(place.text .. " " .. why .. " on another machine")
    elseif why then
      return verdict.deny(place.text .. " " .. why)
    end
  end
  if known or type(word) ~= "table" then return end
  local ending = (word.suffix or ""):match("[^/]*$")
  if protected(word.suffix or "") or startup[ending] or ending == "" or not (word.suffix or ""):find("/") then
    verdict.ask "nobody can tell what this writes"
  end
end

-- The words that name what a program writes, by program: a list of words.
local targets = {}

local function operands(command) return command.operands end
for name in pairs(common.set "rm unlink rmdir shred truncate fallocate touch tee mkdir mkfifo chattr setfacl trash") do targets[name] = operands end

local function last_operand(command)
  local words = {}
  for _, word in ipairs(common.values(command, { t = true, ["target-directory"] = true })) do words[#words + 1] = word end
  if #words == 0 then words[1] = command.operands[#command.operands] end
  return words
end
for name in pairs(common.set "cp ln install rsync scp mount bindfs sshfs sponge script split") do targets[name] = last_operand end

local function second_operand(command) return { command.operands[2] } end
targets.uniq, targets.xxd = second_operand, second_operand

-- Options that name what a program writes, besides its operands.
local outputs = {
  gcc = "o", cc = "o", ["g++"] = "o", clang = "o", ["clang++"] = "o", rustc = "o", openssl = "out", csplit = "f prefix", cpio = "D directory",
  gpg = "o output", patch = "d directory o output", pandoc = "o output", ffmpeg = "o", unzip = "d", sort = "o output",
  curl = "o output output-dir c cookie-jar D dump-header", wget = "O o P output-document output-file directory-prefix",
}
for name, options in pairs(outputs) do
  local names = common.set(options)
  targets[name] = function(command) return common.values(command, names) end
end

-- An archive is unpacked to the folder behind -o, without a blank between.
local function unpacked(command)
  local words = {}
  for _, word in ipairs(command.argv) do words[#words + 1] = (word.text or ""):match("^%-o(.+)$") end
  return words
end
targets["7z"], targets["7za"], targets["7zz"] = unpacked, unpacked, unpacked

-- What curl -O and wget fetch has the name that it has there.
local function fetched(command, words)
  for _, word in ipairs(command.operands) do
    for _, text in ipairs(word.texts) do words[#words + 1] = common.base((text:gsub("[?#].*", ""))) end
  end
end
for name, named in pairs({ curl = "O remote-name remote-name-all", wget = false }) do
  local usual = targets[name]
  targets[name] = function(command)
    local words = usual(command)
    if named and shell.flag(command, named) or not named and not shell.flag(command, "O output-document") then fetched(command, words) end
    return words
  end
end

-- Commands of git that change the files they are given, with the options that leave
-- these alone.
local changes = { rm = "cached n dry-run", mv = "n dry-run", restore = "", checkout = "" }

function targets.git(command)
  local words = common.values(command, common.set "output o f file output-directory separate-git-dir")
  if command.sub == "clone" and #command.operands > 1 then words[#words + 1] = command.operands[2] end
  local leaves = changes[command.sub]
  for _, word in ipairs(leaves and not shell.flag(command, leaves) and command.operands or {}) do words[#words + 1] = word end
  return words
end

-- A move takes its sources away too.
function targets.mv(command)
  local words = { table.unpack(command.operands) }
  for _, word in ipairs(common.values(command, { t = true, ["target-directory"] = true })) do words[#words + 1] = word end
  return words
end

function targets.chmod(command) return { table.unpack(command.operands, 2) } end
targets.chown, targets.chgrp = targets.chmod, targets.chmod

-- The files that a script of sed writes to.
local function written_by_sed(command)
  local words = {}
  for _, word in ipairs(command.argv) do
    local file = (" " .. (word.text or "")):match("[%d$/|,#%s;}{gpIM]w%s+([^\n}]+)$")
    words[#words + 1] = file
  end
  return words
end

local function in_place(command)
  local include = shell.flag(command, "i in-place inplace include")
  if include and (not command.name:find("awk$") or type(include) == "table" and include.text == "inplace") then return command.operands end
  return command.name:find("sed$") and written_by_sed(command) or nil
end
for name in pairs(common.set "sed gsed perl ruby yq gawk awk") do targets[name] = in_place end

function targets.dd(command)
  local words = {}
  for _, word in ipairs(command.operands) do
    for _, text in ipairs(word.texts) do
      if text:find("^of=") then words[#words + 1] = text:sub(4) end
    end
  end
  return words
end

function targets.tar(command) return shell.flag(command, "x extract get") and common.values(command, { C = true, directory = true }) or nil end
targets["ssh-keygen"] = function(command)
  if not shell.flag(command, "l y F B e i L D") then return common.values(command, { f = true }) end
end
function targets.find(command)
  local words = common.values(command, common.set "fprint fprint0 fprintf fls")
  if not shell.flag(command, "delete") then return words end
  for i = 2, #command.argv do
    if (command.argv[i].text or ""):find("^[-(!]") then break end
    words[#words + 1] = command.argv[i]
  end
  return words
end

-- Programs that write to a device that they are given.
local disks = { "^mkfs", "^wipefs$", "^fdisk$", "^sfdisk$", "^sgdisk$", "^parted$", "^blkdiscard$", "^badblocks$", "^hdparm$", "^mkswap$", "^cryptsetup$", "^ddrescue$", "^dcfldd$", "^diskutil$" }

-- Programs that let somebody change a file, or that write one they are told of.
local editors = common.set "vim vi nvim nano emacs ed ex code subl patch crudini jq"

-- Programs that write to ~/.ssh without being told of it, with the option for it.
local ssh_writers = { ["ssh-keygen"] = "R", ["ssh-copy-id"] = "" }

-- Verbs of such programs that only look.
local looks_at_disk = common.set "list info status"

-- Programs that write the start-up files of shells by themselves: with a subcommand, if
-- one is given here.
local initializers = {
  conda = "init", mamba = "init", micromamba = "shell", volta = "setup", pipx = "ensurepath", pnpm = "setup", opam = "init", chsh = "",
  ["rustup-init"] = "", rye = "self", fzf = "install", sdk = "install",
}

local function judge_others(command, verdict)
  local verb = initializers[command.name]
  local given = command.sub or command.operands[1] and command.operands[1].text
  if verb == "" or verb and verb == given then verdict.ask(command.name .. " may write the start-up files of shells") end
  for _, pattern in ipairs(disks) do
    if command.name and command.name:find(pattern) and not shell.flag(command, "l list I i") then
      for _, word in ipairs(command.operands) do
        for _, text in ipairs(word.texts) do
          if text:find("^/dev/") and not looks_at_disk[command.operands[1].text] then verdict.deny(text .. " is a device") end
        end
      end
    end
  end
  local writes = ssh_writers[command.name]
  if writes and (writes == "" or shell.flag(command, writes)) then verdict.ask(command.name .. " changes who may log in, or which hosts are known") end
  if not editors[command.name] or command.name == "jq" then return end
  for _, list in ipairs({ command.operands, common.values(command, { f = true }) }) do
    for _, word in ipairs(list) do
      for _, place in ipairs(shell.places(command, word)) do
        if protected(place.path or "") or protected(place.real or "") then verdict.ask(place.text .. " may be changed") end
      end
    end
  end
end

-- Programs that take a patch as a word or by their input. Codex runs them itself, but
-- asks its hooks about a line of shell.
local patches = common.set "apply_patch applypatch"

local function judge_patch(command, verdict, line)
  local given = patches[command.name] and { table.unpack(command.operands) } or {}
  given[#given + 1] = patches[command.name] and command.input and command.input.text
  for _, word in ipairs(given) do
    if not word.known then verdict.ask "nobody can tell which files this patches" end
    for _, text in ipairs(common.texts(word)) do
      for path in (text .. "\n"):gmatch("%*%*%* %a+ %a+: ([^\n]-)%s*\n") do judge_word(command, path, verdict, line) end
    end
  end
end

local function judge_code(command, verdict)
  local code = common.code(command)
  for name in pairs(startup) do
    if code:find(name, 1, true) and code:find(name:gsub("%p", "%%%0") .. "%f[^%w_]") then verdict.ask("this program may write " .. name) end
  end
  for _, mark in ipairs({ "%.git/", "%.ssh", "%.claude", "%.dsh", "%.codex", "/dev/[sh]d", "/dev/nvme", "/etc/profile" }) do
    if code:find(mark) and not code:find("^%s*%f[%w]git%f[%W]") then verdict.ask "this program may write a protected file" end
  end
end

-- Containers, and the options that show them folders of this machine.
local containers = common.set "docker podman nerdctl docker-compose"
local mounts = common.set "v volume mount"

local function judge_mounts(command, verdict)
  for _, word in ipairs(containers[command.name] and common.values(command, mounts) or {}) do
    for _, text in ipairs(common.texts(word)) do
      local source = text:match("^([^:,=]+):") or text:match("source=([^,]+)") or text:match("src=([^,]+)")
      for _, place in ipairs(source and not text:find("[:,]ro%f[^%w]") and shell.places(command, source) or {}) do
        if protected(place.path or "") then verdict.ask("a container may change " .. source) end
      end
    end
  end
end

local writers = common.set "tee cp mv rm ln install truncate sed dd"

dsh.on("tools/pre-execute", { action = "shell", rule = "no-protected-write" }, function(call)
  return common.judge(call, function(command, verdict, line)
    if command.where == "container" then return end
    judge_mounts(command, verdict)
    for _, redirect in ipairs(command.redirects) do
      if redirect.kind == "write" or redirect.kind == "append" then judge_word(command, redirect.target, verdict, line) end
    end
    local find = targets[command.name]
    for _, word in ipairs(find and find(command) or {}) do judge_word(command, word, verdict, line) end
    if command.name == "cp" or command.name == "mv" or command.name == "install" or command.name == "ln" then
      -- Into a folder, under the name of the source.
      local given = common.values(command, { t = true, ["target-directory"] = true })[1]
      local target = given or command.operands[#command.operands]
      for _, source in ipairs((given or #command.operands > 1) and command.operands or {}) do
        if source ~= target and source.text and target.text and common.base(source.text) ~= ".git" then judge_word(command, target.text .. "/" .. common.base(source.text), verdict) end
      end
    end
    judge_others(command, verdict)
    judge_patch(command, verdict, line)
    judge_code(command, verdict)
  end, writers)
end)

dsh.on("tools/pre-execute", { action = { "write", "edit", "delete" }, rule = "no-protected-write-file" }, function(call)
  return common.judge_files(call, function(path, verdict, file)
    local why = file.change ~= "read" and protected(path)
    if why then verdict.deny(path .. " " .. why) end
  end)
end)
