-- category: memory
-- attack: __concat that returns ever longer strings
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local mt = {}
mt.__concat = function(a, b) return setmetatable({}, mt) end
local v = setmetatable({}, mt)
for i = 1, 1e7 do v = v .. v .. v end
return "SAFE"
