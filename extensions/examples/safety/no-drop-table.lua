-- Denies calls of SQL clients that drop or empty tables, schemas or databases.
--
-- The statements are read, not searched: what stands in a string or a comment is
-- not run.

local common = require "common"
local shell = require "shell"

-- Clients, and the options that give them statements or the name of a file.
local clients = {
  psql = { text = "c command", file = "f file" }, usql = { text = "c command", file = "f file" }, pgcli = { text = "c command execute e", file = "f file" },
  mysql = { text = "e execute init-command" }, mariadb = { text = "e execute init-command" }, mycli = { text = "e execute" },
  sqlite3 = { text = "cmd c", operands = 2, file = "init" }, sqlite = { text = "cmd", operands = 2 }, litecli = { text = "e execute", operands = 2 }, duckdb = { text = "c cmd s", operands = 2, file = "init f" },
  sqlcmd = { text = "Q q", file = "i" }, ["clickhouse-client"] = { text = "q query", file = "queries-file" }, clickhouse = { text = "q query" },
  cockroach = { text = "e execute", file = "f file" }, cqlsh = { text = "e execute", file = "f file" }, trino = { text = "execute e", file = "f file" }, presto = { text = "execute" },
  hive = { text = "e", file = "f" }, beeline = { text = "e", file = "f" }, ["spark-sql"] = { text = "e", file = "f" }, bq = { sub = "query", text = "query", operands = 2 },
  snowsql = { text = "q query", file = "f filename" }, snow = { text = "q query", file = "f filename" }, sqlplus = { operands = 1, reads = true }, isql = {}, osql = { text = "Q q", file = "i" }, tsql = {}, db2 = { operands = 1 },
}

-- Commands of frameworks and servers that drop or empty what they manage.
local resets = {
  "manage%.py flush", "manage%.py reset_db", "manage%.py sqlflush", "django%-admin flush", "db:drop", "db:reset", "db:wipe", "db:truncate", "db:schema:load", "db:setup", "db:purge",
  "migrate:fresh", "migrate:reset", "migrate:refresh", "migrate reset", "schema:drop", "database:drop", "database drop", "database reset", "db reset", "db drop", "pg:reset", "ecto%.drop", "ecto%.reset", "flyway .*clean", "liquibase .*drop%-?[aA]ll", "migrate [%w_]+ zero",
  "%-%-force%-reset", "downgrade base", "rollback %-%-all", "dropDatabase", "flushall", "flushdb", "FLUSHALL", "FLUSHDB", "delete_all", "destroy_all", "down .*%-v", "down .*%-%-volumes", "volume rm", "volume prune", "^bq .*rm .*%-t", "^bq .*rm .*%-%-table", "^bq .*rm .*%-[rd]", "db push .*%-%-accept%-data%-loss",
}

-- Programs whose words are only text.
local inert = common.set "echo printf git gh hub glab grep egrep fgrep rg ag ack sed awk gawk jq yq cat head tail tee cut sort uniq wc tr nl less more diff curl wget http https xh logger notify-send mail pytest jest vitest ls find fd man commit true test [ read export code vim make"

local drops = { TABLE = true, SCHEMA = true, DATABASE = true, OWNED = true, KEYSPACE = true, TABLESPACE = true }

