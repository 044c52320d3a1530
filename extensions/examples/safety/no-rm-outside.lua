-- Denies the recursive deletion of anything outside the project.
--
-- What counts is where a path really is: after cd, through variables and links.
-- Named directories below the folders for temporary files may go.

local common = require "common"
local shell = require "shell"

local temporary = { "/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp" }

local programs = common.set "rimraf del-cli trash trash-put gtrash"
local finders = common.set "find gfind bfs fd fdfind xargs gxargs parallel"
local flags_that_mount = "v volume mount volumes-from privileged device pid"

-- How deletion looks in other languages, and how they run other programs.
local deletes = {
  "rmtree", "remove_tree", "rm_rf", "rm_r%f[%W]", "rmSync", "rmdirSync", "fs%.rm%f[%W]", "promises%.rm%f[%W]", "rimraf",
  "unlink%(.*recursive", "%f[%w]rm%(.*recursive", "file%s+delete", "delete%-directory", "delete%(.*['\"]rf['\"]", "RemoveAll", "remove_dir_all", "[Rr]emove%-[Ii]tem", "FileUtils%.rm", "delete_tree", "recursive%s*:%s*true", "deltree",
}
local singles = { "unlink", "os%.remove", "File%.delete", "[^%w]rmdir", "fs%.rm", "delete%-file" }
local walks = { "walk", "glob", "listdir", "scandir", "iterdir", "readdir", "Dir%W", "Find%f[%W]", "finddepth", "ReadDir", "WalkDir", "readdirSync", "directory%-files", "</" }
local runs = { "system", "popen", "exec", "spawn", "subprocess", "run%s*%(", "`", "%%x", "qx", "Process", "shell", "getline", "call%-process" }

local function any(text, patterns)
  for _, pattern in ipairs(patterns) do
    if text:find(pattern) then return true end
  end
end

local function is_temporary(place, folder)
  for _, root in ipairs(temporary) do
    if common.inside(folder, root) and (folder ~= root) then return true end
  end
end

-- "inside", "project", "outside" or nil, if nobody can tell.
local function judge_place(place, project, real_project)
  local path = place.glob and place.real or place.entry
  if not path or place.glob and place.glob:find("..", 1, true) then return nil end
  for _, root in ipairs({ project, real_project }) do
    if path == root then return place.glob and "inside" or "project" end
    if common.inside(path, root) then return "inside" end
  end
  return is_temporary(place, path) and "inside" or "outside"
end

-- Whether what a link stands for, or was moved, comes from the project.
local function from_inside(link, project)
  local places, known = shell.places(link.command, link.source)
  for _, place in ipairs(places) do
    if judge_place(place, project, project) ~= "inside" then return false end
  end
  return known
end

local function leads_through(place, made, project)
  for _, link in ipairs(made) do
    local path = place.path
    local mounted = link.command.name ~= "ln"
    local harmless = link.command.name == "mv" and from_inside(link, project)
    if path and not harmless and link.path and common.inside(path, link.path) and (mounted or path ~= link.path or place.glob or place.text:find("/$")) then
      return link.path
    end
  end
end

local function found_by_search(command)
  for _, name in ipairs(command.via) do
    if finders[name] then return true end
  end
end

-- Whether a search of the line goes through links, out of the folders where it begins.
local function follows_links(line)
  for _, command in ipairs(line.commands) do
    for _, word in ipairs(finders[command.name] and command.argv or {}) do
      if word.text == "-L" or word.text == "-follow" or word.text == "--follow" then return true end
    end
  end
end

-- Whether a word that is not known is outside the project all the same, since it begins
-- with a folder from which no name leads into it, nor to one for temporary files.
local function is_elsewhere(command, word, project)
  local dir = type(word) ~= "string" and (word.prefix or ""):match("^(.*/)")
  local real = dir and shell.places(command, dir)[1].real
  if not real or common.inside(project, real) or common.inside(real, project) then return false end
  for _, root in ipairs(temporary) do
    if common.inside(root, real) or common.inside(real, root) then return false end
  end
  return true
end

