-- category: memory
-- attack: tables of thousands of varargs, kept
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local keep = {}
local t = {}
for i = 1, 8000 do t[i] = i end
local function pack(...) return {...} end
for i = 1, 1e6 do keep[i] = pack(unpack(t)) end
return "SAFE"
