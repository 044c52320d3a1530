-- category: memory
-- attack: table.concat and rep with a huge separator
-- unsafe: memory use grows far above the cap, or the process dies
-- safe: abort the call with a limit error, memory bounded
-- expect: any-error-or-SAFE
local sep = ("x"):rep(1000000)
local ok = pcall(table.concat, {1, 2, 3, 4, 5, 6, 7, 8}, sep)
local ok2 = pcall(string.rep, "x", 1e6, sep)
return "SAFE"
