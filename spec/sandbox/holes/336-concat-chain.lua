-- category: memory
-- attack: one expression that concatenates a large string many times
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local s = ("x"):rep(1000000)
local t = s .. s .. s .. s .. s .. s .. s .. s .. s .. s
return "SAFE"
