-- category: escape
-- attack: answer after every limit was hit and caught
-- unsafe: the script reaches the host
-- safe: the name is absent or the call fails
-- expect: any-error-or-SAFE
local ok = pcall(function() local s = "x" while true do s = s .. s end end)
pcall(function() local function f() return 1 + f() end f() end)
pcall(string.rep, "x", 1e9)
pcall(string.find, ("a"):rep(100), ("a?"):rep(300) .. "b")
return {kind = "allow"}
