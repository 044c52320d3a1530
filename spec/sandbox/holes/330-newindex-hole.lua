-- category: memory
-- attack: huge index stored through __newindex tables
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local keep, k = {}, 262000
for i = 1, 1e6 do local t = setmetatable({}, {__newindex = {}}) t[k + i % 100] = true keep[i] = t end
return "SAFE"
