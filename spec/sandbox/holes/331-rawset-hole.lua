-- category: memory
-- attack: huge index stored by rawset and table.insert
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local keep = {}
for i = 1, 1e6 do local t = {} rawset(t, 262143, 1) pcall(table.insert, t, 262143, 1) keep[i] = t end
return "SAFE"
