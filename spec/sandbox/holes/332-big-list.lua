-- category: memory
-- attack: a list longer than the array part of tables
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local t = {}
for i = 1, 1e7 do t[#t + 1] = i end
return "SAFE"
