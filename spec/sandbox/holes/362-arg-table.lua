-- category: miscompile
-- attack: arg is no variable of functions with ...
-- unsafe: a policy condition or value is silently wrong
-- safe: the same value as reference Lua 5.1
-- expect: any-error-or-SAFE
local function f(...) local n = 0 for _ in pairs({...}) do n = n + 1 end return n end
if f(1, 2) ~= 2 then return "got" end
return "SAFE"
