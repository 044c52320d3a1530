-- category: memory
-- attack: %q and %s of a large string many times
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local s = ("\0"):rep(1000000)
local keep = {}
for i = 1, 1000 do keep[i] = string.format("%q%q%q", s, s, s) end
return "SAFE"
