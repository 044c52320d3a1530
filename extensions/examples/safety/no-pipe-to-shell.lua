-- Denies running what was downloaded or decoded, without anybody having looked at
-- it: through a pipe, a substitution, or a file that the same line writes.

local common = require "common"
local shell = require "shell"

local downloads = common.set "curl wget wget2 aria2c fetch http https httpie xh lynx links w3m nc ncat netcat socat ftp tftp telnet"
local decoders = common.set "base64 base32 basenc xxd uudecode gunzip zcat bzcat xzcat unxz bunzip2 gzip bzip2 xz zstd zstdcat gpg openssl rev tr"
local shells = common.set "sh bash zsh dash ksh mksh ash fish yash rbash csh tcsh posh nu xonsh elvish eval source . trap at batch crontab su"
local packages = common.set "npx bunx pnpx uvx"

-- Tools that projects have among their own packages, where npx and its like find them
-- before they look elsewhere.
local installed = common.set [[
  astro ava babel biome c8 changeset commitlint cspell cypress cucumber-js depcheck drizzle-kit electron-builder esbuild eslint
  expo gulp husky jest knex knip lerna lint-staged markdownlint mocha next ng nest nodemon nuxt nx nyc oxlint playwright
  postcss prettier prisma pm2 react-scripts remix rollup rspack sequelize storybook stylelint svelte-check svelte-kit swc
  tailwindcss tap ts-jest ts-node tsc tsup tsx turbo typedoc typeorm vite vite-node vitest vue-tsc webpack wrangler xo ]]

-- Whether a redirection of a command is a connection to another machine.
local function talks(command)
  for _, redirect in ipairs(command.redirects) do
    for _, text in ipairs(common.texts(redirect.target)) do
      if text:find("^/dev/tcp/") or text:find("^/dev/udp/") then return true end
    end
  end
end

-- Whether a command gets something from another machine.
local function is_download(command)
  if downloads[command.name] then return true end
  if command.name == "scp" or command.name == "rsync" then
    for i = 1, #command.operands - 1 do
      if (common.texts(command.operands[i])[1] or ""):find("^[^/]*:") then return true end
    end
  end
  local sub, verb = command.sub, command.operands[1] and command.operands[1].text
  if command.name == "gh" then return sub == "api" or sub == "gist" and verb == "view" or sub == "release" and verb == "download" end
  if command.name == "aws" then return sub == "s3" and verb == "cp" end
  if command.name == "gsutil" then return true end
  return talks(command)
end

local function is_decoder(command)
  if not decoders[command.name] then return false end
  if command.name == "base64" or command.name == "base32" or command.name == "basenc" then return shell.flag(command, "d D decode") and true end
  if command.name == "xxd" then return shell.flag(command, "r") and true end
  if command.name == "gzip" or command.name == "bzip2" or command.name == "xz" or command.name == "zstd" then return shell.flag(command, "d decompress c") and true end
  return true
end

-- Calls look for every command that a list of places leads back to.
local function trace(line, from, look, seen)
  for _, at in ipairs(from) do
    local command = line.commands[at]
    if command and not seen[at] then
      seen[at] = true
      look(command)
      if command.input then trace(line, command.input.from, look, seen) end
      for _, word in ipairs(command.argv) do trace(line, word.from, look, seen) end
      for _, redirect in ipairs(command.redirects) do
        if redirect.kind ~= "write" and redirect.kind ~= "append" then trace(line, redirect.target.from, look, seen) end
      end
      trace(line, command.scripts, look, seen)
    end
  end
end

-- Variables that name a file which shells run when they start.
local starts = common.set "BASH_ENV ENV"

-- The files by which a script is read from the standard input.
local standard = common.set "- /dev/stdin /dev/fd/0 /proc/self/fd/0"

-- Shells that are given their commands as a text; further words are only data for them.
local takes_text = common.set "sh bash zsh dash ksh mksh ash yash rbash"

