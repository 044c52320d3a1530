-- Denies changes to what decides over an agent or over what a machine runs: the
-- insides of .git, the settings and policies of agents, keys, secrets, and the
-- start-up files of shells.

local function set(text)
  local members = {}
  for word in text:gmatch("%S+") do members[word] = true end
  return members
end

local folders = set ".git .dsh .codex .ssh"
local samples = set "example sample template dist" -- .env.example holds no secret
local startup = set [[
  .bash_aliases .bash_login .bash_logout .bash_profile .bashrc .cshrc .kshrc .login .logout .mkshrc
  .profile .tcshrc .zlogin .zlogout .zprofile .zshenv .zshrc config.fish ]]

-- What programs do with the files they are given; of others nobody knows.
local changing = set [[
  chgrp chmod chown cp dd install ln mv rm rmdir rsync shred tee touch truncate unlink ]]
local reading = set [[
  basename cat cd cksum cmp cut diff dirname du echo egrep fgrep file grep head jq ls md5sum nl od
  printf pwd readlink realpath sha256sum stat strings tail test true type wc which ]]
local in_place = set "gsed perl sed" -- these change files if they are told to with -i

local function within(path, folder)
  return folder == "/" or (path .. "/"):sub(1, #folder + 1) == folder .. "/"
end

-- Some file systems do not tell upper from lower case, so neither does this.
local function project_of(call) return (call.session.project or call.session.cwd or "/"):lower() end

local function protected(path, project)
  local name = path:lower()
  for part in name:gmatch("[^/]+") do
    if folders[part] then return true end
  end
  if name:find("/%.claude$") or name:find("/%.claude/settings[^/]*%.json$") then return true end
  local folder, base = name:match("^(.*)/([^/]*)$")
  if base == ".env" or base:find("^%.env%.") then return not samples[base:match("[^.]*$")] end
  -- Where the home is cannot be known here, only that no folder of the project is one.
  return startup[base] and (folder == project or project == "/" or not within(folder, project))
end

local function refuse(path) return dsh.deny(path .. " is protected; ask the human to change it") end

dsh.on("tools/pre-execute", { action = { "write", "edit", "delete" }, rule = "protected-paths" }, function(call)
  local unseen = call.action.partial and "not every file of this call can be seen"
  for _, file in ipairs(call.action.files) do
    for _, path in ipairs { file.path, file.real } do -- the target of a link counts, as does the link
      if protected(path, project_of(call)) then return refuse(path) end
    end
    unseen = unseen or not file.real and "nobody can tell where " .. file.path .. " leads"
  end
  return unseen and dsh.ask(unseen) or nil
end)

-- The words of a line without any character that means something to a shell; nil
-- for any other line. In zsh "=" does, where a word begins with it.
local function words_of(line)
  if line:find("[^%w_%-./=:@%%+ \t]") or (" " .. line):find("[ \t]=") then return nil end
  local words = {}
  for word in line:gmatch("%S+") do words[#words + 1] = word end
  return words
end

local function absolute(word, cwd)
  local parts = {}
  for part in (word:find("^/") and word or cwd .. "/" .. word):gmatch("[^/]+") do
    if part == ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return "/" .. table.concat(parts, "/")
end

-- A word names a path as it stands, as --output=PATH or of=PATH, or as -oPATH.
local function names(word, cwd, fits)
  for _, pattern in ipairs { "^.+$", "=(.+)$", "^%-%a(.+)$" } do
    local path = word:match(pattern)
    if path and fits(absolute(path, cwd)) then return true end
  end
  return false
end

dsh.on("tools/pre-execute", { action = "shell", rule = "protected-paths-shell" }, function(call)
  local line, cwd, project = call.action.command, call.action.cwd or call.session.cwd, project_of(call)
  local words = cwd and not call.action.partial and words_of(line)
  if not words then
    return dsh.ask "only a plain list of words can be judged; look whether this line changes a protected file"
  end
  local program = (words[1] or ""):match("[^/]*$")
  local changes = changing[program] or in_place[program] and (line:find("%s%-%a*i") or line:find("%s%-%-in"))
  local function fits(path)
    return protected(path, project) or program == "rm" and within(project, path:lower())
  end
  local answer
  for i = 2, reading[program] and 0 or #words do
    if names(words[i], cwd, fits) then
      if changes then return refuse(words[i]) end
      answer = dsh.ask(program .. " may change " .. words[i] .. ", which is protected")
    end
  end
  return answer
end)
