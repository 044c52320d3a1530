-- category: memory
-- attack: huge index in a table constructor, kept
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local keep, k = {}, 262143
for i = 1, 1e6 do keep[i] = {[k] = true} end
return "SAFE"