-- The places of the commands whose output a command runs, as lists.
local function sources(command)
  local lists = {}
  local function add(list) lists[#lists + 1] = list end
  if shells[command.name] and shell.flag(command, "n noexec") and not command.wrapper then return lists end
  add(command.scripts)
  for _, assign in ipairs(command.assigns) do
    if starts[assign.name] then add(assign.value.from) end
  end
  if command.script then add(command.script.from) end
  for _, code in ipairs(command.code) do add(code.text.from) end
  if #command.code > 0 or not shells[command.name] and not command.opaque then return lists end
  local script = command.script and not standard[command.script.text]
  local text = takes_text[command.name] and shell.flag(command, "c command") and command.operands[1]
  for _, word in ipairs(text and { text } or script and {} or command.argv) do add(word.from) end
  if command.input and not script and not shell.flag(command, "c command") then
    add(command.input.from)
    add(command.input.text.from)
  end
  return lists
end

-- Whether npx, or what is like it, runs a tool that the project has: one of those,
-- without a version, and without the order to get it.
local function has_tool(command)
  if command.name ~= "npx" and command.name ~= "bunx" and command.sub ~= "exec" and command.sub ~= "x" then return false end
  if shell.flag(command, "y yes p package") then return false end
  local tool = command.operands[1]
  return tool and tool.text and installed[tool.text]
end

local function judge_runner(command, verdict)
  local sub, verb = command.sub, command.operands[1] and command.operands[1].text
  local name = command.name
  local runs = packages[name]
    or name == "npm" and (sub == "exec" or sub == "x") -- the others have exec for what is there already
    or (name == "npm" or name == "yarn" or name == "pnpm") and (sub == "dlx" or sub == "create" or sub == "init" and verb)
    or name == "bun" and (sub == "x" or sub == "create")
    or name == "pipx" and verb == "run" or name == "uv" and verb == "tool"
    or name == "go" and sub == "run" and (verb or ""):find("@")
    or name == "nix" and verb == "run"
  if runs and not has_tool(command) then verdict.ask "this downloads a package and runs it" end
  local script = command.script
  for _, text in ipairs(script and common.texts(script) or {}) do
    if text:find("^%a+://") then verdict.deny(text .. " is run without anybody having looked at it") end
  end
  for _, word in ipairs((name == "deno" or name == "bun") and command.operands or {}) do
    if (word.text or ""):find("^https?://") then verdict.deny(word.text .. " is run without anybody having looked at it") end
  end
end

local function judge_code(command, verdict)
  local code = common.code(command, true)
  local gets = code:find("urlopen") or code:find("requests%.get") or code:find("fetch%s*%(") or code:find("https?://")
    or code:find("%f[%w]curl ") or code:find("%f[%w]wget ") or code:find("DownloadString") or code:find("[Ii]nvoke%-[Ww]eb") or code:find("iwr ") or code:find("irm ") or code:find("b64decode") or code:find("base64")
  local runs = code:find("exec") or code:find("eval") or code:find("system") or code:find("subprocess") or code:find("[Ii]nvoke%-[Ee]xpression")
    or code:find("iex") or code:find("spawn") or code:find("popen")
  if gets and runs then verdict.ask "this program may run what it downloads" end
end

-- Whether the line gets a repository or an archive before the command at a place.
local function fetched_before(line, at)
  for i = 1, at - 1 do
    local command = line.commands[i]
    if common.is_git(command) and command.sub == "clone" then return true end
    if (command.name == "tar" or command.name == "unzip") and command.input and command.input.kind == "pipe" then return true end
  end
end

local builds = common.set "make cmake npm yarn pnpm pip pip3 python python3 node bash sh zsh source . cargo go"

local function judge(command, verdict, line, at)
  local seen = {}
  for _, list in ipairs(sources(command)) do
    trace(line, list, function(source)
      if is_download(source) then
        verdict.deny("what " .. source.name .. " downloads is run without anybody having looked at it; save it, read it, then run it")
      elseif is_decoder(source) then
        verdict.deny("what " .. source.name .. " decodes is run without anybody having looked at it")
      end
    end, seen)
  end
  if command.opaque and next(seen) == nil then
    for _, other in ipairs(line.commands) do
      if is_download(other) and command.substitution then verdict.deny "what is downloaded is run without anybody having looked at it" end
    end
  end
  if shells[command.name] and talks(command) then verdict.deny "commands from another machine are run without anybody having looked at them" end
  judge_runner(command, verdict)
  judge_code(command, verdict)
  local path = command.argv[1] and (command.argv[1].text or ""):find("/") and not (command.argv[1].text or ""):find("^/")
  if (path or builds[command.name]) and fetched_before(line, at) then
    verdict.ask "this may run what the line has just fetched"
  end
end

dsh.on("tools/pre-execute", { action = "shell", rule = "no-pipe-to-shell" }, function(call)
  return common.judge(call, judge)
end)
