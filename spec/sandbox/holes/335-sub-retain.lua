-- category: memory
-- attack: small substrings that keep large strings alive
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local keep = {}
for i = 1, 1e6 do keep[i] = (("x"):rep(4000000) .. i):sub(1, 1) end
return "SAFE"
