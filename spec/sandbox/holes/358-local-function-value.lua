-- category: miscompile
-- attack: local f = function() ... f ... end refers to the outer f
-- unsafe: a policy condition or value is silently wrong
-- safe: the same value as reference Lua 5.1
-- expect: SAFE
local function f() return "outer" end
local f = function() return f and f() or "nil" end
if f() ~= "outer" then return "got " .. tostring(f()) end
return "SAFE"