-- Judges the deletion of a word by a command.
local function judge_target(command, word, verdict, call, line)
  local project = call.session.project or call.session.cwd
  if not project then return verdict.ask "the project is not known" end
  local real = shell.places(command, project)[1].real or project
  local within = type(word) == "string" and word:match("^(.*)/%*$") -- all that is in a folder
  local places, known = shell.places(command, within and within .. "/" or word)
  for _, place in ipairs(within and places or {}) do place.glob, place.text = "*", word end
  local made = common.links_made(line)
  for _, place in ipairs(places) do
    local link = leads_through(place, made, project)
    if link then verdict.ask(place.text .. " is behind the link " .. link .. ", which this line makes or moves") end
    if place.glob and found_by_search(command) and (place.text:find("/$") or follows_links(line)) then verdict.ask(place.text .. " follows the links that are found") end
    local is = place.text == "" and "inside" or judge_place(place, project, real)
    if is == "outside" then
      return verdict.deny(place.text .. " is outside the project; delete only what is in " .. project)
    elseif is == "project" then
      verdict.ask "this deletes the whole project"
    elseif not is then
      verdict.ask("nobody can tell where " .. place.text .. " is")
    end
  end
  local single = word.many and #word.texts > 0 and not shell.flag(command, "r R recursive") -- names of files, split at blanks
  if not known and is_elsewhere(command, word, real) then
    verdict.deny(word.prefix .. "… is outside the project; delete only what is in " .. project)
  end
  if not known and not single then verdict.ask("nobody can tell what " .. (word.raw or "this") .. " stands for") end
end

-- A machine or container that is not this one has no project.
local function judge_elsewhere(command, word, verdict, line)
  if command.where == "remote" then
    for _, text in ipairs(common.texts(word)) do
      if text:sub(1, 1) == "/" and not is_temporary(nil, text) then
        return verdict.deny(text .. " is on another machine, outside the project")
      end
    end
    return verdict.ask "this deletes on another machine"
  end
  for _, outer in ipairs(line.commands) do
    local container = outer.wrapper and (outer.name == "docker" or outer.name == "podman" or outer.name == "nerdctl")
    if container and outer.sub == "run" and not shell.flag(outer, flags_that_mount) then return end
  end
  verdict.ask "this deletes in a container, which may share folders with this machine"
end

local function judge_words(command, words, verdict, call, line)
  for _, word in ipairs(words) do
    if command.where then
      judge_elsewhere(command, word, verdict, line)
    else
      judge_target(command, word, verdict, call, line)
    end
  end
end

