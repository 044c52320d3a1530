-- Asks before a session destroys much in a short time.
--
-- One deletion is work, the tenth in ten minutes may be an agent that runs away.
-- Calls are counted whether they are allowed or not, and what only looks like a
-- deletion counts too: the worst that comes of it is a question.

local re = require "re"
local state = require "state"

local most = 10          -- calls that are not asked about
local window = 10 * 60   -- in which they are counted, in seconds

-- Where a command may begin: the line, an operator, or a program that runs others.
local begins = [[(?:^|[\n;&|({`]|\b(?:sudo|doas|xargs|exec|env|nohup|time|then|do|else)\s(?:\s*-\S+)*)\s*]]

local destroys = {
  begins .. [[\\?(?:\S*/)?(?:rm|rmdir|unlink|shred|truncate|dd|mkfs\S*|wipefs)\s]],
  [[\bfind\s.*\s-(?:delete|exec(?:dir)?\s+(?:\S*/)?rm)\b]],
  begins .. [[git\s(?:.*\s)?(?:reset\s.*--hard|clean\s|stash\s+(?:drop|clear)|branch\s.*-D|push\s.*(?:--force|--delete|-f\b))]],
  [[\b(?:kubectl|helm|terraform|docker|podman|aws|gcloud|az|gh)\s.*\b(?:delete|destroy|rm|rmi|prune|uninstall|terminate\S*)\b]],
  [[(?i)\b(?:drop\s+(?:table|database|schema)|truncate\s+table|delete\s+from)\b]],
}

local function judge()
  local count = state.session:incr("destroyed", 1, window)
  if count > most then
    return dsh.ask(("%d destructive calls within ten minutes; is that what you want?"):format(count))
  end
end

dsh.on("tools/pre-execute", { action = "delete", rule = "destructive-rate" }, judge)

dsh.on("tools/pre-execute", { action = "shell", rule = "destructive-rate-shell" }, function(call)
  if re.any(destroys, call.action.command) then return judge() end
end)