-- The statements of a text, in upper case, without comments, strings and quoted names.
local function statements(text)
  text = text:gsub("/%*!%d*(.-)%*/", " %1 "):gsub("/%*.-%*/", " ")
  text = text:gsub("\\'", ""):gsub("''", ""):gsub("'[^']*'", " '' "):gsub("%-%-[^\n]*", " "):gsub("\n%s*#[^\n]*", " ")
  text = text:gsub('"[^"]*"', " x "):gsub("`[^`]*`", " x "):gsub("%[[^%]]*%]", " x "):upper()
  local list = {}
  for statement in (text .. ";"):gmatch("([^;]*);") do
    list[#list + 1] = " " .. statement:gsub("[%s()]+", " ") .. " "
  end
  return list
end

-- What is wrong with a text of SQL: "deny" or "ask" and why, or nil.
local function judge_sql(text)
  local asked
  for _, statement in ipairs(statements(text)) do
    for what in statement:gmatch("%f[%w_]DROP (%u+)") do
      if drops[what] then return "deny", "DROP " .. what end
      if what == "MATERIALIZED" or what == "VIEW" or what == "EXTENSION" or what == "USER" or what == "COLUMN" or what == "PARTITION" or what == "CONSTRAINT" then asked = "DROP " .. what end
    end
    for what in statement:gmatch("%f[%w_]DROP FOREIGN (%u+)") do
      if drops[what] then return "deny", "DROP FOREIGN TABLE" end
    end
    if statement:find("%f[%w_]TRUNCATE%f[^%w_]") then return "deny", "TRUNCATE" end
    local from = statement:match("%f[%w_]DELETE FROM (.*)$") or statement:match("^ DELETE (.*)$")
    if from and not from:find("%f[%w_]WHERE%f[^%w_]") then return "deny", "DELETE without WHERE" end
    if from and (from:find("WHERE TRUE ") or from:find("WHERE '' ?= ?'' ") or from:find("WHERE 1 ?= ?1") or from:find("WHERE 1 $")) then return "deny", "DELETE of every row" end
    if statement:find("OR REPLACE TABLE") or statement:find("%f[%w_]UNDROP") or statement:find("DETACH PARTITION") then asked = "replacing a table" end
    if statement:find("%f[%w_]EXECUTE%f[^%w_]") or statement:find("%f[%w_]PREPARE%f[^%w_]") then
      if text:upper():find("DROP") or text:upper():find("TRUNCATE") then asked = "a statement that is made at run time" end
    end
  end
  for _, mark in ipairs({ "^%s*\\[io!]", "\n%s*\\[io!]", "\\ir?%s", "^%s*%.read", "\n%s*%.read", "^%s*source%s", "\n%s*source%s", "^%s*\\%." , "^%s*@", "\\gexec"}) do
    if text:find(mark) then asked = "a file of statements" end
  end
  if asked then return "ask", asked end
end

local function judge_word(word, verdict, what)
  for _, text in ipairs(common.texts(word)) do
    local answer, why = judge_sql(text)
    if answer == "deny" then return verdict.deny(why .. " loses data; ask the user to run it") end
    if answer == "ask" then verdict.ask(why .. " may lose data") end
  end
  if not word.known then verdict.ask(what .. " is not known") end
end

-- Whether the client is told what to run by its words alone.
local function judge_client(command, client, verdict)
  local told = false
  for _, option in ipairs(command.options) do
    if option.value and common.set(client.text or "")[option.name] then
      told = true
      judge_word(option.value, verdict, "the statement")
    elseif option.value and common.set(client.file or "")[option.name] then
      told = true
      verdict.ask "the statements are in a file"
    end
  end
  for i = client.operands or 9, #command.operands do
    told = true
    judge_word(command.operands[i], verdict, "the statement")
  end
  if command.unsure and not told then verdict.ask "a word that is not known may be a statement" end
  if command.input and (client.reads or not told) then judge_word(command.input.text, verdict, "what the client reads") end
end

local function words_of(command)
  local words = {}
  for _, word in ipairs(command.argv) do words[#words + 1] = word.text or "?" end
  return table.concat(words, " ")
end

local mongo = common.set "mongosh mongo redis-cli valkey-cli"

local function judge_others(command, verdict)
  if command.name == "dropdb" then return verdict.deny "dropdb drops a database" end
  if command.name == "mysqladmin" then
    for _, word in ipairs(command.operands) do
      if word.text == "drop" then return verdict.deny "mysqladmin drops a database" end
    end
  end
  if command.name == "pg_restore" and shell.flag(command, "c clean") then verdict.ask "this drops what it restores" end
  if not command.name or inert[command.name] then return end
  local line = words_of(command)
  for _, pattern in ipairs(resets) do
    if line:find(pattern) then return verdict.ask "this drops or empties tables" end
  end
  if mongo[command.name] and (line:find("%.drop%(") or line:find("deleteMany%(%s*{%s*}") or line:find("remove%(%s*{%s*}")) then verdict.ask "this drops or empties collections" end
  if command.wrapper then return end
  for _, text in ipairs(command.input and common.texts(command.input.text) or {}) do
    if judge_sql(text) == "deny" then verdict.ask "this may run statements that lose data" end
  end
  for i, word in ipairs(command.argv) do
    for _, text in ipairs(i > 1 and word.texts or {}) do
      text = text:match("^%-%-[%w-]+=(.*)$") or text
      local first = (text:match("^%s*(%a+)%s") or ""):upper()
      local sql = first == "DROP" or first == "TRUNCATE" or first == "DELETE" or first == "ALTER" or first == "BEGIN" or first == "WITH"
      local code = #command.code == 0 and (text:upper():find("[('\"][^(]*DROP TABLE") or text:upper():find("[('\"][^(]*TRUNCATE TABLE"))
      if code or sql and judge_sql(text) then verdict.ask "this looks like a statement that loses data" end
    end
  end
end

local function judge(command, verdict)
  local client = clients[command.name]
  local verb = command.operands[1] and command.operands[1].text
  if client and client.sub and verb ~= client.sub then client = nil end
  if command.name == "heroku" and command.sub == "pg:psql" then client = clients.psql end
  if client then
    judge_client(command, client, verdict)
  else
    judge_others(command, verdict)
  end
  local code = common.code(command, true):upper()
  if code:find("DROP%s+TABLE") or code:find("DROP%s+SCHEMA") or code:find("DROP%s+DATABASE") or code:find("TRUNCATE%s+TABLE") or code:find("DELETE%s+FROM%s+[%w_.]+%s*['\";]")
    or code:find("DROP_ALL") or code:find("DELETE_ALL") or code:find("DROPDATABASE") then
    verdict.ask "this program may drop or empty tables"
  end
end

dsh.on("tools/pre-execute", { action = "shell", rule = "no-drop-table" }, function(call)
  return common.judge(call, judge)
end)