-- The operands of find in front of its expression.
local function roots(command)
  local words = {}
  for i = 2, #command.argv do
    local word = command.argv[i]
    local first = (common.texts(word)[1] or ""):sub(1, 1)
    if first == "-" or first == "(" or first == "!" then
      if #words > 0 or first ~= "-" or not (word.text or ""):find("^%-[HLP]$") then break end
    else
      words[#words + 1] = word
    end
  end
  if #words == 0 then words[1] = "." end
  return words
end

-- What each program deletes: a list of words.
local targets = {}

function targets.rm(command, verdict)
  local recursive = shell.flag(command, "r R recursive")
  if recursive or found_by_search(command) then return command.operands end
  if command.unsure then verdict.ask "a word that is not known may make this rm recursive" end
end

-- Tests of find that the folder where it begins does not pass, or few of its files.
local selecting = "name iname path ipath wholename regex iregex mindepth newer mtime mmin ctime cmin atime amin empty size xtype lname"

targets.srm, targets.wipe = targets.rm, targets.rm

function targets.find(command)
  if not shell.flag(command, "delete") then return nil end
  local words = roots(command)
  local kind = shell.flag(command, "type")
  local selects = shell.flag(command, selecting) or type(kind) == "table" and kind.text ~= "d"
  if not selects then return words end
  local within = {}
  for i, word in ipairs(words) do
    local text = type(word) == "string" and word or word.text
    within[i] = text and (text:gsub("/+$", "")) .. "/*" or word
  end
  return within
end
targets.gfind, targets.bfs = targets.find, targets.find

function targets.rsync(command, verdict)
  if shell.flag(command, "n dry-run") then return nil end
  local last = command.operands[#command.operands]
  for _, option in ipairs(command.options) do
    if last and option.name:find("^del") then
      if (common.texts(last)[1] or ""):find("^[^/]*:") then return verdict.ask "this deletes on another machine" end
      return { last }
    end
    if option.name == "remove-source-files" then return { table.unpack(command.operands, 1, #command.operands - 1) } end
  end
end

-- Programs that delete what they have packed or sent, with the option that says so and
-- how many of the operands in front are something else.
local packers = {
  tar = { "remove-files", 0 }, gtar = { "remove-files", 0 }, bsdtar = { "remove-files", 0 }, zip = { "m move", 1 },
  ["7z"] = { "sdel", 2 }, ["7za"] = { "sdel", 2 }, ["7zz"] = { "sdel", 2 }, rar = { "df", 2 },
}
for name, packer in pairs(packers) do
  targets[name] = function(command)
    if not shell.flag(command, packer[1]) then return nil end
    local words = { table.unpack(command.operands, packer[2] + 1) }
    for _, dir in ipairs(common.values(command, { C = true, directory = true })) do words[#words + 1] = dir end
    return words
  end
end

function targets.cmake(command)
  local verb = shell.flag(command, "E") and command.operands[1] and command.operands[1].text
  if verb == "remove_directory" or verb == "rm" and shell.flag(command, "r R") then return { table.unpack(command.operands, 2) } end
end

function targets.gio(command)
  local verb = command.operands[1] and command.operands[1].text
  if verb == "trash" or verb == "remove" then return { table.unpack(command.operands, 2) } end
end

-- The folders that a git command takes for the files of the repository.
local function work_trees(command)
  local trees = {}
  for _, option in ipairs(command.before) do
    if option.name == "work-tree" and option.value then trees[#trees + 1] = option.value end
  end
  for _, assign in ipairs(command.assigns) do
    if assign.name == "GIT_WORK_TREE" then trees[#trees + 1] = assign.value end
  end
  return trees
end

function targets.git(command)
  if command.sub == "worktree" and command.operands[1] and command.operands[1].text == "remove" and shell.flag(command, "f force") then
    return { table.unpack(command.operands, 2) }
  end
  if command.sub == "clean" and shell.flag(command, "f force") and not shell.flag(command, "n dry-run") then
    local trees = work_trees(command)
    if #trees > 0 then return trees end
    return #command.operands > 0 and command.operands or { "./*" }
  end
end

function targets.mv(command, verdict)
  local last = command.operands[#command.operands]
  if last and last.text == "/dev/null" then verdict.ask "this moves a file to nowhere" end
end

-- Deletion in stores that are no file systems, and of file systems and users as a whole.
local stores = {
  "^aws .*s3 rm .*%-%-recursive", "^aws .*s3 sync .*%-%-delete", "^gsutil .*rm .*%-[rR]", "^gsutil .*rsync .*%-d", "^gcloud storage rm .*%-[rR]", "^rclone [%w%-]* ?purge", "^rclone delete ",
  "^rclone sync ", "^azcopy re?m", "^mc rm .*%-r", "^s3cmd del .*%-r", "^hdfs dfs %-rm", "^hadoop fs %-rm", "^ansible .*state=absent", "^zfs destroy", "^btrfs subvolume delete",
  "^userdel .*%-r", "^deluser .*%-%-remove",
}

local function judge_store(command, verdict)
  local text = {}
  for _, word in ipairs(command.argv) do text[#text + 1] = word.text or "?" end
  local line = table.concat(text, " ")
  for _, pattern in ipairs(stores) do
    if line:find(pattern) then verdict.ask "this deletes a tree outside the project" end
  end
end

local function judge_code(command, verdict, call, line)
  for _, part in ipairs(command.code) do
    for _, text in ipairs(part.language == "powershell" and common.texts(part.text) or {}) do
      if text:lower():find("%f[%w]r[mdi]%f[%W].*%-r") then verdict.ask "this program deletes folders; look which" end
    end
  end
  local code = common.code(command, true)
  local deleting = any(code, deletes) or any(code, singles) and any(code, walks)
  if deleting then
    for quoted in code:gmatch("['\"`](/[^'\"`]*)['\"`]") do
      judge_target(command, quoted, verdict, call, line)
    end
    verdict.ask "this program deletes folders; look which"
  elseif any(code, runs) and (code:find("%f[%w]rm%f[%W]") or code:find("%f[%w]find%f[%W].*%-delete")) then
    verdict.ask "this program may run rm"
  end
end

local removers = common.set "rm rimraf srm wipe find"

dsh.on("tools/pre-execute", { action = "shell", rule = "no-rm-outside" }, function(call)
  return common.judge(call, function(command, verdict, line)
    local find = targets[command.name]
    local words = find and find(command, verdict)
    if programs[(command.name or ""):match("^[^@]*")] then
      words = command.operands
    end
    if words then judge_words(command, words, verdict, call, line) end
    judge_store(command, verdict)
    judge_code(command, verdict, call, line)
  end, removers)
end)
