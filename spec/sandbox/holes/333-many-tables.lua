-- category: memory
-- attack: small tables with one field each, kept
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local keep = {}
for i = 1, 1e7 do local t = {} t.x = i keep[i] = t end
return "SAFE"
