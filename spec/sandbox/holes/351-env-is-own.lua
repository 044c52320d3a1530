-- category: tamper
-- attack: overwrite everything in the environment and in _G
-- unsafe: the next script sees something changed
-- safe: an error; nothing is changed
-- expect: any
for _, k in ipairs({"type", "pairs", "string", "table", "math", "error", "pcall", "_G", "next", "tostring"}) do _G[k] = function() return "evil" end rawset(_G, k, 1) end
LEAK, leaked = 1, 2
setmetatable(_G, nil)
