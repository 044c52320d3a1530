package document

// What scripts can use and what no point declares.

const luaHead = `---@meta dsh

-- Definitions for the Lua language server, derived from the declarations of the
-- extension points: "dsh spec luacats" prints them.

---What a script can reach of dsh.
dsh = {}

---Acts on the session that a payload belongs to. What the client cannot do
---raises an error.
---@class (exact) dsh.Live
local live = {}

---Adds a message to the next request to the model.
---@param message string|{ text: string }
function live:inject(message) end

---Asks for another step of this turn, in which the model sees the message.
---@param message string|{ text: string }
function live:steer(message) end

---Ends the turn. The reason is kept with it.
---@param reason string
function live:halt(reason) end

---Shows a text to the human, never to the model.
---@param text string
function live:tell(text) end

`

const luaFilters = `---Restricts a handler, and names it.
---@class (exact) dsh.Filter
---@field rule? string Names the handler where its answers are explained and logged; else it has the name of the file.
---@field raw? boolean If true, the answer stands as it is and is not joined with those of the handlers behind.

---Restricts a handler to payloads with certain names.
---@class (exact) dsh.MatchFilter: dsh.Filter
---@field match? string|string[] Patterns with *, ? and [] for the whole name: of the tool, the event, or what the point calls its subject.

---Restricts a handler to certain tools and actions.
---@class (exact) dsh.ToolFilter: dsh.MatchFilter
---@field tool? string|string[] Exact names of tools.
---@field action? dsh.ActionKind|dsh.ActionKind[] Kinds of actions, which fit every client.

---How the rest of the chain is asked once more.
---@class (exact) dsh.NextOptions
---@field timeout_ms? integer After how many milliseconds it is cancelled.

`

const luaOn = `---Attaches a handler to an extension point. It is called with a payload that
---cannot be changed, and returns an answer, or nothing if it has no opinion.
---
---At most points next() asks the handlers behind this one. An answer that was
---given without it is joined with theirs, and the stricter wins.
---
---Call it at file level, with a literal name and a literal filter, so that a file
---which does not concern an event need not be run.
`

const luaTail = `---Returns an answer like the given one, with some members replaced. Use it on
---what next() returned, which cannot be changed itself.
---@generic T: table
---@param answer T
---@param changes table
---@return T
function dsh.with(answer, changes) end

---Writes a line to the log of this run, where explanations show it.
---@param text string
function dsh.log(text) end

---Says whether whoever installed this script gave it a grant, such as "preapprove".
---Only a handler can ask.
---@param name string
---@return boolean
function dsh.granted(name) end

`
