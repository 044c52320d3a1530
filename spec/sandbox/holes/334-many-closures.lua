-- category: memory
-- attack: closures over boxed variables, kept
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local keep = {}
for i = 1, 1e7 do local x = i keep[i] = function() x = x + 1 return x end end
return "SAFE"
