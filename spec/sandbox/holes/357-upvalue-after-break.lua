-- category: miscompile
-- attack: a closure over a local of a block that a break leaves
-- unsafe: a policy condition or value is silently wrong
-- safe: the same value as reference Lua 5.1
-- expect: SAFE
local f
while true do do local secret = "mine" f = function() return secret end break end end
local a, b, c, d = 1, 2, 3, 4
if f() ~= "mine" then return "got " .. tostring(f()) end
return "SAFE"
